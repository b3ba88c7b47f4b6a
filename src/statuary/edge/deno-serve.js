// @ts-check
/**
 * A folder of the site behind `deno serve`:
 *
 *     deno serve --allow-read=build src/statuary/edge/deno-serve.js build
 */

import { answerRequest } from "./answer-request.js";
import { headersOf } from "./file-headers.js";
import { storedPath } from "./stored-path.js";

const [folder = "."] = Deno.args;

export default {
  /** @param {Request} request */
  async fetch(request) {
    return await answerRequest(request, { read }) ?? await plainFile(request);
  },
};

/**
 * A file of the folder, with an entity tag from its time and size.
 * @param {string} path
 */
async function read(path) {
  try {
    const file = await Deno.open(`${folder}/${storedPath(path)}`);
    const { isFile, size, mtime } = await file.stat();
    if (!isFile) return file.close(), null;
    const headers = {
      ...headersOf(path),
      "Content-Length": String(size),
      "ETag": `"${mtime?.getTime().toString(16)}-${size.toString(16)}"`,
    };
    return new Response(file.readable, { headers });
  } catch (error) {
    if (isNotThere(error)) return null;
    throw error;
  }
}

/**
 * Whether there is no file that may be read: a name can be too long, and a link can lead out of the folder or in a circle.
 * @param {any} error
 */
function isNotThere(error) {
  const { NotFound, NotADirectory, IsADirectory, FilesystemLoop, NotCapable, PermissionDenied } = Deno.errors;
  const kinds = [NotFound, NotADirectory, IsADirectory, FilesystemLoop, NotCapable, PermissionDenied];
  return error.code === "ENAMETOOLONG" || kinds.some((kind) => kind && error instanceof kind);
}

/** @param {Request} request */
async function plainFile(request) {
  if (request.method !== "GET" && request.method !== "HEAD") return new Response(null, { status: 405 });
  const path = decodedPath(new URL(request.url).pathname);
  const found = path === null
    ? null
    : await read(path) ?? await read(`${path}/index.html`) ?? await read(`${path}.html`);
  if (!found) return notFound();
  if (request.method === "GET") return found;
  found.body?.cancel();
  return new Response(null, { headers: found.headers });
}

async function notFound() {
  const page = await read("404.html");
  return new Response(page?.body ?? "Not found\n", {
    status: 404,
    headers: page?.headers ?? headersOf("404.txt"),
  });
}

/**
 * The path below the folder, or null if it leads outside.
 * @param {string} pathname
 */
function decodedPath(pathname) {
  try {
    const path = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, "");
    return path.includes("\0") || path.split(/[/\\]/).some(isHidden) ? null : path || "index.html";
  } catch {
    return null;
  }
}

/**
 * Names that begin with a dot lead outside, or to files that are not part of the site.
 * @param {string} name
 */
function isHidden(name) {
  return name.startsWith(".") && name !== ".well-known";
}
