// @ts-check
/**
 * Looks up documents in the packs of a site, on any host that serves ranges (`extensions/packs/pack_format.py` has the
 * format). It stands alone: a browser, Deno and Node.js run it, and so does an edge function. Only the decoder of Zstandard
 * is not there everywhere; `fzstd` from npm (8 kB) does, and `node:zlib` from Node.js 22.15 on:
 *
 *     import { decompress } from "fzstd";
 *     const packs = await openPacks("https://status.example.org/", { decompress });
 *     const record = await packs.find("v2/contract/1/0x…"); // a Uint8Array, or null
 *
 * A look-up takes two requests for a document, and one at most where there is none; besides, the list is read once, and the
 * end of each pack. Every byte is compared with its SHA-256, up to the list, which the site's own TLS vouches for.
 */

/** @typedef {(data: Uint8Array) => Uint8Array} Decompress */
/** @typedef {(url: URL, options?: { headers: Record<string, string> }) => Promise<Response>} Fetch */
/** @typedef {{ path: string, run: number, size: number, end: [number, string], first: string, last: string }} ListedPack */
/** @typedef {[first: string, size: number, plain: number, sha256: string, marks: string]} FrameRow */
/** @typedef {{ offset: number, frames: FrameRow[] }} Leaf */
/** @typedef {[first: string, offset: number, size: number, plain: number, sha256: string]} LeafRow */
/** @typedef {{ opening: Uint8Array, skipped: number, leaves?: LeafRow[] } & Partial<Leaf>} End */

const TAIL = /statuary-pack\/1 (\d{16}) (\d{8}) (\d{8}) (\d{8}) (\d{8}) ([0-9a-f]{64})\n$/;
const TAIL_SIZE = 134;
const MARK_DIGITS = 8;

/** Ends of packs and parts of indexes that are remembered; each has 10 to 40 kB. */
const MOST_REMEMBERED = 128;

/** Bytes of a pack that is read from its beginning where a host ignores ranges; `statuary build` makes none that is larger. */
const LARGEST_WHOLE = 32 * 1024 * 1024;

/**
 * What was read of packs: ends and parts of indexes. Readers of one site can share it; what is not there yet, each reads
 * by itself, since some hosts let no request wait for another.
 * @typedef {Map<string, End | Leaf>} Memory
 */

/**
 * Opens the packs of a site.
 * @param {string} site the URL of the site, or of a folder with a list of packs
 * @param {{ decompress: Decompress, fetch?: Fetch, list?: string }} tools
 */
export async function openPacks(site, { decompress, fetch = globalThis.fetch, list = "packs/packs.json" }) {
  const url = new URL(list, site.endsWith("/") ? site : `${site}/`);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} cannot be read: ${response.status}`);
  return packReader(parsePacks(await response.text(), url), url, { decompress, fetch });
}

/**
 * The packs that a list names.
 * @param {string} text
 * @param {URL} url of the list
 * @returns {ListedPack[]}
 */
export function parsePacks(text, url) {
  const { version, packs } = JSON.parse(text);
  if (version !== 1) throw new Error(`${url} has version ${version}, not 1`);
  return packs;
}

/**
 * Looks up documents in packs.
 * @param {ListedPack[]} packs
 * @param {URL} url of their list
 * @param {{ decompress: Decompress, fetch: Fetch, memory?: Memory }} tools
 */
export function packReader(packs, url, { decompress, fetch, memory = new Map() }) {
  /** @type {Map<string, Promise<End | Leaf>>} */
  const pending = new Map();

  /** @param {ListedPack} pack @param {number} start @param {number} size @param {string} sha256 */
  const read = async (pack, start, size, sha256) => {
    const data = await range(fetch, new URL(pack.path, url), start, size);
    if (data.length !== size || await digest(data) !== sha256) {
      throw new Error(`${pack.path} is damaged at byte ${start}`);
    }
    return data;
  };

  /** @param {ListedPack} pack @returns {Promise<End>} */
  const endOf = async (pack) => {
    const [offset, sha256] = pack.end;
    const data = await read(pack, offset, pack.size - offset, sha256);
    const tail = TAIL.exec(new TextDecoder().decode(data.subarray(-TAIL_SIZE)));
    if (!tail) throw new Error(`${pack.path} is not a pack of version 1`);
    const [, , opening, skipped, head, plain] = tail.map(Number);
    return {
      opening: data.subarray(0, opening),
      skipped,
      ...json(expand(decompress, data.subarray(opening, opening + head), plain)),
    };
  };

  /** @param {ListedPack} pack @param {End} end @param {string} key @returns {Leaf | null | Promise<Leaf>} */
  const leafOf = (pack, end, key) => {
    if (!end.leaves) return /** @type {Leaf} */ (end);
    const row = end.leaves[lastAtMost(end.leaves, key)];
    if (!row) return null;
    const [, offset, size, plain, sha256] = row;
    return remembered(memory, pending, `${pack.path} ${offset}`, async () => {
      const leaf = json(expand(decompress, await read(pack, offset, size, sha256), plain));
      return /** @type {Leaf} */ (leaf);
    });
  };

  /**
   * The document as a pack has it; null if it says that there is none, undefined if it does not name it.
   * @param {ListedPack} pack
   * @param {string} key
   */
  const inPack = async (pack, key) => {
    const end = await remembered(memory, pending, pack.path, () => endOf(pack));
    const leaf = await leafOf(pack, end, key);
    const number = leaf ? lastAtMost(leaf.frames, key) : -1;
    if (!leaf || number < 0) return undefined;
    const [, size, plain, sha256, marks] = leaf.frames[number];
    if (!hasMark(marks, (await digest(new TextEncoder().encode(key))).slice(0, MARK_DIGITS))) return undefined;
    const offset = leaf.frames.slice(0, number).reduce((sum, row) => sum + row[1], leaf.offset);
    const data = await read(pack, offset, size, sha256);
    const text = expand(decompress, joined(end.opening, data), end.skipped + plain).subarray(end.skipped);
    return documentOf(text, key);
  };

  return {
    /**
     * A document by its path; null if there is none.
     * @param {string} path
     */
    async find(path) {
      const key = path.replace(/^\//, "").replace(/0x[0-9a-fA-F]{40}/, (address) => address.toLowerCase());
      for (const pack of packs.toReversed()) {
        if (key < pack.first || key > pack.last) continue;
        const found = await inPack(pack, key);
        if (found !== undefined) return found;
      }
      return null;
    },
  };
}

/**
 * @template {End | Leaf} Value
 * @param {Memory} memory
 * @param {Map<string, Promise<End | Leaf>>} pending what this reader is reading
 * @param {string} name
 * @param {() => Promise<Value>} make
 * @returns {Promise<Value>}
 */
async function remembered(memory, pending, name, make) {
  const making = memory.get(name) ?? pending.get(name) ?? make();
  if (making instanceof Promise) pending.set(name, making);
  try {
    const value = await making;
    memory.delete(name);
    memory.set(name, value);
    const oldest = memory.keys().next().value;
    if (memory.size > MOST_REMEMBERED && oldest !== undefined) memory.delete(oldest);
    return /** @type {Value} */ (value);
  } finally {
    pending.delete(name);
  }
}

/** @param {Fetch} fetch @param {URL} url @param {number} start @param {number} size */
async function range(fetch, url, start, size) {
  const response = await fetch(url, { headers: { Range: `bytes=${start}-${start + size - 1}` } });
  if (response.status === 206) return new Uint8Array(await response.arrayBuffer());
  const length = Number(response.headers.get("Content-Length"));
  if (response.status !== 200 || Math.max(length, start + size) > LARGEST_WHOLE) {
    await response.body?.cancel();
    throw new Error(
      response.status === 200
        ? `${url} cannot be read in parts: the server does not support ranges`
        : `${url} cannot be read: ${response.status}`,
    );
  }
  return part(response, start, size);
}

/**
 * A part of a file that comes whole; only that part is kept, and what follows it is not asked for.
 * @param {Response} response
 * @param {number} start
 * @param {number} size
 */
async function part(response, start, size) {
  const data = new Uint8Array(size);
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  let at = -start;
  while (at < size) {
    const { done, value } = await reader.read();
    if (done) break;
    const from = Math.max(0, -at);
    if (from < value.length) data.set(value.subarray(from, size - at), at + from);
    at += value.length;
  }
  await reader.cancel();
  return data.subarray(0, Math.max(0, at));
}

/** @param {Decompress} decompress @param {Uint8Array} data @param {number} size */
function expand(decompress, data, size) {
  const text = decompress(data);
  if (text.length !== size) throw new Error(`a part of the pack has ${text.length} bytes, not ${size}`);
  return text;
}

/** @param {Uint8Array} text @param {string} wanted */
function documentOf(text, wanted) {
  let start = text.indexOf(10) + 1;
  for (const [key, size] of json(text.subarray(0, start))) {
    if (key === wanted) return size === null ? null : text.slice(start, start + size);
    start += size ?? 0;
  }
  return undefined;
}

/**
 * The index of the last row whose first key is not after another key; -1 if there is none.
 * @param {(FrameRow | LeafRow)[]} rows
 * @param {string} key
 */
function lastAtMost(rows, key) {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle][0] <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** @param {string} marks @param {string} mark */
function hasMark(marks, mark) {
  for (let at = marks.indexOf(mark); at >= 0; at = marks.indexOf(mark, at + 1)) {
    if (at % MARK_DIGITS === 0) return true;
  }
  return false;
}

/** @param {Uint8Array} first @param {Uint8Array} second */
function joined(first, second) {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** @param {Uint8Array} data */
async function digest(data) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", /** @type {BufferSource} */ (data)));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Uint8Array} data */
function json(data) {
  return JSON.parse(new TextDecoder().decode(data));
}
