// What the pages do with JavaScript: times in the reader's zone, tooltips, and changes at their time.
//
// Every instant at which a page changes by itself is known when the site is built, and the page of each such
// instant is written in advance: `api/v2/_epochs/index.json` lists where. At that instant, its content takes the
// place of what is shown. This script knows nothing about the content of a page.

const ROOT = new URL("../", import.meta.url);
const REFRESH_INTERVAL = 60_000;
const LONGEST_TIMER = 2 ** 31 - 1;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080]; // minutes between marks of an axis

// ── times ────────────────────────────────────────────────────────────────────────────────────────────────────

// the page's language, in the variety that the reader's device prefers
const LANGUAGE = document.documentElement.lang;
const LOCALE = navigator.languages.find((one) => one.split("-")[0] === LANGUAGE.split("-")[0]) ?? LANGUAGE;
const form = (options) => new Intl.DateTimeFormat(LOCALE, options);
const ZONE = form({ timeZoneName: "short" });
const EXACT = form({ dateStyle: "full", timeStyle: "long", hour12: false });
const WEEKDAY = form({ weekday: "long", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

// dates have the form that they have without the script, so that a page has one
const { months = "", units = "" } = document.body.dataset; // pages without times have neither
const MONTHS = months.split("|");
const [DAYS, HOURS, MINUTES, MOMENT] = units.split("|");
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const two = (number) => String(number).padStart(2, "0");
const zoneOf = (at) => ZONE.formatToParts(at).find(({ type }) => type === "timeZoneName").value;
const timeOf = (at) => `${two(at.getHours())}:${two(at.getMinutes())}`;
const dayOf = (at) => filled(document.body.dataset.day,
  { day: at.getDate(), month: MONTHS[at.getMonth()], year: at.getFullYear() });
const atTime = (day, time) => filled(document.body.dataset.moment, { day, time });
const momentOf = (at) => atTime(dayOf(at), clockOf(at));
/** A day without its year, if that is the present one. */
const briefDayOf = (at) => at.getFullYear() !== new Date().getFullYear() ? dayOf(at)
  : filled(document.body.dataset.briefDay, { day: at.getDate(), month: MONTHS[at.getMonth()] });
const clockOf = (at) => `${timeOf(at)} ${zoneOf(at)}`;
/** A time of today without its day. */
const briefOf = (at) => dayOf(at) === dayOf(new Date()) ? clockOf(at) : atTime(briefDayOf(at), clockOf(at));
const FORMS = { date: dayOf, day: briefDayOf, time: clockOf, moment: briefOf };

/** A duration in at most two units, rounded down to minutes, which stays on one line. */
function lengthOf(milliseconds) {
  const minutes = Math.floor(milliseconds / 60_000);
  const parts = [[Math.floor(minutes / 1440), DAYS], [Math.floor(minutes / 60) % 24, HOURS], [minutes % 60, MINUTES]];
  return parts.filter(([count]) => count).slice(0, 2).map(([count, unit]) => `${count}\u00a0${unit}`).join("\u00a0") || MOMENT;
}

/** How long ago an instant was, or in how long it will be; nothing for one that is far. */
function relativeTo(passed, inDays) {
  const length = Math.abs(passed);
  if (inDays ? length < 86_400_000 : length >= 86_400_000) return "";
  const { ago, ahead } = document.body.dataset;
  return ` (${filled(passed < 0 ? ago : ahead, { length: inDays ? `${Math.floor(length / 86_400_000)}\u00a0${DAYS}` : lengthOf(length) })})`;
}

/** Lets the lanes of an open incident go on until now: what its newest update says still holds. */
function growTo(lanes, now) {
  const end = lanes.querySelector(".period time:last-of-type");
  if (now < Date.parse(end.dateTime)) return; // a clock that is behind the updates
  const seconds = (now - new Date(lanes.dataset.since)) / 1000;
  for (const lane of lanes.querySelectorAll(".lane > svg")) {
    const last = lane.lastElementChild;
    lane.setAttribute("viewBox", `0 0 ${seconds} 14`);
    last.setAttribute("width", seconds - last.getAttribute("x"));
  }
  end.dateTime = new Date(now).toISOString();
}

/** Marks round times between the ends of the lanes' axis, where the words of the ends leave room. */
function markTimes(lanes) {
  const axis = lanes.querySelector(".period");
  const times = [...axis.querySelectorAll("time")];
  const [start, end] = times.map((time) => Date.parse(time.dateTime));
  const step = 60_000 * (STEPS.find((minutes) => end - start <= 5 * 60_000 * minutes) ?? Math.ceil((end - start) / 7_200_000_000) * 1440);
  const shift = new Date(start).getTimezoneOffset() * 60_000;
  const drawn = (name, attributes, ...content) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...content);
    return element;
  };
  const marks = drawn("svg", { class: "marks", "aria-hidden": true, focusable: false });
  for (let at = Math.ceil((start - shift) / step) * step + shift; at < end; at += step) {
    const x = `${(100 * (at - start)) / (end - start)}%`;
    const time = timeOf(new Date(at));
    const text = drawn("text", { x, y: "1.1em" }, time === "00:00" ? briefDayOf(new Date(at)) : time);
    marks.append(drawn("g", { class: "mark" }, drawn("line", { x1: x, x2: x, y1: -6, y2: 0 }), text));
  }
  axis.querySelector(".marks")?.remove();
  axis.append(marks);
  const [left, right] = times.map((time) => time.getBoundingClientRect());
  for (const mark of [...marks.children]) {
    const box = mark.getBoundingClientRect();
    if (box.left < left.right + 8 || box.right > right.left - 8) mark.remove();
  }
}

/** Shows the times of a part in the reader's zone, how long ago recent ones were, and how long what is open has lasted. */
function showTimes(part) {
  const now = Date.now();
  for (const lanes of part.querySelectorAll(".lanes[data-since]")) growTo(lanes, now);
  for (const time of part.querySelectorAll("time[datetime*='T']")) {
    const at = new Date(time.dateTime);
    time.textContent = (FORMS[time.dataset.form] ?? momentOf)(at);
    time.dataset.tip ??= EXACT.format(at);
  }
  for (const period of part.querySelectorAll(".period")) {
    const [first, last] = period.querySelectorAll("time");
    const [start, end] = [new Date(first.dateTime), new Date(last.dateTime)];
    const isOneZone = zoneOf(start) === zoneOf(end);
    if (period.classList.contains("hours")) first.textContent = timeOf(start) + (isOneZone ? "" : ` ${zoneOf(start)}`);
    else if (isOneZone) first.textContent = atTime(dayOf(start), timeOf(start));
    if (dayOf(start) === dayOf(end)) last.textContent = `${timeOf(end)} ${zoneOf(end)}`;
  }
  part.querySelectorAll(".lanes").forEach(markTimes);
  for (const relative of part.querySelectorAll(".relative")) {
    relative.textContent = relativeTo(new Date(relative.dataset.at) - now, relative.classList.contains("age"));
  }
  for (const ongoing of part.querySelectorAll(".ongoing")) {
    const passed = now - new Date(ongoing.dataset.since);
    ongoing.textContent = passed < 0 ? "" : filled(ongoing.dataset.text, { length: lengthOf(passed) });
  }
  for (const left of part.querySelectorAll(".left")) {
    const rest = new Date(left.dataset.until) - now;
    left.textContent = rest < 0 ? "" : filled(left.dataset.text, { length: lengthOf(rest) });
  }
  for (const zone of part.querySelectorAll("[data-zone]")) {
    zone.textContent = filled(zone.dataset.zone, { zone: ZONE.resolvedOptions().timeZone });
  }
}

// ── tooltips on pointing, focus and touch ────────────────────────────────────────────────────────────────────

const tip = document.createElement("div");
tip.id = "tip";
tip.role = "tooltip";
tip.hidden = true;
// within a landmark, as all text
(document.querySelector("footer") ?? document.body).append(tip);

/** Shows a tip above a box of the window, or below where there is no room. */
function showTip(box, ...content) {
  tip.replaceChildren(...content);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.left + box.width / 2 - width / 2, document.documentElement.clientWidth - width - 8));
  const top = box.top - height - 6 < 0 ? box.bottom + 6 : box.top - height - 6;
  tip.style.left = `${left + scrollX}px`;
  tip.style.top = `${top + scrollY}px`;
}

const hideTip = () => { tip.hidden = true; };

function elementWithTip(target) {
  const element = target.closest?.("[data-tip], main [title]");
  if (element?.title) {
    element.dataset.tip = element.title;
    element.removeAttribute("title");
  }
  return element;
}

for (const [begin, end] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
  document.addEventListener(begin, ({ target }) => {
    const element = elementWithTip(target);
    if (!element) return;
    element.setAttribute("aria-describedby", "tip");
    showTip([...element.getClientRects()][0] ?? element.getBoundingClientRect(), element.dataset.tip);
  });
  document.addEventListener(end, ({ target, relatedTarget }) => {
    if (elementWithTip(target) && !tip.contains(relatedTarget)) hideTip();
  });
}
tip.addEventListener("pointerleave", hideTip);
document.addEventListener("keydown", (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (key === "/" && !(ctrlKey || metaKey || altKey || target.closest("input, textarea, select"))) {
    // a field may be in the folded contents of a phone
    const search = [...document.querySelectorAll("main [type=search]:not([data-find])")]
      .find((field) => (field.closest("details") ?? field).offsetParent) ?? document.querySelector(".find");
    if (search) event.preventDefault();
    const fold = search?.closest("details");
    if (fold) fold.open = true;
    if (search?.type === "search") search.focus();
    else search?.click();
    return;
  }
  if (key !== "Escape") return;
  hideTip();
  const menu = document.querySelector(".subscribe[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
document.addEventListener("click", ({ target }) => {
  const menu = document.querySelector(".subscribe[open]");
  if (menu && !menu.contains(target)) menu.open = false;
});

/** Makes the bars of a component a slider that shows day by day. */
function enableBars(bars) {
  const svg = bars.querySelector("svg");
  const step = 7;
  const count = Math.ceil(svg.viewBox.baseVal.width / step);
  const texts = bars.closest(".components").dataset;
  const row = bars.closest(".row");
  const downtimes = [...row.querySelectorAll(".downtimes li")];
  const chosen = document.createElementNS(svg.namespaceURI, "rect");
  for (const [name, value] of Object.entries({ class: "chosen", y: 0, width: step, height: 22, visibility: "hidden" })) {
    chosen.setAttribute(name, value);
  }
  svg.append(chosen);
  let present = count - 1;

  const day = (index) => new Date(Date.parse(bars.dataset.first) + index * 86_400_000);
  const downtime = (index) => {
    const iso = day(index).toISOString().slice(0, 10);
    return downtimes.find((one) => one.querySelector("time").dateTime === iso);
  };
  const textOf = (index) => {
    const parts = document.createElement("span");
    const heading = document.createElement("strong");
    heading.textContent = WEEKDAY.format(day(index));
    parts.append(heading, "\n");
    const details = downtime(index)?.querySelector("span").cloneNode(true);
    details?.querySelector("strong").remove();
    parts.append(details ?? (index < bars.dataset.unknown ? texts.nothing : texts.quiet));
    return parts;
  };
  const choose = (index) => {
    present = Math.max(0, Math.min(count - 1, index));
    chosen.setAttribute("x", present * step - 1);
    chosen.setAttribute("visibility", "visible");
    const parts = textOf(present);
    bars.setAttribute("aria-valuenow", present);
    bars.setAttribute("aria-valuetext", parts.textContent);
    const { left, width, top, bottom } = svg.getBoundingClientRect();
    showTip({ left: left + ((present + 0.5) / count) * width, width: 0, top, bottom }, parts);
  };
  const leave = () => {
    chosen.setAttribute("visibility", "hidden");
    hideTip();
  };
  const pointed = ({ clientX }) => {
    const { left, width } = svg.getBoundingClientRect();
    choose(Math.floor(((clientX - left) / width) * count));
  };

  const role = { role: "slider", "aria-label": filled(texts.name, { name: row.querySelector(".name").textContent }), "aria-valuemin": 0, "aria-valuemax": count - 1,
    "aria-valuenow": present, "aria-valuetext": textOf(present).textContent };
  for (const [name, value] of Object.entries(role)) bars.setAttribute(name, value);
  bars.tabIndex = 0;
  bars.addEventListener("pointermove", pointed);
  bars.addEventListener("pointerdown", pointed);
  bars.addEventListener("pointerleave", ({ relatedTarget }) => tip.contains(relatedTarget) || leave());
  bars.addEventListener("focus", () => choose(present));
  bars.addEventListener("blur", leave);
  bars.addEventListener("keydown", (event) => {
    const { key } = event;
    const moves = { ArrowLeft: present - 1, ArrowDown: present - 1, ArrowRight: present + 1, ArrowUp: present + 1,
      Home: 0, End: count - 1 };
    if (key in moves) {
      event.preventDefault();
      choose(moves[key]);
    } else if (key === "Enter") downtime(present)?.querySelector("a")?.click();
  });
}

/** Adds to a part of the page what needs a script. */
function enhance(part) {
  showTimes(part);
  // what scrolls within a page is reached by keyboard
  for (const one of part.querySelectorAll(":is(.prose, .own-page) :is(pre, table)")) if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
  part.querySelectorAll(".row .days").forEach(enableBars);
}

// ── changes at their time ────────────────────────────────────────────────────────────────────────────────────

const path = document.body.dataset.timed;
const main = document.getElementById("main");
let shown = main.innerHTML;
let refreshed = Date.now();
let timer;

// imported late, since scripts delay the first paint
const importing = path && import("./epochs.js");

async function readFile(file) {
  const response = await fetch(new URL(file, ROOT), { cache: "no-cache" });
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** The page of an epoch: a file, or a patch of one. */
async function readPage({ file, patch }) {
  const { patched } = await importing;
  const [base, change] = await Promise.all([file, patch].filter(Boolean).map(readFile));
  const body = change ? await patched(base, change) : base;
  if (!body) throw new Error(`${patch}: not of the same build as ${file}`);
  return new DOMParser().parseFromString(new TextDecoder().decode(body), "text/html");
}

/** Shows the present version of the page, and runs again when it changes next. */
async function refresh() {
  clearTimeout(timer);
  let wait = REFRESH_INTERVAL;
  try {
    const { INDEX, parseEpochs, storedAt } = await importing;
    const response = await fetch(new URL(INDEX, ROOT), { cache: "no-cache" });
    const epochs = parseEpochs(await response.text());
    const now = Date.now();
    const stored = storedAt(epochs, path, now);
    show(await readPage(stored?.changed ? stored : { file: path }));
    refreshed = now;
    const until = Date.parse(epochs.until);
    showNotice(until < now ? "stale" : "", until);
    const next = epochs.instants.find((since) => since > now) ?? Infinity;
    wait = Math.min(wait, next - now);
  } catch {
    showNotice("offline", refreshed);
  }
  timer = setTimeout(refresh, Math.min(Math.max(wait, 0) + 50, LONGEST_TIMER));
}

function show(page) {
  const fresh = page.getElementById("main");
  if (!fresh || fresh.innerHTML === shown) return;
  shown = fresh.innerHTML;
  const opened = [...main.querySelectorAll("details")].map((details) => details.open);
  const focused = main.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  main.replaceChildren(...fresh.childNodes);
  const details = [...main.querySelectorAll("details")];
  if (details.length === opened.length) details.forEach((one, index) => { one.open ||= opened[index]; });
  if (focused) main.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  document.title = page.title;
  document.querySelector("link[rel=icon]").href = page.querySelector("link[rel=icon]").getAttribute("href");
  document.getElementById("announcement").textContent = main.querySelector("h1")?.textContent ?? "";
  enhance(main);
}

/** Shows below the page that it may be out of date, or hides that notice. */
function showNotice(what, instant) {
  const notice = document.getElementById("stale");
  notice.hidden = !what;
  if (!what) return;
  const time = momentOf(new Date(instant));
  notice.textContent = notice.dataset[what].replace(/\{\w+\}/, time);
}

// ── what needs a script ──────────────────────────────────────────────────────────────────────────────────────

/** Copies the text before a button. */
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("button.copy");
  if (!button) return;
  const copied = button.closest(".snippet")?.querySelector("pre") ?? button.previousElementSibling;
  await navigator.clipboard.writeText(copied.textContent);
  document.getElementById("announcement").textContent = document.body.dataset.copied;
  button.textContent = document.body.dataset.copied;
});

/** Offers parts of a document as files. */
function offerDownloads() {
  for (const button of document.querySelectorAll("button[data-member]")) {
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

/** Fetches the site's own response when its place comes into view; a long one is shown in part. */
function loadExamples() {
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      showAnswer(target);
    }
  }, { rootMargin: "25%" });
  for (const example of document.querySelectorAll("[data-answer]")) watcher.observe(example);
}

async function showAnswer(example) {
  const [label, shown] = ["span", "pre"].map((name) => example.querySelector(name));
  const response = await fetch(example.dataset.answer);
  const body = await response.text();
  const isJson = /json/.test(response.headers.get("content-type"));
  const text = isJson ? JSON.stringify(JSON.parse(body), null, 2) : body;
  shown.textContent = text.length > 4_000 ? `${text.slice(0, 4_000)}\n…` : text;
  label.textContent = `${example.dataset.status ?? response.status} · ${(body.length / 1000).toFixed(1)} kB`;
}

enhance(document);
loadExamples();
setInterval(() => showTimes(document), REFRESH_INTERVAL);
offerDownloads();
// the page of any contract is made after this script has run
document.addEventListener("statuary:content", () => {
  showTimes(document);
  offerDownloads();
});
if (path) {
  refresh();
  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
}
