// @ts-check
/** The route of the look-up for a path. */

import { LookupError } from "./lookup-error.js";
import { parseQuery } from "./query.js";

/**
 * @typedef {object} Route
 * @property {"contract" | "all-chains" | "contracts" | "chains" | "health" | "version" | "none"} resource
 * @property {string} chainId
 * @property {string} address
 */

// Express matches paths in any case and with an extra slash at the end; the first matching pattern wins.
// Some clients prefix all paths with `/server`, where sourcify.dev has its API.
/** @type {[Route["resource"], RegExp][]} */
const ROUTES = [
  ["all-chains", /^(?:\/server)?\/v2\/contract\/all-chains\/(?<address>[^/]+)\/?$/i],
  ["contract", /^(?:\/server)?\/v2\/contract\/(?<chainId>[^/]+)\/(?<address>[^/]+)\/?$/i],
  ["contracts", /^(?:\/server)?\/v2\/contracts\/(?<chainId>[^/]+)\/?$/i],
  ["chains", /^(?:\/server)?\/chains\/?$/i],
  ["health", /^(?:\/server)?\/health\/?$/i],
  ["version", /^(?:\/server)?\/version\/?$/i],
  ["none", /^(?:\/server)?\/v2(?!\/.*\.json$)(?:\/.*)?$/i],
];

/**
 * The route of a path, or null for a path outside the look-up. Every path below `v2` has a route, except files: their
 * names end in `.json`, which no path of the look-up does.
 * @param {string} path still percent-encoded
 * @returns {Route | null}
 */
export function findRoute(path) {
  for (const [resource, pattern] of ROUTES) {
    const found = pattern.exec(path);
    if (found) {
      const { chainId = "", address = "" } = found.groups ?? {};
      return { resource, chainId: decoded(chainId), address: decoded(address) };
    }
  }
  return null;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new LookupError("malformed uri'");
  }
}

/**
 * Whether a request is a call of a block explorer's API (`/api?module=…`), at the path of the API page: it names a
 * module, or sends a form.
 * @param {string} method
 * @param {URL} url
 */
export function isExplorerCall(method, { pathname, search }) {
  if (!/^\/api\/?$/i.test(pathname) || method === "OPTIONS") return false;
  return !["GET", "HEAD"].includes(method) || parseQuery(search.slice(1)).has("module");
}
