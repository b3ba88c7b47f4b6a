// @ts-check
/**
 * Netlify edge function. The site's files are asked for through `context.next`, which neither runs edge functions
 * again nor leaves the deploy. Whatever goes wrong here, `onError` lets the plain file be the answer.
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
  return await answerRequest(request, { read }) ?? undefined;
}

export const config = {
  path: ["/:v2([vV]2)/*", "/server/*", "/:chains([cC][hH][aA][iI][nN][sS])", "/chains/", "/api/v2/*"],
  method: ["GET", "HEAD"],
  onError: "bypass",
};
