/** Says of codes, by the documents of a site, which contracts have them: as the page of code does. */

import { bytesOf, contractsOf, withoutMetadata } from "../../src/statuary/extensions/apis/pages/modules/code.js";

const { site, codes } = JSON.parse(await new Response(Deno.stdin.readable).text());
const read = (path) => Promise.resolve(site[path]);
const answers = codes.map(async (text) => {
  const code = bytesOf(text);
  return code && { plain: withoutMetadata(code).length, ...await contractsOf(code, read) };
});
console.log(JSON.stringify((await Promise.all(answers)).map((answer) => answer ?? null)));
