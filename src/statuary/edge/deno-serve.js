// @ts-check
/**
 * A folder of the site behind `deno serve`:
 *
 *     deno serve --allow-read=build src/statuary/edge/deno-serve.js build
 */

import { answerRequest } from "./answer-request.js";

const [folder = "."] = Deno.args;

/** @type {Record<string, string>} */
const MEDIA_TYPES = {
  atom: "application/atom+xml; charset=utf-8",
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  ics: "text/calendar; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
  rss: "application/rss+xml; charset=utf-8",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  xml: "application/xml; charset=utf-8",
};
const JSON_TYPE = "application/json; charset=utf-8";

export default {
  /** @param {Request} request */
  async fetch(request) {
    return await answerRequest(request, { read }) ?? await plainFile(request);
  },
};

/**
 * A file of the folder, with an entity tag of its time and size.
 * @param {string} path
 */
async function read(path) {
  try {
    const file = await Deno.open(`${folder}/${path}`);
    const { isFile, size, mtime } = await file.stat();
    if (!isFile) return file.close(), null;
    const headers = {
      "Content-Type": mediaType(path),
      "Content-Length": String(size),
      "ETag": `"${mtime?.getTime().toString(16)}-${size.toString(16)}"`,
    };
    return new Response(file.readable, { headers });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return null;
    throw error;
  }
}

/** @param {string} path */
function mediaType(path) {
  const [, extension = "json"] = /\.([a-z0-9]+)$/.exec(path) ?? [];
  return MEDIA_TYPES[extension] ?? JSON_TYPE;
}

/** @param {Request} request */
async function plainFile(request) {
  if (request.method !== "GET" && request.method !== "HEAD") return new Response(null, { status: 405 });
  const path = decodedPath(new URL(request.url).pathname);
  const found = path === null ? null : await read(path) ?? await read(`${path}/index.html`);
  if (!found) return new Response("Not found\n", { status: 404 });
  if (request.method === "GET") return found;
  found.body?.cancel();
  return new Response(null, { headers: found.headers });
}

/**
 * The path below the folder, or null if it would lead out of it.
 * @param {string} pathname
 */
function decodedPath(pathname) {
  try {
    const path = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, "");
    return path.includes("\0") || path.split(/[/\\]/).includes("..") ? null : path || "index.html";
  } catch {
    return null;
  }
}
