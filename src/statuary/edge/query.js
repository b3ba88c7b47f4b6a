// @ts-check
/** The query string, read as Express reads it and refused as its OpenAPI check refuses it. */

import { Refusal } from "./refusal.js";

/** @typedef {Map<string, string | null>} Query parameters in their order; null is one that is no single text */

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
 * Refuses the first parameter that is not known, or is empty.
 * @param {Query} query
 * @param {string[]} known
 */
export function checkNames(query, known) {
  for (const [name, value] of query) {
    if (!known.includes(name)) throw new Refusal(`Unknown query parameter '${name}'`);
    if (value === "") throw new Refusal(`Empty value found for query parameter '${name}'`);
  }
}

/**
 * A parameter's text, empty if it was not given; refuses one that was given twice, as an array or an object.
 * @param {Query} query
 * @param {string} name
 * @param {string} [kind]
 */
export function checkSingle(query, name, kind = "string") {
  const value = query.get(name);
  if (value === null) throw new Refusal(`request/query/${name} must be ${kind}`);
  return value ?? "";
}

/**
 * Refuses reserved characters that are not percent-encoded, in the order of `names`.
 * @param {string} text
 * @param {string[]} names
 */
export function checkReserved(text, names) {
  const pairs = text.split("&").map((pair) => pair.split("="));
  for (const name of names) {
    if (pairs.some(([key, value]) => key === name && RESERVED.test(value ?? ""))) {
      throw new Refusal(
        `Parameter '${name}' must be url encoded. It's value may not contain reserved characters.`,
      );
    }
  }
}
