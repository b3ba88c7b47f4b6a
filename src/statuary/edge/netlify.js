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
import { storedPath } from "./stored-path.js";

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
  // after a call of `next` for another document, returning nothing would send that document
  return await answerRequest(request, { read }) ?? context.next(request);
}
