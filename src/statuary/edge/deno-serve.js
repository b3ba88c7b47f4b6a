// @ts-check
/**
 * A folder of the site behind `deno serve`:
 *
 *     deno serve --allow-read=build src/statuary/edge/deno-serve.js build
 */

import { answerRequest } from "./answer-request.js";
import { conditional, sha1, tagOf, withoutBody } from "./answers.js";
import { negotiated } from "./compression.js";
import { headersOf } from "./file-headers.js";
import { storedPath } from "./stored-path.js";

const [folder = "."] = Deno.args;

export default {
  /** @param {Request} request */
  async fetch(request) {
    return negotiated(request, await answerRequest(request, { read }) ?? await plainFile(request));
  },
};

/** Bytes of a file that are read at once; the tag of a longer one is that of the digests of its pieces. */
const PIECE = 16 * 1024 * 1024;

/** The most entity tags that are remembered. */
const TAGS = 100_000;

/**
 * The entity tag of each file that was asked for, while the file is the same.
 * @type {Map<string, { identity: string, tag: string }>}
 */
const tags = new Map();

/**
 * The entity tag of a file: of its content, so that it is the same on every copy of the site.
 * @param {string} path
 * @param {Deno.FsFile} file
 * @param {Deno.FileInfo} info
 */
async function entityTag(path, file, { ino, mtime, size }) {
  const identity = `${ino} ${mtime?.getTime()} ${size}`;
  const remembered = tags.get(path);
  if (remembered?.identity === identity) return remembered.tag;
  const digests = [];
  for (let at = 0; at < size || at === 0; at += PIECE) {
    const piece = new Uint8Array(Math.min(PIECE, size - at));
    for (let filled = 0, read; filled < piece.length; filled += read) {
      read = await file.read(piece.subarray(filled)) ?? piece.length;
    }
    digests.push(await sha1(piece));
  }
  await file.seek(0, Deno.SeekMode.Start);
  const tag = tagOf(
    size,
    digests.length === 1 ? digests[0] : await sha1(new TextEncoder().encode(digests.join())),
  );
  if (tags.size >= TAGS) tags.clear();
  tags.set(path, { identity, tag });
  return tag;
}

/**
 * A file of the folder, with an entity tag from its content.
 * @param {string} path
 */
async function read(path) {
  try {
    const file = await Deno.open(`${folder}/${storedPath(path)}`);
    const info = await file.stat();
    if (!info.isFile) return file.close(), null;
    const headers = {
      ...headersOf(path),
      "Content-Length": String(info.size),
      "ETag": await entityTag(path, file, info),
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
  const checked = conditional(found, request.headers.get("If-None-Match"));
  return request.method === "GET" ? checked : withoutBody(checked);
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
