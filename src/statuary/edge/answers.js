// @ts-check
/** Responses: statuses, headers and bodies. */

export const JSON_TYPE = "application/json; charset=utf-8";
export const HTML_TYPE = "text/html; charset=utf-8";
const REVALIDATE = "public, max-age=0, must-revalidate";
const TRANSFER_HEADERS = ["Content-Length", "Content-Encoding", "Transfer-Encoding", "Accept-Ranges", "Age"];

const ESCAPES = new Map([["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"], ['"', "&quot;"], ["'", "&#39;"]]);

/**
 * A response that any origin may read, as on the real server.
 * @param {BodyInit | null} body
 * @param {number} status
 * @param {Record<string, string>} headers
 */
function answer(body, status, headers) {
  return new Response(body, { status, headers: { "Access-Control-Allow-Origin": "*", ...headers } });
}

/**
 * @param {unknown} value
 * @param {number} status
 */
export function jsonAnswer(value, status) {
  return answer(JSON.stringify(value), status, { "Content-Type": JSON_TYPE });
}

/**
 * Sourcify's error body.
 * @param {import("./lookup-error.js").LookupError} error
 * @param {string} errorId
 */
export function errorAnswer(error, errorId) {
  return jsonAnswer({ customCode: error.customCode, message: error.message, errorId }, error.status);
}

/**
 * The HTML page that Express sends where no route matches.
 * @param {string} method
 * @param {string} path
 */
export function noSuchRoute(method, path) {
  const message = `Cannot ${method} ${path}`.replace(/[&<>"']/g, (character) => ESCAPES.get(character) ?? "");
  const page =
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n' +
    `<body>\n<pre>${message}</pre>\n</body>\n</html>\n`;
  return answer(page, 404, {
    "Content-Type": HTML_TYPE,
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
  });
}

/** The response to a browser's preflight request. */
export function preflight() {
  return answer(null, 204, {
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "*",
  });
}

/**
 * A document of the site, unchanged or cut, with the host's headers for it except those of the transfer from the
 * host to here.
 * @param {Response} document
 * @param {object} [change]
 * @param {ReadableStream<Uint8Array> | null} [change.body]
 * @param {string} [change.variant] identifies the change in the entity tag
 * @param {string} [change.contentType]
 * @param {string} [change.cacheControl]
 * @param {number} [change.status]
 */
export function documentAnswer(
  document,
  { body = document.body, variant = "", contentType = JSON_TYPE, cacheControl, status = 200 } = {},
) {
  const headers = new Headers(document.headers);
  for (const name of TRANSFER_HEADERS) headers.delete(name);
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Content-Type", contentType);
  headers.set("Cache-Control", cacheControl ?? headers.get("Cache-Control") ?? REVALIDATE);
  const tag = headers.get("ETag");
  if (tag && variant) headers.set("ETag", variantTag(tag, variant));
  return new Response(body, { status, headers });
}

/**
 * A list that is assembled here.
 * @param {Uint8Array<ArrayBuffer>} body
 * @param {string} tag
 */
export function listAnswer(body, tag) {
  return answer(body, 200, { "Content-Type": JSON_TYPE, "Cache-Control": REVALIDATE, ETag: tag });
}

/**
 * The entity tag of a cut of a tagged document. Many clients read a comma as the end of a tag.
 * @param {string} tag
 * @param {string} variant
 */
function variantTag(tag, variant) {
  const opaque = tag.replace(/^W\//, "").slice(1, -1);
  return `W/"${opaque};${variant.replaceAll(",", "+")}"`;
}

/** Bytes that are digested at once; the tag of a longer body is that of the digests of its pieces. */
export const PIECE = 16 * 1024 * 1024;

/**
 * The weak tag that Express makes: the length in hex, and 27 characters of base64 of the SHA-1.
 * @param {Uint8Array<ArrayBuffer>} body
 */
export async function entityTag(body) {
  const digests = [];
  for (let at = 0; at < body.length || at === 0; at += PIECE) {
    digests.push(await sha1(body.subarray(at, at + PIECE)));
  }
  return tagOfPieces(body.length, digests);
}

/**
 * @param {number} length of a body
 * @param {string[]} digests the SHA-1 of each of its pieces in base64
 */
export async function tagOfPieces(length, digests) {
  return tagOf(length, digests.length === 1 ? digests[0] : await sha1(new TextEncoder().encode(digests.join())));
}

/**
 * The SHA-1 of a body in base64.
 * @param {Uint8Array<ArrayBuffer>} body
 */
export async function sha1(body) {
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-1", body))));
}

/**
 * @param {number} length of a body
 * @param {string} digest its SHA-1 in base64
 */
function tagOf(length, digest) {
  return `W/"${length.toString(16)}-${digest.slice(0, 27)}"`;
}

/**
 * `304 Not Modified` instead of a response that the client already has. Tags are compared weakly
 * (RFC 9110, 13.1.2): `W/` makes no difference.
 * @param {Response} response
 * @param {string | null} ifNoneMatch
 */
export function conditional(response, ifNoneMatch) {
  const tag = response.headers.get("ETag");
  if (response.status !== 200 || !tag || !ifNoneMatch || !names(ifNoneMatch, tag)) return response;
  response.body?.cancel();
  const cache = response.headers.get("Cache-Control");
  return answer(null, 304, { ETag: tag, ...cache && { "Cache-Control": cache } });
}

/** @param {string} ifNoneMatch @param {string} tag */
function names(ifNoneMatch, tag) {
  const named = ifNoneMatch.split(",").map((part) => part.trim().replace(/^W\//, ""));
  return named.includes("*") || named.includes(tag.replace(/^W\//, ""));
}

/**
 * The response to HEAD.
 * @param {Response} response
 */
export function withoutBody(response) {
  response.body?.cancel();
  return new Response(null, { status: response.status, headers: response.headers });
}
