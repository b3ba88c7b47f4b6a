/** Hashes messages and checksums addresses: hex messages in, digests out; addresses in, EIP-55 addresses out. */

import { keccak256 } from "../../src/statuary/edge/keccak.js";
import { checksummed } from "../../src/statuary/edge/parameters.js";

const { messages, addresses } = JSON.parse(await new Response(Deno.stdin.readable).text());
const digests = messages.map((message) => keccak256(Uint8Array.fromHex(message)).toHex());
console.log(JSON.stringify({ digests, addresses: addresses.map(checksummed) }));
