// @ts-check
/** From the text of `fields` and `omit` to a selection: the grammar, and each refusal as measured. */

import { isField } from "./fields.js";
import { Refusal } from "./refusal.js";

/** Among the sub-members asked for: "and then the rest of it". */
export const REST = "";

/**
 * What a request wants of a record. Each map goes from a member's name to its sub-members; none of them means
 * the whole member.
 * @typedef {object} Selection
 * @property {Map<string, string[]> | null} fields what to give, in order; null for everything
 * @property {Map<string, string[]>} omit what to leave out
 */

/** @type {Selection} */
export const EVERYTHING = { fields: null, omit: new Map() };

/**
 * Reads the two query parameters; an empty text is one that was not given.
 * @param {string} fields
 * @param {string} omit
 * @returns {Selection}
 */
export function parseSelection(fields, omit) {
  if (fields && omit) throw new Refusal("Cannot specify both fields and omit");
  const asked = fields ? fields.split(",") : [];
  if (asked.includes("all")) {
    if (asked.length > 1) throw new Refusal("Cannot specify 'all' with other fields");
    return EVERYTHING;
  }
  const leftOut = omit ? omit.split(",") : [];
  for (const selector of [...asked, ...leftOut]) checkSelector(selector);
  return { fields: fields ? inRequestOrder(asked) : null, omit: whatIsLeftOut(leftOut) };
}

/** @param {string} selector */
function checkSelector(selector) {
  if (selector.split(".").length > 2) {
    throw new Refusal(`Field selector cannot have more than one level subselectors: ${selector}`);
  }
  if (!isField(selector)) throw new Refusal(`Field selector ${selector} is not a valid field`);
}

/**
 * Gathers selectors by member: `compilation.name,compilation` is the name, then the rest.
 * @param {string[]} selectors
 */
function inRequestOrder(selectors) {
  /** @type {Map<string, string[]>} */
  const chosen = new Map();
  for (const selector of selectors) {
    const [member, inner = REST] = selector.split(".");
    const asked = chosen.get(member);
    if (asked === undefined) chosen.set(member, inner ? [inner] : []);
    else if (asked.length && !asked.includes(inner) && !asked.includes(REST)) asked.push(inner);
  }
  return chosen;
}

/**
 * Gathers selectors by member; leaving out the whole member outweighs leaving out a part of it.
 * @param {string[]} selectors
 */
function whatIsLeftOut(selectors) {
  /** @type {Map<string, string[]>} */
  const chosen = new Map();
  for (const selector of selectors) {
    const [member, inner] = selector.split(".");
    const before = chosen.get(member);
    chosen.set(member, inner === undefined || before?.length === 0 ? [] : [...before ?? [], inner]);
  }
  return chosen;
}

/**
 * Says whether the record is wanted as it is.
 * @param {Selection} selection
 */
export function isWhole({ fields, omit }) {
  return fields === null && omit.size === 0;
}
