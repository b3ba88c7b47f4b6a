/** Says of anchors, with an address and a code, a line each, whether they prove that the code is at the address. */

import { provesCode } from "../../src/statuary/contracts/pages/check/anchor.js";

const lines = (await new Response(Deno.stdin.readable).text()).split("\n").filter(Boolean);
console.log(JSON.stringify(lines.map((line) => provesCode(...JSON.parse(line)))));
