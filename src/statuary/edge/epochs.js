// @ts-check
/**
 * Status documents that change without a new build: which file is served at an instant, and for how long.
 *
 * Every instant at which a status document changes is known when the site is built, and the documents of those
 * later epochs are written beside the present ones. `api/v2/_epochs/index.json` lists them:
 *
 *     {"epochs":[{"from":"2026-12-01T10:00:00.000Z",
 *                 "documents":{"api/v2/summary.json":"api/v2/_epochs/<key>/summary.json", …}}, …]}
 *
 * An epoch lasts until the next one begins. For a document that an epoch does not list, for times before the first
 * epoch, without this index, and on plain file servers, the file at the document's own path is served.
 */

export const INDEX = "api/v2/_epochs/index.json";

/** Seconds for which clients may keep a status document. */
const FRESHNESS = 30;

/**
 * @typedef {object} Epoch
 * @property {number} from milliseconds since 1970
 * @property {Record<string, string>} documents the file of each document, by the document's path
 */

/**
 * Reads the index and skips entries that are not epochs: a stale answer is better than none.
 * @param {string} text
 * @returns {Epoch[]} in the order of time
 */
export function parseEpochs(text) {
  const epochs = epochsOf(text).map((epoch) => ({
    from: Date.parse(epoch?.from),
    documents: epoch?.documents ?? {},
  }));
  return epochs.filter(({ from }) => !Number.isNaN(from)).sort((one, other) => one.from - other.from);
}

/** @param {string} text @returns {any[]} */
function epochsOf(text) {
  try {
    const { epochs } = JSON.parse(text);
    return Array.isArray(epochs) ? epochs : [];
  } catch {
    return [];
  }
}

/**
 * The file of a document at an instant.
 * @param {Epoch[]} epochs
 * @param {string} path
 * @param {number} now milliseconds since 1970
 */
export function documentAt(epochs, path, now) {
  const documents = epochs.findLast(({ from }) => from <= now)?.documents ?? {};
  return Object.hasOwn(documents, path) ? documents[path] : path;
}

/**
 * The end of the last epoch if it has passed, so that documents may be out of date; otherwise an empty text.
 * @param {string} text the index
 * @param {number} now milliseconds since 1970
 */
export function staleSince(text, now) {
  try {
    const { until } = JSON.parse(text);
    return Date.parse(until) <= now ? String(until) : "";
  } catch {
    return "";
  }
}

/**
 * Says whether a document changes at some instant.
 * @param {Epoch[]} epochs
 * @param {string} path
 */
export function isTimed(epochs, path) {
  return epochs.some(({ documents }) => Object.hasOwn(documents, path));
}

/**
 * The `Cache-Control` of a status document: it never lasts beyond the next transition.
 * @param {Epoch[]} epochs
 * @param {number} now milliseconds since 1970
 */
export function cacheControl(epochs, now) {
  const next = epochs.find(({ from }) => from > now)?.from ?? Infinity;
  return `public, max-age=${Math.min(FRESHNESS, Math.floor((next - now) / 1000))}`;
}
