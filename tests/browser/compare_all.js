/**
 * Compares records with the chain of a node as pages do: the node's address as argument, a record and the blocks of its
 * proofs a line in.
 */

import { compareWithChain, nodeAt } from "../../src/statuary/contracts/pages/check/chain.js";

const lines = (await new Response(Deno.stdin.readable).text()).split("\n").filter(Boolean);
const found = [];
for (const line of lines) found.push(await compareWithChain(nodeAt(Deno.args[0]), ...JSON.parse(line)));
console.log(JSON.stringify(found));
