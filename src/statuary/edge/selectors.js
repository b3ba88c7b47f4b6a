// @ts-check
/** Parses `fields` and `omit` into a selection, with the measured messages. */

import { isField, PROXY } from "./fields.js";
import { LookupError } from "./lookup-error.js";

/** Among the selected sub-members: "then all others". */
export const REST = "";

/**
 * The selected parts of a record. Each map goes from a member's name to its sub-members; an empty list means
 * the whole member.
 * @typedef {object} Selection
 * @property {Map<string, string[]> | null} fields the members to send, in order; null for all
 * @property {Map<string, string[]>} omit the members to leave out
 */

/** @type {Selection} */
export const EVERYTHING = { fields: null, omit: new Map() };

/**
 * Reads the two query parameters; an empty text means that it is absent.
 * @param {string} fields
 * @param {string} omit
 * @returns {Selection}
 */
export function parseSelection(fields, omit) {
  if (fields && omit) throw new LookupError("Cannot specify both fields and omit");
  const asked = fields ? fields.split(",") : [];
  if (asked.includes("all")) {
    if (asked.length > 1) throw new LookupError("Cannot specify 'all' with other fields");
    return EVERYTHING;
  }
  const leftOut = omit ? omit.split(",") : [];
  for (const selector of [...asked, ...leftOut]) checkSelector(selector);
  return { fields: fields ? inRequestOrder(asked) : null, omit: leftOutByMember(leftOut) };
}

/** @param {string} selector */
function checkSelector(selector) {
  if (selector.split(".").length > 2) {
    throw new LookupError(`Field selector cannot have more than one level subselectors: ${selector}`);
  }
  if (!isField(selector)) throw new LookupError(`Field selector ${selector} is not a valid field`);
}

/**
 * Gathers selectors by member: `compilation.name,compilation` is the name, then the rest. The whole of
 * `proxyResolution` replaces its parts, which are not in it.
 * @param {string[]} selectors
 */
function inRequestOrder(selectors) {
  /** @type {Map<string, string[]>} */
  const chosen = new Map();
  for (const selector of selectors) {
    const [member, inner = REST] = selector.split(".");
    const asked = chosen.get(member);
    if (asked === undefined || selector === PROXY) chosen.set(member, inner ? [inner] : []);
    else if (asked.length && !asked.includes(inner) && !asked.includes(REST)) asked.push(inner);
  }
  return chosen;
}

/**
 * Gathers selectors by member; the whole member takes precedence over a part of it.
 * @param {string[]} selectors
 */
function leftOutByMember(selectors) {
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
 * Says whether the whole record is selected.
 * @param {Selection} selection
 */
export function isWhole({ fields, omit }) {
  return fields === null && omit.size === 0;
}
