// Finds the verified contracts of the site that have some runtime code: `extensions/apis/code.py` is the reference.

import { keccak256 } from "../../../../edge/keccak.js";

const LENGTH_BYTES = 2;
const INVALID = 0xfe;
const CBOR_MAPS = [0xa1, 0xa4]; // the first byte of a map with one to four members

const hashOf = (code) => `0x${Array.from(keccak256(code), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;

/** The bytes of hex with or without `0x` and white space; undefined if it is none, or empty. */
export function bytesOf(text) {
  const digits = text.replace(/\s+/g, "").replace(/^0x/i, "");
  if (!/^(?:[0-9a-f]{2})+$/i.test(digits)) return undefined;
  return Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
}

/** Code without the metadata at its end, and without the INVALID that solc writes before it. */
export function withoutMetadata(code) {
  const length = code.slice(-LENGTH_BYTES).reduce((size, byte) => 256 * size + byte, 0) + LENGTH_BYTES;
  const first = length <= code.length ? code[code.length - length] : 0;
  const plain = first >= CBOR_MAPS[0] && first <= CBOR_MAPS[1] ? code.slice(0, -length) : code;
  return plain.at(-1) === INVALID ? plain.slice(0, -1) : plain;
}

/** The hash of code with zeros at some places. */
function hashWithZeros(code, places) {
  const output = code.slice();
  for (const [start, size] of places) output.fill(0, start, start + size);
  return hashOf(output);
}

/**
 * The contracts with a code, and whether it is theirs to the byte; `read` returns the JSON at a path of the site, or
 * undefined if there is none.
 */
export async function contractsOf(code, read) {
  const exact = await read(`code/${hashOf(code)}`);
  if (exact) return { isExact: true, contracts: exact.contracts };
  const contracts = [];
  for (const template of await templatesOf(code, read)) {
    contracts.push(...(await read(`code/template/${template}`))?.contracts ?? []);
  }
  return { isExact: false, contracts };
}

/** The hashes of the site's templates that a code has, of which those of Vyper are of the whole code. */
async function templatesOf(code, read) {
  const plain = withoutMetadata(code);
  const found = [];
  for (const length of new Set([plain.length, code.length])) {
    const hashes = new Map(); // many templates have zeros at the same places
    for (const { template, zeroed, isWhole } of (await read(`code/length/${length}`))?.templates ?? []) {
      const hashed = isWhole ? code : plain;
      if (hashed.length !== length) continue;
      const key = JSON.stringify([isWhole, zeroed]);
      if (!hashes.has(key)) hashes.set(key, hashWithZeros(hashed, zeroed));
      if (hashes.get(key) === template) found.push(template);
    }
  }
  return found;
}
