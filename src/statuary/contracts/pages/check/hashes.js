// The hashes that compilers write into bytecode. They are computed here because `crypto.subtle` exists on HTTPS only.

import { keccak256 } from "../../../edge/keccak.js";
import { hasRepeatedKeys, hexOf, isObject, jsonText, parseJson, sameJson, utf8 } from "./values.js";

/** The digest of SHA-256 (FIPS 180-4), 32 bytes. */
function sha256(message) {
  const padded = new Uint8Array((message.length + 72) & ~63);
  padded.set(message);
  padded[message.length] = 0x80;
  const words = new DataView(padded.buffer);
  words.setUint32(padded.length - 8, message.length / 2 ** 29);
  words.setUint32(padded.length - 4, message.length << 3);
  const state = Int32Array.from(FIRST_STATE);
  const schedule = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let at = 0; at < 64; at++) {
      schedule[at] = at < 16 ? words.getInt32(block + 4 * at) : scheduled(schedule, at);
    }
    compress(state, schedule);
  }
  state.forEach((word, at) => words.setInt32(4 * at, word));
  return padded.slice(0, 32);
}

const turn = (word, bits) => word >>> bits | word << (32 - bits);

function scheduled(words, at) {
  const [near, far] = [words[at - 2], words[at - 15]];
  const one = turn(near, 17) ^ turn(near, 19) ^ near >>> 10;
  return one + words[at - 7] + (turn(far, 7) ^ turn(far, 18) ^ far >>> 3) + words[at - 16];
}

function compress(state, schedule) {
  let [a, b, c, d, e, f, g, h] = state;
  for (let at = 0; at < 64; at++) {
    const chosen = e & f ^ ~e & g;
    const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + chosen + ROUND_KEYS[at] + schedule[at] | 0;
    const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, d + one | 0, c, b, a, one + two | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => state[at] += word);
}

/** The first 32 fractional bits of roots of the first primes: square roots as initial state, cube roots as constants. */
function rootsOfPrimes(count, power) {
  const primes = [];
  for (let number = 2; primes.length < count; number++) {
    if (primes.every((prime) => number % prime)) primes.push(number);
  }
  return primes.map((prime) => (prime ** power % 1) * 2 ** 32 | 0);
}

const FIRST_STATE = rootsOfPrimes(8, 1 / 2);
const ROUND_KEYS = rootsOfPrimes(64, 1 / 3);

// ── IPFS: chunks of 256 KiB as UnixFS files in dag-pb blocks, 174 links to a parent ─────────────────────────────

const CHUNK = 2 ** 18;
const LINKS = 174;

/** The multihash (34 bytes) of the root block of a text: `sha2-256`, its length, the digest. */
function ipfsMultihash(data) {
  let level = chunks(data, CHUNK).map(leaf);
  while (level.length > 1) level = chunks(level, LINKS).map(parent);
  return level[0].hash;
}

function leaf(chunk) {
  const content = chunk.length ? [0x12, ...varint(chunk.length), ...chunk] : [];
  return node([], [8, 2, ...content, 0x18, ...varint(chunk.length)], chunk.length, 0);
}

function parent(children) {
  const links = children.flatMap(({ hash, size }) => {
    const link = [10, 34, ...hash, 18, 0, 24, ...varint(size)];
    return [18, ...varint(link.length), ...link];
  });
  const sum = (member) => children.reduce((total, child) => total + child[member], 0);
  const sizes = children.flatMap(({ bytes }) => [32, ...varint(bytes)]);
  return node(links, [8, 2, 24, ...varint(sum("bytes")), ...sizes], sum("bytes"), sum("size"));
}

function node(links, unixfs, bytes, below) {
  const block = Uint8Array.from([...links, 10, ...varint(unixfs.length), ...unixfs]);
  return { hash: [18, 32, ...sha256(block)], bytes, size: below + block.length };
}

function varint(number) {
  return number < 128 ? [number] : [number % 128 | 128, ...varint(Math.floor(number / 128))];
}

/** Equal parts of bytes or of a list, the last one shorter; one empty part of an empty input. */
function chunks(data, size) {
  return Array.from(
    { length: Math.ceil(data.length / size) || 1 },
    (_, at) => data.slice(at * size, (at + 1) * size),
  );
}

// ── Swarm: chunks of 4096 bytes, 128 to a parent; solc wrote `bzzr0`, then `bzzr1` ───────────────────────────────

const SWARM_CHUNK = 4096;

const bzzr0 = (data) => swarm(data, data.length <= SWARM_CHUNK, bzzr0, (chunk) => chunk);

function bzzr1(data, belowTaller = false) {
  if (!data.length) return new Uint8Array(32);
  const isChunk = data.length < SWARM_CHUNK || data.length === SWARM_CHUNK && !belowTaller;
  return swarm(data, isChunk, (part, span) => bzzr1(part, span > SWARM_CHUNK), (chunk) => {
    const whole = new Uint8Array(SWARM_CHUNK);
    whole.set(chunk);
    return merkleRoot(whole);
  });
}

/** The hash of a chunk, or of the hashes of its children, with its length (8 bytes, little-endian) in front. */
function swarm(data, isChunk, hash, digest) {
  let span = SWARM_CHUNK;
  while (span * 128 < data.length) span *= 128;
  const chunk = isChunk ? data : Uint8Array.from(chunks(data, span).flatMap((part) => [...hash(part, span)]));
  const length = Array.from({ length: 8 }, (_, at) => Math.floor(data.length / 256 ** at) % 256);
  return keccak256(Uint8Array.from([...length, ...digest(chunk)]));
}

function merkleRoot(chunk) {
  if (chunk.length <= 64) return keccak256(chunk);
  return keccak256(Uint8Array.from(chunks(chunk, chunk.length / 2).flatMap((half) => [...merkleRoot(half)])));
}

// ── solc's metadata ──────────────────────────────────────────────────────────────────────────────────────────────

const SCHEMES = { ipfs: ipfsMultihash, bzzr0, bzzr1 };

/** The hashes of a metadata object, in each text that solc may have written; `output` is the text in its output. */
export class MetadataHashes {
  #texts;
  #known = {};

  constructor(metadata, output) {
    this.isGiven = isObject(metadata);
    this.text = this.isGiven ? spelling(metadata, output) : undefined;
    this.#texts = this.isGiven ? [this.text, ...textsOf(metadata)].filter((text) => text !== undefined) : [];
  }

  /** The hashes by a scheme, as hex, the likeliest first. */
  of(scheme) {
    return this.#known[scheme] ??= [...new Set(this.#texts)].map((text) => hexOf(SCHEMES[scheme](utf8(text))));
  }
}

/** The compiler's text, if it encodes the metadata and repeats no key. */
function spelling(metadata, output) {
  if (typeof output !== "string") return undefined;
  if (output === jsonText(metadata)) return output;
  try {
    return sameJson(parseJson(output), metadata) && !hasRepeatedKeys(output) ? output : undefined;
  } catch {
    return undefined;
  }
}

/** solc writes metadata compactly, sorted by key, with `\u` escapes; up to 0.8.25 without one for U+007F. */
function textsOf(metadata) {
  return [false, true].flatMap((sorted) => {
    const text = jsonText(metadata, sorted);
    const escaped = [/[\x7f-\uffff]/g, /[\x80-\uffff]/g].map((units) =>
      text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    );
    return [...escaped, text];
  });
}
