// @ts-check
/**
 * The list of a chain's contracts: `sort`, `limit` and `afterMatchId`, answered from prebuilt pages.
 *
 * `v2/contracts/<chainId>` is the newest 200 by matchId, newest first: what a plain host sends. The whole list is
 * in `v2/contracts-pages/<chainId>/<page>.json`, 200 to a page, filled from the oldest; `index.json` beside them:
 *
 *     {"chainId":"1","count":413,"pages":[{"page":1,"firstMatchId":"1","lastMatchId":"200","count":200},…]}
 */

import { items, joined, members } from "./members.js";
import { checkNames, checkReserved, checkSingle } from "./query.js";
import { LookupError } from "./lookup-error.js";

const PARAMETERS = ["sort", "limit", "afterMatchId"];
const LONGEST = 200;
const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$/;

/**
 * The parameters of a list request.
 * @typedef {object} Listing
 * @property {boolean} newestFirst
 * @property {number} limit
 * @property {bigint | null} after the matchId after which the list starts
 */

/** @typedef {(path: string) => Promise<Uint8Array | null>} ReadBytes */

/**
 * Reads the list's query parameters, in the order in which the measured server checks them.
 * @param {import("./query.js").Query} query
 * @param {string} text the query string it was read from
 * @returns {Listing}
 */
export function parseListing(query, text) {
  checkReserved(text, PARAMETERS);
  checkNames(query, PARAMETERS);
  const sort = checkSingle(query, "sort");
  if (!["", "asc", "desc"].includes(sort)) {
    throw new LookupError("request/query/sort must be equal to one of the allowed values: asc, desc");
  }
  const limit = parseLimit(checkSingle(query, "limit", "number"));
  const after = checkSingle(query, "afterMatchId");
  if (after && !/^[0-9]+$/.test(after)) {
    throw new LookupError('request/query/afterMatchId must match pattern "^\\d+$"');
  }
  return { newestFirst: sort !== "asc", limit, after: after ? BigInt(after) : null };
}

/** @param {string} text */
function parseLimit(text) {
  if (!text) return LONGEST;
  if (!NUMBER.test(text)) throw new LookupError("request/query/limit must be number");
  const limit = Number(text);
  if (limit < 1) throw new LookupError("request/query/limit must be >= 1");
  if (limit > LONGEST) throw new LookupError(`request/query/limit must be <= ${LONGEST}`);
  return Math.trunc(limit);
}

/**
 * Returns whether the request is for the document at `v2/contracts/<chainId>`.
 * @param {Listing} listing
 */
export function isNewest({ newestFirst, limit, after }) {
  return newestFirst && limit === LONGEST && after === null;
}

/**
 * The body of the list; its items are copied from the pages.
 * @param {string} chainId
 * @param {Listing} listing
 * @param {ReadBytes} read
 */
export async function contractsList(chainId, listing, read) {
  /** @type {Uint8Array[]} */
  const results = [];
  for (const page of await pages(chainId, listing, read)) {
    if (results.length >= listing.limit) break;
    const body = await read(`v2/contracts-pages/${chainId}/${page}.json`);
    if (body) results.push(...pageResults(body, listing));
  }
  return listBody(results.slice(0, listing.limit));
}

/**
 * The numbers of the pages that can hold results, in the listing's direction.
 * @param {string} chainId
 * @param {Listing} listing
 * @param {ReadBytes} read
 * @returns {Promise<number[]>}
 */
async function pages(chainId, listing, read) {
  const text = await read(`v2/contracts-pages/${chainId}/index.json`);
  const index = text ? JSON.parse(new TextDecoder().decode(text)) : { pages: [] };
  const farthest = listing.newestFirst ? "firstMatchId" : "lastMatchId";
  const found = index.pages.filter((/** @type {any} */ page) => isBeyond(BigInt(page[farthest]), listing));
  const numbers = found.map((/** @type {any} */ page) => page.page);
  return listing.newestFirst ? numbers.reverse() : numbers;
}

/**
 * The results of one page that come after where the listing begins, in its direction.
 * @param {Uint8Array} body
 * @param {Listing} listing
 */
function pageResults(body, listing) {
  const results = items(members(body).get("results") ?? new Uint8Array());
  const found = results.filter((result) => isBeyond(matchId(result), listing));
  return listing.newestFirst ? found : found.reverse();
}

/** @param {Uint8Array} result */
function matchId(result) {
  return BigInt(JSON.parse(new TextDecoder().decode(members(result).get("matchId"))));
}

/** @param {bigint} matchId @param {Listing} listing */
function isBeyond(matchId, { after, newestFirst }) {
  return after === null || (newestFirst ? matchId < after : matchId > after);
}

/** @param {Uint8Array[]} results */
function listBody(results) {
  const encoder = new TextEncoder();
  const comma = encoder.encode(",");
  const separated = results.flatMap((result, at) => at ? [comma, result] : [result]);
  return joined([encoder.encode('{"results":['), ...separated, encoder.encode("]}")]);
}
