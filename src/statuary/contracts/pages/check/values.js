// JSON, bytes and versions for the checks of a record.
//
// Bytes are text here: two lower-case hex digits each, without `0x`, which is fast to compare and slice.

import { keccak256 } from "../../../edge/keccak.js";

/** A value that cannot be read. */
export class Unreadable extends Error {
  constructor(message = "this cannot be read") {
    super(message);
  }
}

export function refuseIf(isWrong, why) {
  if (isWrong) throw new Unreadable(why);
}

/** The result of reading, or an `Unreadable` where it cannot be read. */
export function attempt(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

/** Reads JSON; a number that JavaScript would write otherwise (`1.0`, 2^60) keeps its digits where browsers can. */
export function parseJson(text) {
  return JSON.parse(text, (_key, value, context) => {
    const digits = typeof value === "number" ? context?.source : undefined;
    return digits === undefined || digits === String(value) ? value : JSON.rawJSON(digits);
  });
}

const isRaw = (value) => JSON.isRawJSON?.(value) ?? false;

export const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isRaw(value);
export const isSize = (value) => Number.isInteger(value) && value >= 0;
export const asObject = (value) => isObject(value) ? value : {};
export const asList = (value) => Array.isArray(value) ? value : [];
export const asText = (value) => typeof value === "string" ? value : "";

/** A value within a value, by keys; undefined where there is none. */
export function at(value, ...keys) {
  for (const key of keys) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** A JSON value as compact text, its keys sorted by text on request. */
export function jsonText(value, sorted = false) {
  if (Array.isArray(value)) return `[${value.map((one) => jsonText(one, sorted)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const keys = sorted ? Object.keys(value).sort() : Object.keys(value);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${jsonText(value[key], sorted)}`).join()}}`;
}

/** Returns whether two JSON values are the same, whatever the order of their keys; what is absent is null. */
export const sameJson = (one, other) => one === other || jsonText(one, true) === jsonText(other, true);

/** Returns whether an object in a JSON text has a key twice: then it has more colons than the parsed value. */
export function hasRepeatedKeys(text) {
  const colons = (json) => json.replace(/"(?:[^"\\]|\\.)*"/g, "").split(":").length;
  return colons(text) !== colons(jsonText(parseJson(text)));
}

export const utf8 = (text) => new TextEncoder().encode(text);
export const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));
export const keccakHex = (bytes) => hexOf(keccak256(bytes));
export const sizeOf = (hex) => hex.length / 2;
export const slice = (hex, start, end) => hex.slice(2 * start, end === undefined ? undefined : 2 * end);

/** The digits of `0x` and lower-case hex; undefined for anything else. */
export const strictHex = (text) => /^0x(?:[0-9a-f]{2})*$/.test(asText(text)) ? text.slice(2) : undefined;

/** The digits of `0x` and hex in any case, in lower case; undefined for anything else. */
export const anyHex = (text) => strictHex(asText(text).replace(/[A-F]/g, (digit) => digit.toLowerCase()));

/** The first place from a byte on where bytes are among others; -1 if they are not. */
export function find(hex, part, from = 0) {
  let place = hex.indexOf(part, 2 * from);
  while (place % 2 === 1) place = hex.indexOf(part, place + 1);
  return place < 0 ? -1 : place / 2;
}

/** The first byte in which two codes differ, the end of the shorter one included; -1 if they are equal. */
export function firstDifference(one, other) {
  if (one === other) return -1;
  let place = 0;
  while (one[place] !== undefined && one[place] === other[place]) place += 1;
  return place >> 1;
}

/** A compiler version as a number that grows with it, a nightly below its release; -1 if it is none. */
export function versionNumber(text) {
  const found = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:(?:b|rc)\d{1,6})?(-[^+]*)?(?:\+.*)?$/s.exec(text);
  if (!found) return -1;
  const [, major, minor, patch, prerelease] = found;
  return 2 * (1e8 * major + 1e4 * minor + Number(patch)) + (prerelease === undefined ? 1 : 0);
}

export const isSince = (version, first) => versionNumber(version) >= versionNumber(first);

/** The parts of a text before and after its last colon. */
export function splitName(text) {
  const colon = text.lastIndexOf(":");
  return [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
}
