// @ts-check
/** The query string, read like Express and checked like its OpenAPI validator. */

import { LookupError } from "./lookup-error.js";

/** @typedef {Map<string, string | null>} Query parameters in order; null for a repeated parameter, array or object */

const BRACKETS = /\[[^[\]]*\]/;
const RESERVED = /[:/?#[\]@!$&'()*+,;=]/;

/**
 * Reads a query string, without its `?`.
 * @param {string} text
 * @returns {Query}
 */
export function parseQuery(text) {
  const query = new Map();
  for (const pair of text.split("&")) {
    const [rawName, rawValue] = halves(pair);
    const name = decoded(rawName);
    const brackets = name.search(BRACKETS);
    if (brackets > 0) query.set(name.slice(0, brackets), null);
    else if (name) query.set(name, query.has(name) ? null : decoded(rawValue));
  }
  return query;
}

/**
 * A parameter as it is first written; empty if there is none.
 * @param {string} query
 * @param {string} name
 */
export function parameter(query, name) {
  return new RegExp(`(?:^|&)${name}=([^&]*)`).exec(query)?.[1] ?? "";
}

/** @param {string} pair */
function halves(pair) {
  const equals = pair.indexOf("=");
  return equals === -1 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
}

/** @param {string} text */
function decoded(text) {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/**
 * Rejects the first parameter that is unknown or empty.
 * @param {Query} query
 * @param {string[]} known
 */
export function checkNames(query, known) {
  for (const [name, value] of query) {
    if (!known.includes(name)) throw new LookupError(`Unknown query parameter '${name}'`);
    if (value === "") throw new LookupError(`Empty value found for query parameter '${name}'`);
  }
}

/**
 * The text of a parameter, empty if it is absent; rejects a repeated parameter, an array or an object.
 * @param {Query} query
 * @param {string} name
 * @param {string} [kind]
 */
export function checkSingle(query, name, kind = "string") {
  const value = query.get(name);
  if (value === null) throw new LookupError(`request/query/${name} must be ${kind}`);
  return value ?? "";
}

/**
 * Rejects reserved characters that are not percent-encoded, in the order of `names`.
 * @param {string} text
 * @param {string[]} names
 */
export function checkReserved(text, names) {
  const pairs = text.split("&").map((pair) => pair.split("="));
  for (const name of names) {
    if (pairs.some(([key, value]) => key === name && RESERVED.test(value ?? ""))) {
      throw new LookupError(
        `Parameter '${name}' must be url encoded. It's value may not contain reserved characters.`,
      );
    }
  }
}
