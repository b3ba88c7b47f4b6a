// @ts-check
/** Which of the look-up's resources a path means. */

import { Refusal } from "./refusal.js";

/**
 * @typedef {object} Route
 * @property {"contract" | "all-chains" | "contracts" | "chains" | "none"} resource
 * @property {string} chainId
 * @property {string} address
 */

// Express matches paths in any case and with one slash more at the end; the first pattern that fits wins.
// Some clients have `/server` before everything, where sourcify.dev has its API.
/** @type {[Route["resource"], RegExp][]} */
const ROUTES = [
  ["all-chains", /^(?:\/server)?\/v2\/contract\/all-chains\/(?<address>[^/]+)\/?$/i],
  ["contract", /^(?:\/server)?\/v2\/contract\/(?<chainId>[^/]+)\/(?<address>[^/]+)\/?$/i],
  ["contracts", /^(?:\/server)?\/v2\/contracts\/(?<chainId>[^/]+)\/?$/i],
  ["chains", /^(?:\/server)?\/chains\/?$/i],
  ["none", /^(?:\/server)?\/v2(?!\/contracts-pages\/)(?:\/.*)?$/i],
];

/**
 * What a path means to the look-up, or null if it is none of the look-up's business. Every path below `v2` is, but
 * for the pages that the list is made of: they are plain files.
 * @param {string} path percent escapes unresolved
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
    throw new Refusal("malformed uri'");
  }
}
