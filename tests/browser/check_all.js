/** Checks records as pages do: a record a line in, the results of each out. */

import { checkRecord } from "../../src/statuary/contracts/pages/check/record.js";
import { parseJson } from "../../src/statuary/contracts/pages/check/values.js";

const lines = (await new Response(Deno.stdin.readable).text()).split("\n").filter(Boolean);
console.log(JSON.stringify(lines.map((line) => [...checkRecord(parseJson(line))])));
