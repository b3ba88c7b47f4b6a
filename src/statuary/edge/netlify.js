// @ts-check
/**
 * Netlify edge function. The site's files are asked for through `context.next`, which neither runs edge functions
 * again nor leaves the deploy. Whatever goes wrong here, `onError` lets the plain file be the answer.
 *
 * In a project the modules lie in a folder beside a function of one line; the two must not share a name:
 *
 *     edge/modules/*.js
 *     edge/statuary.js        export { config, default } from "./modules/netlify.js";
 */

import { answerRequest } from "./answer-request.js";

/**
 * @param {Request} request
 * @param {{ next(request: Request): Promise<Response> }} context
 */
export default async function statuary(request, context) {
  /** @param {string} path */
  const read = async (path) => {
    const response = await context.next(new Request(new URL(`/${path}`, request.url)));
    return response.status === 200 ? response : null;
  };
  // returning nothing after `next` was asked for another document would send that document
  return await answerRequest(request, { read }) ?? context.next(request);
}

// Netlify tells capitals from small letters in paths; the look-up does not.
export const config = {
  path: [
    "/:v2([vV]2)",
    "/:v2([vV]2)/*",
    "/:server([sS][eE][rR][vV][eE][rR])/*",
    "/:chains([cC][hH][aA][iI][nN][sS])",
    "/:chains([cC][hH][aA][iI][nN][sS])/",
    "/api/v2/*",
    "/incidents/*",
  ],
  method: ["GET", "HEAD"],
  onError: "bypass",
};
