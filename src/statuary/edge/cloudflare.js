// @ts-check
/**
 * Cloudflare Worker with static assets (binding `ASSETS`), and the same as a Pages project: `_worker.js` takes the
 * default export, `functions/[[path]].js` takes `onRequest`. A Worker must run before the assets
 * (`run_worker_first`) for the paths that it answers.
 */

import { answerRequest } from "./answer-request.js";
import { storedPath } from "./stored-path.js";

/** @typedef {{ ASSETS: { fetch(request: Request): Promise<Response> } }} Environment */

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
    return await answerRequest(request, { read }) ?? env.ASSETS.fetch(request);
  },
};

export default worker;

/** @param {{ request: Request, env: Environment }} context */
export function onRequest({ request, env }) {
  return worker.fetch(request, env);
}
