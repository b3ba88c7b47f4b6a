/**
 * The selectors of the style sheet to which nothing answers on any of the pages: each branch of a list and of an `:is()` by
 * itself, without the states that a reader brings about (`:hover`, `:target`, `[open]` …). Every page is used as a reader
 * uses it: what is folded is opened, searches are typed, buttons are pressed.
 */

import { openEverything } from "./inert.mjs";

/** Keeps the selectors of the page's own sheet that nothing has matched yet, and crosses off those that match now. */
function begin(known) {
  const split = (text, at = 0) => {
    const parts = [""];
    let depth = 0;
    for (const letter of text) {
      depth += "([".includes(letter) ? 1 : ")]".includes(letter) ? -1 : 0;
      if (letter === "," && depth === at) parts.push("");
      else parts[parts.length - 1] += letter;
    }
    return parts.map((part) => part.trim());
  };
  /** The text within the parenthesis that opens at a place, and where it ends. */
  const within = (text, from) => {
    let depth = 0;
    for (let at = from; at < text.length; at += 1) {
      depth += text[at] === "(" ? 1 : text[at] === ")" ? -1 : 0;
      if (!depth) return [text.slice(from + 1, at), at + 1];
    }
  };
  const without = (text, name) => {
    for (let at; (at = text.indexOf(`:${name}(`)) >= 0;) {
      text = text.slice(0, at) + text.slice(within(text, at + name.length + 1)[1]);
    }
    return text;
  };
  const branches = (text) => {
    const at = text.indexOf(":is(");
    if (at < 0) return [text];
    const [inner, end] = within(text, at + 3);
    return split(inner).flatMap((one) => branches(`${text.slice(0, at)}${one === "*" ? "" : one}${text.slice(end)}`));
  };
  const plain = (text) => {
    const still = without(without(text, "not"), "has")
      .replace(/::?(?:before|after|placeholder|marker|details-content|-webkit-[\w-]+)|::[\w-]+/g, "")
      .replace(/:(?:hover|focus-visible|focus-within|focus|target|checked|empty|active|open)\b|\[open\]/g, "")
      .replace(/(^|[\s>+~])(?=[\s>+~]|$)/g, "$1").trim();
    return still.replace(/([>+~])\s*$/, "$1 *").replace(/^$/, "*").replace(/([>+~])\s*(?=[>+~])/g, "$1 * ").replace(/^([>+~])/, "* $1");
  };
  const selectors = (rules) => [...rules].flatMap((rule) =>
    rule.selectorText ? split(rule.selectorText).flatMap(branches) : rule.cssRules ? selectors(rule.cssRules) : []);
  const own = [...document.styleSheets].find((sheet) => sheet.href?.includes("/assets/statuary.css"));
  window.unused = known ?? [...new Set(selectors(own.cssRules))];
  window.cross = () => {
    window.unused = window.unused.filter((selector) => {
      const words = plain(selector);
      try {
        return !document.querySelector(words);
      } catch {
        throw new Error(`${selector} was read as ${words}`);
      }
    });
    return window.unused;
  };
  return window.cross();
}

const TYPED = { "#query": "sta", "[data-find]": "a", "[data-decode] textarea, .decode textarea": "0x26476204" };
const PRESSED = ["[data-run]", "[data-compare] button", ".decode button"];

async function use(page, quiet) {
  for (const [place, text] of Object.entries(TYPED)) {
    const field = page.locator(place).first();
    if (await field.isVisible()) await field.fill(text);
  }
  await page.waitForTimeout(150);
  for (const place of PRESSED) {
    const button = page.locator(place).first();
    if (await button.isVisible()) await button.click();
  }
  const bars = page.locator(".days[tabindex], [role=slider]").first();
  if (await bars.isVisible()) await bars.focus();
  await quiet();
}

export async function run({ open }, { paths, now, left = null }) {
  const { page, next, quiet } = await open(paths[0], { viewport: { width: 1280, height: 900 } },
    (page) => now && page.clock.setFixedTime(new Date(now)));
  for (const path of paths) {
    if (path !== paths[0]) await next(path);
    await openEverything(page);
    left = await page.evaluate(begin, left);
    await use(page, quiet);
    left = await page.evaluate(() => window.cross());
  }
  return left;
}
