// @ts-check
/**
 * Netlify edge function. The site's files are asked for through `context.next`, which neither runs edge functions
 * again nor leaves the deploy. Whatever goes wrong here, `onError` lets the plain file be the answer.
 *
 * In a project the modules lie in a folder beside a function of a few lines, which says for which paths it is asked;
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
  // returning nothing after `next` was asked for another document would send that document
  return await answerRequest(request, { read }) ?? context.next(request);
}
