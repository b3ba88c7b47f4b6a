// @ts-check
/**
 * Status documents that change without a new build: the files of a document at an instant, and how long they apply.
 *
 * Every instant at which a status document changes is known when the site is built, and the documents of those later
 * epochs are written beside the present ones. `api/v2/_epochs/index.json` has the instants, and for each document the
 * numbers of those at which it changes: to a whole file, to a patch of the last whole one, or to an earlier state.
 *
 *     {"instants":["2026-12-01T10:00:00.000Z", …],
 *      "documents":{"api/v2/summary.json":{"whole":[0,7],"patched":[1,2,9],"again":{"3":1}}, …}}
 *
 * An epoch lasts until the next one begins. For a document that the index does not have, for times before the build,
 * without the index, and on plain file servers, the file at the document's own path is served. Open pages use this
 * module, too.
 */

export const INDEX = "api/v2/_epochs/index.json";

/** Seconds for which clients may keep a status document. */
const FRESHNESS = 30;

/**
 * @typedef {object} Versions
 * @property {number[]} whole
 * @property {number[]} patched
 * @property {Record<string, number>} again
 */

/**
 * @typedef {object} Epochs
 * @property {string} until the end of the last epoch
 * @property {string} buildDue when the next build is due: at that end, or when something under embargo is to be published
 * @property {number[]} instants milliseconds since 1970, in the order of time
 * @property {Map<string, Versions>} documents by path
 */

/**
 * A document: a file, or a file and the patch to apply.
 * @typedef {object} Stored
 * @property {number} changed the number of the instant that it is valid from
 * @property {string} file
 * @property {string} [patch]
 */

/**
 * Reads the index; a broken one has no epochs: a stale response is better than none.
 * @param {string} text
 * @returns {Epochs}
 */
export function parseEpochs(text) {
  try {
    const { until, next_build: nextBuild = until, instants, documents } = JSON.parse(text);
    const buildDue = Date.parse(nextBuild) < Date.parse(until) ? nextBuild : until;
    const versions = Object.entries(documents).map((
      [path, { whole, patched = [], again = {} }],
    ) => /** @type {[string, Versions]} */ ([path, {
      whole: [...whole],
      patched: [...patched],
      again: { ...again },
    }]));
    const begun = [...instants].map((at) => Date.parse(at));
    if (begun.every(Number.isFinite) && versions.every(([, one]) => isConsistent(one, begun.length))) {
      return { until: String(until), buildDue: String(buildDue), instants: begun, documents: new Map(versions) };
    }
  } catch {
    // not JSON, or another value
  }
  return { until: "", buildDue: "", instants: [], documents: new Map() };
}

/**
 * Returns whether all numbers are those of instants, and every file that is referred to is listed.
 * @param {Versions} versions
 * @param {number} count of instants
 */
function isConsistent({ whole, patched, again }, count) {
  const stored = [...whole, ...patched];
  const numbers = [...stored, ...Object.keys(again).map(Number)];
  return whole.length > 0 && Math.min(...whole) === Math.min(...stored) &&
    numbers.every((number) => Number.isInteger(number) && number >= 0 && number < count) &&
    Object.values(again).every((number) => stored.includes(number));
}

/**
 * Where a document is at an instant; null if the index does not contain it.
 * @param {Epochs} epochs
 * @param {string} path
 * @param {number} now milliseconds since 1970
 * @returns {Stored | null}
 */
export function storedAt({ instants, documents }, path, now) {
  const { whole, patched, again } = documents.get(path) ?? { whole: [], patched: [], again: {} };
  const changed = latest(
    [...whole, ...patched, ...Object.keys(again).map(Number)],
    instants.findLastIndex((at) => at <= now),
  );
  const number = again[changed] ?? changed;
  const base = latest(whole, number);
  if (base < 0) return null;
  /** @param {number} one */
  const file = (one) => `api/v2/_epochs/${new Date(instants[one]).toISOString().replace(/[-:.]/g, "")}/${path}`;
  return number === base
    ? { changed, file: file(base) }
    : { changed, file: file(base), patch: `${file(number)}.patch.json` };
}

/** @param {number[]} numbers @param {number} last */
function latest(numbers, last) {
  return Math.max(-1, ...numbers.filter((number) => number <= last));
}

/**
 * The bytes that a patch makes of a file; null if it is a patch of other bytes, as while a site is being replaced.
 * @param {Uint8Array<ArrayBuffer>} base
 * @param {Uint8Array<ArrayBuffer>} patch
 */
export async function patched(base, patch) {
  const value = parsed(patch);
  // browsers have no digests on pages that came without encryption
  if (globalThis.crypto?.subtle) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", base));
    if (value.base !== Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")) return null;
  }
  if (!Array.isArray(value.parts)) return null;
  const encoder = new TextEncoder();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const parts = value.parts.map((/** @type {string | [number, number]} */ part) =>
    typeof part === "string" ? encoder.encode(part) : base.subarray(...part)
  );
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** @param {Uint8Array<ArrayBuffer>} json */
function parsed(json) {
  try {
    return JSON.parse(new TextDecoder().decode(json)) ?? {};
  } catch {
    return {};
  }
}

/**
 * When a build was due if that has passed, so that documents may be out of date; otherwise an empty text.
 * @param {Epochs} epochs
 * @param {number} now milliseconds since 1970
 */
export function staleSince({ buildDue }, now) {
  return Date.parse(buildDue) <= now ? buildDue : "";
}

/**
 * The `Cache-Control` of a status document: it never lasts beyond the next transition.
 * @param {Epochs} epochs
 * @param {number} now milliseconds since 1970
 */
export function cacheControl({ instants }, now) {
  const next = instants.find((at) => at > now) ?? Infinity;
  return `public, max-age=${Math.min(FRESHNESS, Math.floor((next - now) / 1000))}`;
}
