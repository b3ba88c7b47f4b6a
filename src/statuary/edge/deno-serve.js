// @ts-check
/**
 * A folder of the site behind `deno serve`:
 *
 *     deno serve --allow-read=build src/statuary/edge/deno-serve.js build
 */

import { answerRequest } from "./answer-request.js";
import { conditional, PIECE, sha1, tagOfPieces } from "./answers.js";
import { isText, negotiated } from "./compression.js";
import { headersOf } from "./file-headers.js";
import { PackMemory, SitePacks } from "./packed-read.js";
import { requestedRange } from "./ranges.js";
import { storedPath } from "./stored-path.js";

const [folder = "."] = Deno.args;

/** Files change here while this runs: whether the list of packs did is asked each time, which costs little. */
const memory = new PackMemory(0);

export default {
  /** @param {Request} request */
  async fetch(request) {
    const packs = new SitePacks(read, (url, init) => plainFile(new Request(url, init)), request.url, memory);
    const response = await answerRequest(request, { read: packs.read }) ??
      await packs.orProof(request, await plainFile(request));
    return negotiated(request, response);
  },
};

/** Bytes of a part of a file that are read at once. */
const CHUNK = 64 * 1024;

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
  const tag = await tagOfPieces(size, digests);
  if (tags.size >= TAGS) tags.clear();
  tags.set(path, { identity, tag });
  return tag;
}

/**
 * A file of the folder, opened, with its headers; null if there is none.
 * @param {string} path
 */
async function opened(path) {
  try {
    const file = await Deno.open(`${folder}/${storedPath(path)}`);
    const info = await file.stat();
    if (!info.isFile) return file.close(), null;
    const headers = headersOf(path);
    const weak = await entityTag(path, file, info);
    // what is never compressed has one form, and so a strong tag, which `If-Range` needs
    const tag = isText(headers["Content-Type"]) ? weak : weak.replace("W/", "");
    const { size } = info;
    return { file, size, tag, headers: { ...headers, "Content-Length": String(size), "ETag": tag } };
  } catch (error) {
    if (isNotThere(error)) return null;
    throw error;
  }
}

/**
 * A document of the folder.
 * @param {string} path
 */
async function read(path) {
  const found = await opened(path);
  return found && new Response(found.file.readable, { headers: found.headers });
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
    : await opened(path) ?? await opened(`${path}/index.html`) ?? await opened(`${path}.html`);
  if (!found) return notFound();
  const { file, size, tag } = found;
  const headers = { ...found.headers, "Accept-Ranges": "bytes" };
  const checked = conditional(new Response(null, { headers }), request.headers.get("If-None-Match"));
  if (checked.status === 304 || request.method === "HEAD") return file.close(), checked;
  const range = requestedRange(request.headers, tag, size);
  if (range === undefined) return new Response(file.readable, { headers });
  if (!range) return file.close(), new Response(null, { status: 416, headers: rangeHeaders(`*/${size}`) });
  const [start, end] = range;
  await file.seek(start, Deno.SeekMode.Start);
  const partial = {
    ...headers,
    ...rangeHeaders(`${start}-${end - 1}/${size}`),
    "Content-Length": String(end - start),
  };
  return new Response(bytesOf(file, end - start), { status: 206, headers: partial });
}

/** @param {string} range */
function rangeHeaders(range) {
  return { "Access-Control-Allow-Origin": "*", "Content-Range": `bytes ${range}` };
}

/**
 * So many bytes of a file, from where it is.
 * @param {Deno.FsFile} file
 * @param {number} size
 */
function bytesOf(file, size) {
  let left = size;
  return new ReadableStream({
    async pull(controller) {
      const chunk = new Uint8Array(Math.min(left, CHUNK));
      const count = left ? await file.read(chunk) : 0;
      if (!count) return file.close(), controller.close();
      left -= count;
      controller.enqueue(chunk.subarray(0, count));
    },
    cancel: () => file.close(),
  });
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
