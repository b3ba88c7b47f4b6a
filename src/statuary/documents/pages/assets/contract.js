// The page of a contract: sources that are coloured when they are opened, the list of sections, and buttons.

const { number, word, languages } = LANGUAGES;
const grammars = new Map();

/** The expressions of a language, as `documents/pages/contract/sources.py` compiles them. */
function grammarOf(language) {
  const words = languages[language === "Fe" ? "Vyper" : language];
  if (words && !grammars.has(language)) {
    const whole = (key) => new RegExp(`^(?:${words[key]})$`);
    grammars.set(language, {
      token: new RegExp(`(${words.comment})|(${words.string})|(${number})|(${word})`, "g"),
      declares: whole("declares"), keyword: whole("keyword"), type: whole("type"),
    });
  }
  return grammars.get(language);
}

/** The pieces of a text with the style class of each, or an empty one. */
export function* highlighted(text, language) {
  const grammar = grammarOf(language);
  if (!grammar) return yield [text, ""];
  let at = 0;
  let declared = false;
  for (const found of text.matchAll(grammar.token)) {
    if (found.index > at) yield [text.slice(at, found.index), ""];
    const token = found[0];
    at = found.index + token.length;
    const kind = found.slice(1).findIndex((group) => group !== undefined);
    if (kind < 3) {
      yield [token, ["cc", "cs", "cn"][kind]];
      continue;
    }
    const isKeyword = grammar.keyword.test(token);
    yield [token, isKeyword ? "ck" : declared ? "cf" : grammar.type.test(token) ? "ct" : ""];
    declared = grammar.declares.test(token);
  }
  if (at < text.length) yield [text.slice(at), ""];
}

/** Gives a source its lines, each with a number that is a link, and its colours. */
function colour(code, anchor) {
  const text = code.textContent.replace(/\n+$/, "");
  const { language } = code.dataset;
  delete code.dataset.language;
  let line = 0;
  const numbered = () => {
    line += 1;
    const link = document.createElement("a");
    Object.assign(link, { id: `${anchor}-${line}`, href: `#${anchor}-${line}`, tabIndex: -1, textContent: line });
    return link;
  };
  const lines = [numbered()];
  for (const [piece, style] of text.length > 200_000 ? [[text, ""]] : highlighted(text, language)) {
    piece.split("\n").forEach((part, index) => {
      if (index) lines.push("\n", numbered());
      if (!part) return;
      if (!style) return lines.push(part);
      const span = document.createElement("span");
      Object.assign(span, { className: style, textContent: part });
      lines.push(span);
    });
  }
  code.replaceChildren(...lines);
}

const files = [...document.querySelectorAll(".source")];

function open(file) {
  const code = file.querySelector("pre[data-language]");
  if (code) colour(code, file.id);
  file.open = true;
}

/** Shows the file of an anchor such as `s3` or `s3-41`; beside the tree of files, only that file. */
function showFile(anchor) {
  const file = document.getElementById(/^s\d+/.exec(anchor)?.[0] ?? "");
  if (!files.includes(file)) return;
  open(file);
  const alone = matchMedia("(min-width: 64rem)").matches;
  for (const other of files) if (alone && other !== file) other.open = false;
  for (const link of document.querySelectorAll(".files a")) {
    link.toggleAttribute("aria-current", link.hash === `#${file.id}`);
    if (link.hash === `#${file.id}`) link.setAttribute("aria-current", "true");
  }
  const line = document.getElementById(anchor);
  document.querySelector(".code .here")?.classList.remove("here");
  if (line !== file) line?.classList.add("here");
  line?.scrollIntoView({ block: line === file ? "start" : "center" });
}

for (const file of files) file.addEventListener("toggle", () => file.open && open(file));
addEventListener("hashchange", () => showFile(location.hash.slice(1)));
if (location.hash) {
  showFile(location.hash.slice(1));
  document.querySelector(`details.item[id="${CSS.escape(location.hash.slice(1))}"]`)?.setAttribute("open", "");
}
for (const link of document.querySelectorAll(".files a")) {
  link.addEventListener("click", () => showFile(link.hash.slice(1)));
}

for (const button of document.querySelectorAll(".wrap-lines")) {
  button.addEventListener("click", () => {
    const wraps = button.closest(".source-view").classList.toggle("wraps");
    for (const one of document.querySelectorAll(".wrap-lines")) one.setAttribute("aria-pressed", wraps);
  });
}
for (const button of document.querySelectorAll(".copy-source")) {
  button.addEventListener("click", async () => {
    const code = button.closest(".source").querySelector(".code").cloneNode(true);
    code.querySelectorAll("a").forEach((number) => number.remove());
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = document.body.dataset.copied;
  });
}

// the section that is being read is marked in the list of sections
const links = new Map([...document.querySelectorAll(".parts a")].map((link) => [link.hash.slice(1), link]));
const seen = new Set();
const watcher = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) seen.add(target);
    else seen.delete(target);
  }
  const first = [...links.keys()].find((id) => [...seen].some((one) => one.getAttribute("aria-labelledby") === id));
  for (const [id, link] of links) {
    if (id === first) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}, { rootMargin: "-20% 0px -65%" });
for (const id of links.keys()) watcher.observe(document.querySelector(`[aria-labelledby="${id}"]`));

/** Offers the check of a contract's record; its script is loaded on demand. */
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

offerCheck();

const comparison = document.querySelector("[data-compare]");
comparison?.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { compare } = await import("./compare.js");
  await compare(comparison);
});
