// @ts-check
/**
 * Cloudflare Worker with static assets (binding `ASSETS`), and the same as a Pages project: `_worker.js` takes the
 * default export, `functions/[[path]].js` takes `onRequest`. A Worker must run before the assets
 * (`run_worker_first`) for the paths that it answers.
 */

import { answerRequest } from "./answer-request.js";
import { PackMemory, SitePacks } from "./packed-read.js";
import { storedPath } from "./stored-path.js";

/** @typedef {{ ASSETS: { fetch(request: Request): Promise<Response> } }} Environment */

const memory = new PackMemory();

/** Seconds for which a pack stays in the cache; its name is the digest of its content. */
const CACHED = "public, max-age=86400";

/** Whether the cache keeps what is put into it: it does not on every domain. */
let hasCache = true;

/**
 * A part of a pack. Assets come whole, whatever range is asked for; so a pack is put into the cache of the data centre, which
 * has parts of it.
 * @param {Environment} env
 * @param {URL} url
 * @param {RequestInit} part
 * @param {number} size bytes of the pack
 * @returns {Promise<Response>}
 */
async function partOfPack(env, url, part, size) {
  const { caches, FixedLengthStream } = /** @type {any} */ (globalThis);
  const key = `${url}?cached`;
  const cached = hasCache && await caches.default.match(new Request(key, part));
  if (cached) return cached;
  const pack = await env.ASSETS.fetch(new Request(url, part));
  if (pack.status !== 200 || !hasCache) return pack;
  const { readable, writable } = new FixedLengthStream(size); // there are no parts of what has no length
  const headers = { "Cache-Control": CACHED, "Content-Length": String(size) };
  const putting = caches.default.put(new Request(key), new Response(readable, { headers }));
  const results = await Promise.allSettled([pack.body?.pipeTo(writable), putting]);
  const found = results.every(({ status }) => status === "fulfilled") &&
    await caches.default.match(new Request(key, part));
  hasCache = Boolean(found);
  return found || env.ASSETS.fetch(new Request(url, part));
}

const worker = {
  /**
   * @param {Request} request
   * @param {Environment} env
   */
  async fetch(request, env) {
    /** @param {string} path */
    const read = async (path) => {
      // pages have no extension here, and the page of a folder is at its slash
      const stored = `/${storedPath(path)}`.replace(/\/index\.html$/, "/").replace(/\.html$/, "");
      const response = await env.ASSETS.fetch(new Request(new URL(stored, request.url)));
      return response.status === 200 ? response : null;
    };
    const packs = new SitePacks(read, (...asked) => partOfPack(env, ...asked), request.url, memory);
    return await answerRequest(request, { read: packs.read }) ??
      packs.orProof(request, await env.ASSETS.fetch(request));
  },
};

export default worker;

/** @param {{ request: Request, env: Environment }} context */
export function onRequest({ request, env }) {
  return worker.fetch(request, env);
}
