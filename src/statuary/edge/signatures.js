// @ts-check
/** Look-up and search of signatures, as Sourcify's 4byte service and 4byte.directory answer them, from prebuilt shards. */

import { entityTag, jsonAnswer, listAnswer, noSuchRoute, preflight } from "./answers.js";
import { keccak256 } from "./keccak.js";
import { parameter, parseQuery } from "./query.js";

const ROUTE = /^\/signature-database\/v1\/(lookup|search)\/?$/i;
const DIRECTORY = /^\/api\/v1\/(?<event>event-)?signatures\/?$/;
const HEX = /^0x[0-9a-fA-F]+$/;
const HASH = /^0x(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{64})$/;
const PATTERN = /^[a-zA-Z0-9$_()[\],*?]+$/;
const STATS = "signature-database/v1/stats";
const LENGTHS = { function: 10, event: 66 };
const MOST_HITS = 100;
const encoder = new TextEncoder();

/**
 * A signature as it is sent.
 * @typedef {{ name: string, filtered: boolean, hasVerifiedContract: boolean }} Item
 */

/** @typedef {(path: string) => Promise<Response | null>} Read */

/** @typedef {Map<string, Item[] | null>} Found signatures by hash */

/**
 * Responds to a request; null if it is about something else, or the site has no signatures.
 * @param {string} method
 * @param {URL} url
 * @param {Read} read
 */
export async function answerSignatures(method, { pathname, search }, read) {
  const route = ROUTE.exec(pathname)?.[1].toLowerCase();
  const directory = DIRECTORY.exec(pathname);
  const stats = route || directory ? await read(STATS) : null;
  if (!stats) return null;
  if (method === "OPTIONS") return preflight();
  if (method !== "GET" && method !== "HEAD") return noSuchRoute(method, pathname);
  if (directory) {
    const asked = parameter(search.slice(1), "hex_signature");
    return listed(asked, directory.groups?.event ? "event" : "function", stats, read);
  }
  stats.body?.cancel();
  const query = parseQuery(search.slice(1));
  if (repeats(query)) return failure(`Unexpected failure during signature ${route}`);
  return route === "lookup" ? lookUp(query, read) : find(query, read);
}

/** @param {import("./query.js").Query} query */
function repeats(query) {
  return ["function", "event", "filter", "query"].some((name) => query.get(name) === null);
}

/**
 * The signatures with a hash as 4byte.directory lists them: the canonical one has the lowest id.
 * @param {string} asked
 * @param {"function" | "event"} kind
 * @param {Response} stats
 * @param {Read} read
 */
async function listed(asked, kind, stats, read) {
  const created = (await stats.json()).result.metadata.refreshed_at;
  const key = HEX.test(asked) && asked.length === LENGTHS[kind] ? asked.toLowerCase() : "";
  const items = key ? (await itemsOf(kind, [key], read)).get(key) : null;
  const results = (items ?? []).map(({ name }, number) => ({
    id: number + 1,
    created_at: created,
    text_signature: name,
    hex_signature: key,
    bytes_signature: String.fromCharCode(...key.slice(2).match(/../g)?.map((byte) => parseInt(byte, 16)) ?? []),
  }));
  return jsonAnswer({ count: results.length, next: null, previous: null, results }, 200);
}

/** @param {string} error */
function failure(error) {
  return jsonAnswer({ ok: false, error }, 500);
}

/** @param {import("./query.js").Query} query @param {Read} read */
async function lookUp(query, read) {
  const asked = { function: hashes(query.get("function")), event: hashes(query.get("event")) };
  const wrong = [...asked.function, ...asked.event].find((hash) => !HASH.test(hash));
  if (wrong !== undefined) {
    return failure(
      `Invalid hash '${wrong}'. Hash must be 0x-prefixed and either be a 4 byte or 32 byte hex string.`,
    );
  }
  const functions = await itemsOf("function", asked.function, read);
  const events = await itemsOf("event", asked.event, read);
  return answer(filtered(functions, query), new Map([...events].map(([hash, items]) => [hash, items ?? []])));
}

/** @param {string | null | undefined} list */
function hashes(list) {
  return list ? list.split(",") : [];
}

/**
 * The signatures with each hash; null where there are none. Each shard is read once.
 * @param {"function" | "event"} kind
 * @param {string[]} asked
 * @param {Read} read
 * @returns {Promise<Found>}
 */
async function itemsOf(kind, asked, read) {
  const searched = asked.filter((hash) => hash.length === LENGTHS[kind]);
  const names = [...new Set(searched.map((hash) => hash.slice(2, 4).toLowerCase()))];
  const shards = new Map(
    await Promise.all(names.map(async (name) => {
      const document = await read(`signature-database/shards/${kind}/${name}.json`);
      return /** @type {[string, Record<string, Item[]>]} */ ([name, document ? await document.json() : {}]);
    })),
  );
  return new Map(asked.map((hash) => {
    const shard = hash.length === LENGTHS[kind] ? shards.get(hash.slice(2, 4).toLowerCase()) : undefined;
    return [hash, shard?.[hash.toLowerCase()] ?? null];
  }));
}

/**
 * Functions without those that are filtered, unless `filter` is another text than `true`.
 * @param {Found} functions
 * @param {import("./query.js").Query} query
 * @returns {Found}
 */
function filtered(functions, query) {
  if ((query.get("filter") || "true") !== "true") return functions;
  return new Map([...functions].map(([hash, items]) => [hash, items && items.filter((item) => !item.filtered)]));
}

/** @param {Found} functions @param {Found} events */
async function answer(functions, events) {
  const result = { function: Object.fromEntries(functions), event: Object.fromEntries(events) };
  const body = encoder.encode(JSON.stringify({ ok: true, result }));
  return listAnswer(body, await entityTag(body));
}

/** @param {import("./query.js").Query} query @param {Read} read */
async function find(query, read) {
  const pattern = query.get("query") ?? "";
  if (!PATTERN.test(pattern)) {
    return failure(
      `Invalid search pattern '${pattern}'. Query must be a valid function signature name but may include '*' and '?' wildcards.`,
    );
  }
  const document = await read("signature-database/files/names.txt");
  const names = document ? (await document.text()).split("\n") : [];
  const hits = [];
  for (const name of names) {
    if (name && matches(name, pattern) && hits.push(name) === MOST_HITS) break;
  }
  const hashed = hits.map((name) => ({ name, hash: hashOf(name) }));
  const selectors = [...new Set(hashed.map(({ hash }) => hash.slice(0, 10)))];
  const functions = onlyNamed(await itemsOf("function", selectors, read), hits);
  const events = onlyNamed(await itemsOf("event", hashed.map(({ hash }) => hash), read), hits);
  return answer(filtered(functions, query), events);
}

/** @param {Found} found @param {string[]} names @returns {Found} */
function onlyNamed(found, names) {
  return new Map(
    [...found].map(([hash, items]) => [hash, (items ?? []).filter(({ name }) => names.includes(name))]),
  );
}

/** @param {string} name */
function hashOf(name) {
  return `0x${Array.from(keccak256(encoder.encode(name)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * Whether a name matches a pattern in which `*` is any text and `?` one character. It takes at most the product of
 * the lengths, whatever the pattern is.
 * @param {string} name
 * @param {string} pattern
 */
export function matches(name, pattern) {
  let [at, next, star, from] = [0, 0, -1, 0];
  while (at < name.length) {
    if (pattern[next] === "*") {
      [star, from] = [next++, at];
    } else if (next < pattern.length && (pattern[next] === "?" || pattern[next] === name[at])) {
      [at, next] = [at + 1, next + 1];
    } else if (star >= 0) {
      [at, next] = [++from, star + 1];
    } else {
      return false;
    }
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}
