// @ts-check
/** Blockscout's answer about a contract that is not verified, where no file answers. */

import { documentAnswer, noSuchRoute, preflight } from "./answers.js";

/** @typedef {(path: string) => Promise<Response | null>} Read */

const CONTRACT = /^\/(?<path>blockscout\/[^/]+\/api\/v2\/smart-contracts\/[^/]+)$/;

/**
 * Responds to a request; null if it is about something else, a file answers it, or the site has no such interface.
 * @param {string} method
 * @param {URL} url
 * @param {Read} read
 */
export async function answerMissingContract(method, { pathname }, read) {
  const path = CONTRACT.exec(pathname)?.groups?.path;
  const contract = path ? await read(path) : null;
  contract?.body?.cancel();
  const document = path && !contract ? await read("blockscout/answers/contract") : null;
  if (!document) return null;
  if (method === "OPTIONS") return preflight();
  if (method !== "GET" && method !== "HEAD") return noSuchRoute(method, pathname);
  return documentAnswer(document, { status: 404 });
}
