/**
 * Verifies proofs of a log as pages do, a line each: `[proof, document, public key]`, texts all, is answered with what
 * is wrong, or null; `{leaf, index, size, hashes}`, in base64, with the root in hex, or null; `{origin, body, signature,
 * key}` with whether a checkpoint is signed.
 */

import { isSigned, parseProof, rootOf, verify } from "../../src/statuary/extensions/log/pages/scripts/log.js";

const bytes = (text) => Uint8Array.fromBase64(text);

async function fault([text, document, key]) {
  const proof = parseProof(text);
  await verify(proof, new TextEncoder().encode(document));
  return await isSigned(proof, key) ? null : "it is not signed";
}

async function root({ leaf, index, size, hashes }) {
  return await rootOf(bytes(leaf), { index: BigInt(index), size: BigInt(size), hashes: hashes.map(bytes) });
}

const lines = (await new Response(Deno.stdin.readable).text()).split("\n").filter(Boolean).map((line) => JSON.parse(line));
const signed = ({ key, signature, ...checkpoint }) => isSigned({ ...checkpoint, signatures: [signature] }, key);
const found = lines.map((line) => {
  if (Array.isArray(line)) return fault(line).catch(({ message }) => message);
  return line.key ? signed(line).catch(() => false) : root(line).catch(() => null);
});
console.log(JSON.stringify(await Promise.all(found)));
