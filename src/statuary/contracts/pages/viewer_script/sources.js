// Source files as the contract's page shows them (`contracts/pages/sources.py`).

import { asObject, asText } from "../check/values.js";
import { codePoint, element, HIDDEN_CHARACTERS, hiddenCharacters, mixedLetters, visibleName } from "./texts.js";
import { Pieces } from "./template.js";

const MOST_SHOWN = 1_000_000;
const LONGEST_LINE = 2_000;
const MOST_SPACES = 200;
const LONG_SPACE = new RegExp(`[^\\S\\n]{${MOST_SPACES + 1},}`, "g");

/** A record's files, that of the contract first, then those of its folder. */
export function sourceViews(sources, language, target, t) {
  const files = Object.entries(asObject(sources)).map(([path, file]) => [path, asText(asObject(file).content)]);
  const folderOf = (path) => path.slice(0, Math.max(path.lastIndexOf("/"), 0));
  const place = (path) => [path !== target, folderOf(path) !== folderOf(target)].map(Number).join("");
  files.sort(([one], [other]) => {
    const [a, b] = [place(one) + one, place(other) + other];
    return a < b ? -1 : a > b ? 1 : 0;
  });
  let left = MOST_SHOWN;
  return files.map(([path, content], at) => {
    left -= content.length;
    return fileView(path, content, language, `s${at + 1}`, left >= 0, t);
  });
}

function fileView(path, content, language, anchor, isShown, t) {
  const text = content.replace(/\r\n?/g, "\n");
  const hidden = hiddenCharacters(content);
  const mixed = [...new Set(Array.from(mixedLetters(content), ({ letter }) => codePoint(letter)))];
  const hasSpaces = LONG_SPACE.test(text);
  LONG_SPACE.lastIndex = 0;
  const cut = longest(text) > MOST_SPACES && longest(text.replace(LONG_SPACE, "")) > LONGEST_LINE;
  const isPlain = !hidden.length && !mixed.length && !hasSpaces && !cut;
  const seen = visibleName(path);
  const slash = seen.lastIndexOf("/") + 1;
  return {
    path: seen,
    folder: seen.slice(0, slash),
    name: seen.slice(slash),
    anchor,
    lines: text.replace(/\n+$/, "").split("\n").length,
    // a text that can be read back unchanged from the page is coloured there
    language: isShown && isPlain ? language : "",
    markup: !isShown ? null : isPlain ? text : markedLines(text.replace(/\n+$/, ""), anchor, t),
    hidden,
    mixed,
    cut,
    opened: anchor === "s1",
  };
}

const longest = (text) => text.split("\n").reduce((most, line) => Math.max(most, line.length), 0);

/** Numbered lines in which what must not be missed is marked. */
function markedLines(text, anchor, t) {
  const pieces = [];
  text.split("\n").forEach((line, at) => {
    if (at) pieces.push("\n");
    const number = element("a", String(at + 1));
    Object.assign(number, { id: `${anchor}-${at + 1}`, href: `#${anchor}-${at + 1}`, tabIndex: -1 });
    pieces.push(number, ...marked(line, t));
  });
  return new Pieces(pieces);
}

const mark = (text) => element("span", text, "hidden-character");

function* marked(line, t) {
  const marks = [
    ...Array.from(
      line.matchAll(HIDDEN_CHARACTERS),
      ({ index, 0: found }) => [index, found.length, codePoint(found)],
    ),
    ...Array.from(
      mixedLetters(line),
      ({ start, letter }) => [start, letter.length, `${letter}⟨${codePoint(letter)}⟩`],
    ),
    ...Array.from(
      line.matchAll(LONG_SPACE),
      ({ index, 0: { length } }) => [index, length, t("sources.spaces", { count: length })],
    ),
  ].sort(([one], [other]) => one - other);
  let at = 0;
  let shown = 0;
  for (const [start, length, text] of [...marks, [line.length, 0, ""]]) {
    const plain = line.slice(at, start);
    if (shown + plain.length > LONGEST_LINE) {
      const end = at + Math.max(0, LONGEST_LINE - shown);
      yield line.slice(at, end);
      yield mark(t("sources.rest", { count: line.length - end }));
      return;
    }
    if (plain) yield plain;
    if (text) yield mark(text);
    shown += plain.length + text.length;
    at = start + length;
  }
}
