// The page of a contract: sources that are coloured when they are opened, the list of sections, and buttons.

const { number, word, languages } = LANGUAGES;
const grammars = new Map();

/** The expressions of a language, as `contracts/pages/sources.py` compiles them. */
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
export function colour(code, anchor) {
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

const files = [...document.querySelectorAll(".file")];
const tree = document.querySelector(".tree");

function prepare(file) {
  const code = file.querySelector("pre[data-language]");
  if (code) colour(code, file.id);
}

/** Shows the file of an anchor such as `s3` or `s3-41`; the style sheet shows the one that the address names. */
function showFile(anchor) {
  const file = document.getElementById(/^s\d+/.exec(anchor)?.[0] ?? "");
  if (!files.includes(file)) return;
  prepare(file);
  for (const link of tree?.querySelectorAll("li a") ?? []) {
    const isShown = link.hash === `#${file.id}`;
    link.classList.toggle("now", isShown);
    if (isShown) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  const line = document.getElementById(anchor);
  document.querySelector(".code .here")?.classList.remove("here");
  if (!line || line === file) return;
  line.classList.add("here");
  // its number exists only now: the address is looked up again
  if (!line.matches(":target")) location.replace(`#${anchor}`);
  const code = line.closest(".code");
  code.scrollTop = line.offsetTop - code.offsetTop - code.clientHeight / 3;
}

addEventListener("hashchange", () => showFile(location.hash.slice(1)));
if (location.hash) {
  showFile(location.hash.slice(1));
  document.querySelector(`details.item[id="${CSS.escape(location.hash.slice(1))}"]`)?.setAttribute("open", "");
}

const MOST_HITS = 100;

/** The lines of all files that have a text, whatever its case. */
function* linesWith(text) {
  for (const file of files) {
    const code = file.querySelector(".code");
    if (!code) continue;
    prepare(file);
    const lines = code.textContent.split("\n");
    for (const [index, line] of lines.entries()) {
      const plain = line.slice(String(index + 1).length);
      if (plain.toLowerCase().includes(text)) yield { file, number: index + 1, plain };
    }
  }
}

/** Lists the lines of all files that have a text. */
function enableFind(input) {
  const status = input.parentElement.querySelector("[role=status]");
  const list = document.createElement("ul");
  list.className = "hits";
  input.addEventListener("input", () => {
    const text = input.value.trim().toLowerCase();
    const found = text.length < 2 ? [] : [...linesWith(text)];
    list.replaceChildren(...found.slice(0, MOST_HITS).map(({ file, number, plain }) => {
      const link = document.createElement("a");
      link.href = `#${file.id}-${number}`;
      link.textContent = `${file.getAttribute("aria-label").split("/").at(-1)}:${number}`;
      link.append(Object.assign(document.createElement("code"), { textContent: plain.trim() }));
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    if (found.length) input.parentElement.after(list);
    else list.remove();
    status.textContent = text.length < 2 ? "" : String(found.length);
    status.classList.toggle("hidden-text", text.length < 2);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") list.querySelector("a")?.click();
    else if (event.key === "ArrowDown") list.querySelector("a")?.focus();
    else return;
    event.preventDefault();
  });
}

for (const input of document.querySelectorAll("[data-find]")) enableFind(input);

for (const button of document.querySelectorAll(".copy-source")) {
  button.addEventListener("click", async () => {
    const code = button.closest(".file").querySelector(".code").cloneNode(true);
    code.querySelectorAll("a").forEach((number) => number.remove());
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = document.body.dataset.copied;
  });
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});
const crcOf = (bytes) => ~bytes.reduce((crc, byte) => CRC_TABLE[(crc ^ byte) & 255] ^ (crc >>> 8), ~0) >>> 0;

/** A path that leads nowhere outside of the folder that an archive is opened in. */
const insideFolder = (path) =>
  path.split(/[\\/]+/).filter((part) => part && part !== ".").map((part) => part === ".." ? "_" : part.replace(/:/g, "_")).join("/");

/** A ZIP archive of texts by path, which are stored as they are. */
export function zipOf(texts) {
  const [parts, entries] = [[], []];
  let offset = 0;
  for (const [path, text] of Object.entries(texts)) {
    const [name, body] = [insideFolder(path), text].map((part) => new TextEncoder().encode(part));
    const header = (signature, more) => {
      const view = new DataView(new ArrayBuffer(more ? 46 : 30));
      const start = more ? 6 : 4;
      view.setUint32(0, signature, true);
      if (more) view.setUint16(4, 20, true);
      view.setUint16(start, 20, true);
      view.setUint16(start + 2, 0x800, true);  // names are UTF-8
      view.setUint16(start + 8, 0x21, true);  // 1 January 1980
      view.setUint32(start + 10, crcOf(body), true);
      view.setUint32(start + 14, body.length, true);
      view.setUint32(start + 18, body.length, true);
      view.setUint16(start + 22, name.length, true);
      if (more) view.setUint32(42, offset, true);
      return view;
    };
    entries.push(header(0x02014b50, true), name);
    parts.push(header(0x04034b50, false), name, body);
    offset += 30 + name.length + body.length;
  }
  const size = entries.reduce((sum, part) => sum + part.byteLength, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, entries.length / 2, true);
  end.setUint16(10, entries.length / 2, true);
  end.setUint32(12, size, true);
  end.setUint32(16, offset, true);
  return new Blob([...parts, ...entries, end], { type: "application/zip" });
}

// what readers take away: a member as JSON on the clipboard, or the sources as an archive
for (const button of document.querySelectorAll("[data-take]")) {
  button.addEventListener("click", async () => {
    const { record, take, file } = button.dataset;
    const value = (await (await fetch(record)).json())[take];
    if (!file) {
      await navigator.clipboard.writeText(JSON.stringify(value));
      button.textContent = document.body.dataset.copied;
      return;
    }
    const texts = Object.fromEntries(Object.entries(value).map(([path, { content }]) => [path, content]));
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(zipOf(texts)), download: file });
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

// the section that is being read is marked in the list of sections
const links = new Map([...document.querySelectorAll(".sections a")].map((link) => [link.hash.slice(1), link]));
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
for (const id of links.keys()) watcher.observe(document.querySelector(`section[aria-labelledby="${id}"]`));

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

const decoder = document.querySelector("[data-decode]");
decoder?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { showDecoded } = await import("./decode.js");
  await showDecoded(decoder);
});
