// @ts-check
/**
 * Blockscout's API, Sourcify's API v1 and 4byte.directory, where no file answers: contracts that are missing, the state
 * of several addresses, the signatures with a hash.
 *
 * A parameter counts as it is first written, and of percent escapes only the comma's is read.
 */

import { documentAnswer, jsonAnswer, noSuchRoute, preflight } from "./answers.js";

/** @typedef {(path: string) => Promise<Response | null>} Read */

const CHECK = /^\/check-?(?<all>all-?)?by-?addresses\/?$/i;
const FILES = /^\/(?<path>files(?:\/any)?\/[^/]+\/[^/]+)$/;
const CONTRACT = /^\/(?<path>blockscout\/[^/]+\/api\/v2\/smart-contracts\/[^/]+)$/;
const DIRECTORY = /^\/api\/v1\/(?<event>event-)?signatures\/?$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const CHAIN = /^[0-9]{1,20}$/;
const HASH = /^0x[0-9a-fA-F]+$/;
const COMMA = /,|%2C/i;
const MOST = 10;

/**
 * Responds to a request; null if it is about something else, or a file answers it.
 * @param {string} method
 * @param {URL} url
 * @param {Read} read
 */
export async function answerV1(method, { pathname, search }, read) {
  const response = await answerRead(pathname, search.slice(1), read);
  if (!response) return null;
  if (method === "OPTIONS") return preflight();
  return method === "GET" || method === "HEAD" ? response : noSuchRoute(method, pathname);
}

/** @param {string} pathname @param {string} query @param {Read} read */
async function answerRead(pathname, query, read) {
  const check = CHECK.exec(pathname);
  if (check) return checked(query, Boolean(check.groups?.all), read);
  const directory = DIRECTORY.exec(pathname);
  if (directory) {
    return listed(parameter(query, "hex_signature"), directory.groups?.event ? "event" : "function", read);
  }
  for (const [route, name] of /** @type {[RegExp, string][]} */ ([[FILES, "files"], [CONTRACT, "contract"]])) {
    const path = route.exec(pathname)?.groups?.path;
    if (path && !await exists(path, read)) return stored(name, 404, read);
  }
  return null;
}

/** @param {string} query @param {string} name */
function parameter(query, name) {
  return new RegExp(`(?:^|&)${name}=([^&]*)`).exec(query)?.[1] ?? "";
}

/** @param {string} path @param {Read} read */
async function exists(path, read) {
  const document = await read(path);
  document?.body?.cancel();
  return document !== null;
}

/** @param {string} name @param {number} status @param {Read} read */
async function stored(name, status, read) {
  const document = await read(`blockscout/answers/${name}`);
  return document && documentAnswer(document, { status });
}

/** @param {string} query @param {boolean} withPartial @param {Read} read */
async function checked(query, withPartial, read) {
  const invalid = await stored("addresses", 400, read);
  if (!invalid) return null;
  const addresses = parameter(query, "addresses").split(COMMA);
  const chains = parameter(query, "chainIds").split(COMMA);
  if (!addresses.every((one) => ADDRESS.test(one)) || !chains.every((one) => CHAIN.test(one))) return invalid;
  invalid.body?.cancel();
  const rows = [];
  for (const address of new Set(addresses.slice(0, MOST))) {
    /** @type {[string, string][]} */
    const matches = [];
    for (const chain of new Set(chains.slice(0, MOST))) matches.push([chain, await match(chain, address, read)]);
    rows.push(row(address, matches, withPartial));
  }
  return jsonAnswer(rows, 200);
}

/** @param {string} chain @param {string} address @param {Read} read */
async function match(chain, address, read) {
  if (await exists(`files/${chain}/${address}`, read)) return "perfect";
  return await exists(`files/any/${chain}/${address}`, read) ? "partial" : "";
}

/** @param {string} address @param {[string, string][]} matches @param {boolean} withPartial */
function row(address, matches, withPartial) {
  const found = matches.filter(([, status]) => withPartial ? status : status === "perfect");
  if (!found.length) return { address, status: "false" };
  return withPartial
    ? { address, chainIds: found.map(([chainId, status]) => ({ chainId, status })) }
    : { address, status: "perfect", chainIds: found.map(([chain]) => chain) };
}

/**
 * The signatures with a hash as 4byte.directory lists them: the one that is meant has the lowest id.
 * @param {string} asked
 * @param {"function" | "event"} kind
 * @param {Read} read
 */
async function listed(asked, kind, read) {
  const stats = await read("signature-database/v1/stats");
  if (!stats) return null;
  const created = (await stats.json()).result.metadata.refreshed_at;
  const key = HASH.test(asked) && asked.length === { function: 10, event: 66 }[kind] ? asked.toLowerCase() : "";
  const shard = key ? await read(`signature-database/shards/${kind}/${key.slice(2, 4)}.json`) : null;
  /** @type {Record<string, { name: string }[]>} */
  const items = shard ? await shard.json() : {};
  const found = Object.hasOwn(items, key) ? items[key] : [];
  const results = found.map(({ name }, number) => ({
    id: number + 1,
    created_at: created,
    text_signature: name,
    hex_signature: key,
    bytes_signature: String.fromCharCode(...key.slice(2).match(/../g)?.map((byte) => parseInt(byte, 16)) ?? []),
  }));
  return jsonAnswer({ count: results.length, next: null, previous: null, results }, 200);
}
