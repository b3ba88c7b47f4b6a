// What pages do beyond standing there: times in the reader's zone, and what the clock changes.
//
// Every instant at which a page changes by itself was known when the site was built, and the page of each such
// instant was written beforehand: `api/v2/_epochs/index.json` says where. At the instant, its content takes the
// place of what is shown. Nothing here knows what a page says.

const ROOT = new URL("../", import.meta.url);
const INDEX = new URL("api/v2/_epochs/index.json", ROOT);
const LOOK_AGAIN = 60_000;
const LONGEST_TIMER = 2 ** 31 - 1;

// ── times ────────────────────────────────────────────────────────────────────────────────────────────────────

// the page's language, in the variety that the reader's device prefers
const LANGUAGE = document.documentElement.lang;
const LOCALE = navigator.languages.find((one) => one.split("-")[0] === LANGUAGE.split("-")[0]) ?? LANGUAGE;
const LOCAL = new Intl.DateTimeFormat(LOCALE, {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hour12: false,
  timeZoneName: "short",
});

/** Says whether a time is told with the offset that the reader's own clock has at that instant. */
function isLocal(iso) {
  const offset = /([+-])(\d\d):(\d\d)$/.exec(iso);
  const minutes = offset ? (offset[1] === "-" ? -1 : 1) * (offset[2] * 60 + Number(offset[3])) : 0;
  return -new Date(iso).getTimezoneOffset() === minutes;
}

/** Tells each time in the reader's zone, that of the page beside it. */
function tellLocally(part) {
  let told = false;
  for (const time of part.querySelectorAll("time[datetime*='T']:not([data-page])")) {
    if (isLocal(time.dateTime)) continue;
    const page = document.createElement("span");
    page.className = "page-time";
    page.textContent = ` (${time.textContent})`;
    time.dataset.page = "";
    time.textContent = LOCAL.format(new Date(time.dateTime));
    time.append(page);
    told = true;
  }
  if (told) document.getElementById("zone")?.removeAttribute("hidden");
}

// ── what the clock changes ───────────────────────────────────────────────────────────────────────────────────

const path = document.body.dataset.timed;
const main = document.getElementById("main");
let shown = main.innerHTML;
let refreshed = Date.now();
let timer;

/** The index of epochs: `until` when it is right, and the epochs in the order of time. */
async function readIndex() {
  const answer = await fetch(INDEX, { cache: "no-cache" });
  if (!answer.ok) return { until: NaN, epochs: [] };
  const { until, epochs = [] } = await answer.json();
  return { until: Date.parse(until), epochs: epochs.map((epoch) => ({ ...epoch, from: Date.parse(epoch.from) })) };
}

async function readPage(place) {
  const answer = await fetch(new URL(place, ROOT), { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${place}: ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Shows what the page says now, if that is something else, and comes back when it changes next. */
async function look() {
  clearTimeout(timer);
  let wait = LOOK_AGAIN;
  try {
    const { until, epochs } = await readIndex();
    const now = Date.now();
    const present = epochs.findLast(({ from }) => from <= now)?.documents ?? {};
    show(await readPage(Object.hasOwn(present, path) ? present[path] : path));
    refreshed = now;
    say(until < now ? "stale" : "", until);
    const next = epochs.find(({ from }) => from > now)?.from ?? Infinity;
    wait = Math.min(wait, next - now);
  } catch {
    say("offline", refreshed);
  }
  timer = setTimeout(look, Math.min(Math.max(wait, 0) + 50, LONGEST_TIMER));
}

function show(page) {
  const fresh = page.getElementById("main");
  if (!fresh || fresh.innerHTML === shown) return;
  shown = fresh.innerHTML;
  const opened = [...main.querySelectorAll("details")].map((details) => details.open);
  const focused = main.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  main.replaceChildren(...fresh.childNodes);
  const details = [...main.querySelectorAll("details")];
  if (details.length === opened.length) details.forEach((one, place) => { one.open ||= opened[place]; });
  if (focused) main.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  document.title = page.title;
  document.querySelector("link[rel=icon]").href = page.querySelector("link[rel=icon]").getAttribute("href");
  document.getElementById("announcement").textContent = main.querySelector("h1")?.textContent ?? "";
  tellLocally(main);
}

/** Says below the page that it may be out of date, or that it is not. */
function say(what, instant) {
  const notice = document.getElementById("stale");
  notice.hidden = !what;
  if (!what) return;
  const time = LOCAL.format(new Date(instant));
  notice.textContent = notice.dataset[what].replace(/\{\w+\}/, time);
}

// ── what needs a script ──────────────────────────────────────────────────────────────────────────────────────

/** Puts a button beside each text that is worth copying. */
function offerCopies() {
  if (!navigator.clipboard) return;
  for (const text of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = text.dataset.copy;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text.textContent);
      document.getElementById("announcement").textContent = text.dataset.copied;
      button.textContent = text.dataset.copied;
    });
    text.after(" ", button);
  }
}

/** Makes files of parts of a document that is there as a whole. */
function offerDownloads() {
  for (const button of document.querySelectorAll("button[data-member]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const record = await (await fetch(button.dataset.from)).json();
      const value = button.dataset.member.split("/").reduce((part, key) => part?.[key], record);
      const file = new Blob([JSON.stringify(value, null, 2)], { type: "application/json" });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(file);
      link.download = button.dataset.file;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }
}

/** Offers the check of a contract's record; the script that checks is loaded when it is asked for. */
function offerCheck() {
  const section = document.querySelector("[data-check]");
  if (!section) return;
  section.querySelector("[data-without]").remove();
  const button = section.querySelector("[data-run]");
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    const { check } = await import("./check.js");
    await check(section);
    button.disabled = false;
  });
}

tellLocally(document);
offerCopies();
offerDownloads();
offerCheck();
if (path) {
  look();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
}
