// The texts of pages, and texts of records as pages show them (`site/pages/page_texts.py`).

import { Pieces } from "./template.js";

const fill = (text, values) =>
  text.replace(/\{\{|\}\}|\{(\w+)\}/g, (whole, name) => name ? values[name] : whole[0]);

/** The texts of a site: called with a key and values, as templates do. */
export function pageTexts(texts) {
  const t = (key, values) => {
    if (!Object.hasOwn(texts, key)) throw new Error(`no text ${key}`);
    return values ? fill(texts[key], values) : texts[key];
  };
  const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, texts["number.group"]);
  const count = (key, value, values = {}) =>
    t(`${key}.${Number(value) === 1 ? "one" : "other"}`, { count: number(value), ...values });
  return Object.assign(t, { number, count, has: (key) => Object.hasOwn(texts, key) });
}

const HIDDEN =
  "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f" +
  "\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufdd0-\\ufdef\\ufeff\\uffa0\\ufff9-\\ufffb\\ufffe\\uffff\\u{e0000}-\\u{e007f}\\ud800-\\udfff";
const JOINERS = "\\u200c\\u200d";
const VARIANTS = "\\ufe00-\\ufe0e";
const OTHER = "[^\\x00-\\x7f]";

/** What is shown by its number instead; joiners of scripts and emoji are, if they join nothing. */
export const HIDDEN_CHARACTERS = new RegExp(
  `[${HIDDEN}${JOINERS}${VARIANTS}\\ufe0f](?:(?<=[${HIDDEN}])` +
    `|(?<=[${JOINERS}])(?:(?<!${OTHER}[${JOINERS}])|(?!${OTHER}))` +
    `|(?<=[${VARIANTS}])(?<!${OTHER}[${VARIANTS}])|(?<=[A-Za-z_$]\\ufe0f))`,
  "gu",
);

const ALIKE =
  /[\u0250-\u02af\u0370-\u03ff\u0400-\u058f\u13a0-\u13ff\u1f00-\u1fff\u2c80-\u2cff\uff21-\uff5a\u{1d400}-\u{1d7ff}]/gu;
const LATIN = /[A-Za-z]/;
const LONGEST_LINE = 1_000;

export const codePoint = (character) =>
  `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

export const visibleText = (text) => text.replace(HIDDEN_CHARACTERS, (found) => `⟨${codePoint(found)}⟩`);

const collapsed = (text) => text.split(/\s+/).filter(Boolean).join(" ");

/** A text as one visible line. */
export function oneLine(text) {
  const line = text.length <= LONGEST_LINE ? text : collapsed(text);
  const cut = line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)} …`;
  return collapsed(visibleText(cut));
}

/** A name or path as one line; letters that look like its Latin ones have their code points behind them. */
export function visibleName(text) {
  const line = oneLine(text);
  return LATIN.test(line) ? line.replace(ALIKE, (letter) => `${letter}⟨${codePoint(letter)}⟩`) : line;
}

/** The code points of hidden characters in a text, each once. */
export const hiddenCharacters = (
  text,
) => [...new Set(Array.from(text.matchAll(HIDDEN_CHARACTERS), ([found]) => codePoint(found)))];

/** Letters that look like the Latin ones of the same word: their places in a text. */
export function* mixedLetters(text) {
  if (text.search(ALIKE) < 0) return;
  for (const word of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (!LATIN.test(word[0])) continue;
    for (const letter of word[0].matchAll(ALIKE)) yield { start: word.index + letter.index, letter: letter[0] };
  }
}

/** An element with a class and a text. */
export function element(name, text, className = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

/** A NatSpec text as one paragraph with marked code. */
export function natspecText(text) {
  const pieces = [];
  const line = oneLine(typeof text === "string" ? text : "");
  let at = 0;
  for (const found of line.matchAll(/`+([^`]+)`+|\{([A-Za-z_][\w.-]*)\}/g)) {
    if (found.index > at) pieces.push(line.slice(at, found.index));
    pieces.push(element("code", found[1] ?? found[2]));
    at = found.index + found[0].length;
  }
  if (at < line.length) pieces.push(line.slice(at));
  return new Pieces(pieces);
}
