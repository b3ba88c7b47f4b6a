// @ts-check
/**
 * Netlify edge function. It reads the site's files through `context.next`, which neither runs edge functions
 * again nor leaves the deploy. On any error, `onError` makes Netlify serve the plain file.
 *
 * In a project the modules are in a folder beside a short function that lists the paths it answers;
 * the two must not share a name. `statuary hosting netlify` writes both:
 *
 *     .edge/modules/*.js
 *     .edge/statuary.js        export { default } from "./modules/netlify.js"; export const config = …
 */

import { answerRequest } from "./answer-request.js";
import { PackMemory, SitePacks } from "./packed-read.js";
import { storedPath } from "./stored-path.js";

const memory = new PackMemory();

/**
 * @param {Request} request
 * @param {{ next(request: Request): Promise<Response> }} context
 */
export default async function statuary(request, context) {
  /** @param {string} path */
  const read = async (path) => {
    const response = await context.next(new Request(new URL(`/${storedPath(path)}`, request.url)));
    return response.status === 200 ? response : null;
  };
  const packs = new SitePacks(read, (url, init) => context.next(new Request(url, init)), request.url, memory);
  // after a call of `next` for another document, returning nothing would send that document
  return await answerRequest(request, { read: packs.read }) ?? packs.orProof(request, await context.next(request));
}
