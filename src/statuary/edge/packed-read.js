// @ts-check
/**
 * Reads records and proofs where there is no file of that name: from the file that has the checksummed address
 * (`hosting: {lower_case_names: false}` in site.yaml), or from the packs of the site (`packs: true`).
 *
 * Packs have records, what the look-up over all chains answers, and proofs; lists and documents of other APIs are files.
 */

import { conditional, entityTag, errorAnswer, withoutBody } from "./answers.js";
import { LookupError } from "./lookup-error.js";
import { packReader, parsePacks } from "./packs.js";
import { checksummed } from "./parameters.js";

/** @typedef {(path: string) => Promise<Response | null>} Read */
/** @typedef {(url: URL, part: RequestInit, size: number) => Promise<Response>} FetchPart */
/** @typedef {{ text: string, tag: string, packs: import("./packs.js").ListedPack[], headers: Headers }} PackList */

const LIST = "packs/packs.json";
const RECORD = /^v2\/contract\/(?:[0-9]+|all-chains)\/0x[0-9a-fA-F]{40}$/;
const PROOF = /^proof\/[0-9]+\/(0x[0-9a-fA-F]{40})\.json$/;
const READS = ["GET", "HEAD"];

/** Headers of the list that are not those of a document of a pack. */
const OWN_HEADERS = ["Accept-Ranges", "Age", "Content-Encoding", "Date", "Last-Modified", "Transfer-Encoding"];

/** Milliseconds for which the list, or that there is none, is remembered where a publication is a new deployment. */
const LIST_AGE = 10_000;

/** Packs that cannot be read: damaged, of another version, or the runtime cannot decompress them. */
class PackError extends LookupError {
  /** @param {unknown} cause */
  constructor(cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The packs of this site cannot be read: ${reason}`, "internal_error");
    this.status = 500;
  }
}

/** What a host remembers of the packs between requests. */
export class PackMemory {
  /** @param {number} [age] milliseconds for which the list is remembered */
  constructor(age = LIST_AGE) {
    this.age = age;
    /** @type {PackList | null} */
    this.list = null;
    this.until = -Infinity;
    /** @type {import("./packs.js").Memory} */
    this.parts = new Map();
  }
}

/** The packs of a site, for one request. */
export class SitePacks {
  /**
   * @param {Read} read a document that is a file
   * @param {FetchPart} fetch a pack of so many bytes, in part where the host can
   * @param {string} site a URL of the site
   * @param {PackMemory} memory
   */
  constructor(read, fetch, site, memory) {
    this.files = read;
    this.fetch = fetch;
    this.url = new URL(`/${LIST}`, site);
    this.memory = memory;
  }

  /**
   * A document, from its file or else from the packs; null if neither has it.
   * @type {Read}
   */
  read = async (path) => await this.files(path) ?? (RECORD.test(path) ? await this.find(path) : null);

  /**
   * The host's response, or a proof in place of one that says that there is no file.
   * @param {Request} request
   * @param {Response} response
   */
  async orProof(request, response) {
    if (response.status !== 404 || !READS.includes(request.method)) return response;
    const path = proofPath(new URL(request.url).pathname);
    if (!path) return response;
    const found = await this.files(path) ?? await this.find(path).catch(asAnswer);
    if (!found) return response;
    response.body?.cancel();
    const checked = conditional(found, request.headers.get("If-None-Match"));
    return request.method === "HEAD" ? withoutBody(checked) : checked;
  }

  /**
   * A document from the packs, with the headers that its file would have; null if they do not have it.
   * @param {string} path of a record or a proof
   */
  async find(path) {
    try {
      const list = await this.currentList();
      return list && await this.findIn(list, path);
    } catch (error) {
      throw new PackError(error);
    }
  }

  /**
   * Looks into the packs of a list, and if they cannot be read because there is a newer list, into those of that.
   * @param {PackList} list
   * @param {string} path
   */
  async findIn(list, path) {
    try {
      return await this.document(list, path);
    } catch (error) {
      const newer = await this.readList();
      if (newer?.text === list.text) throw error;
      return newer ? await this.document(newer, path) : await this.files(path);
    }
  }

  /** @param {PackList} list @param {string} path */
  async document({ packs, headers }, path) {
    /** @type {import("./packs.js").Fetch} */
    const fetch = (url, part = { headers: {} }) =>
      this.fetch(url, part, packs.find((pack) => url.pathname.endsWith(`/${pack.path}`))?.size ?? 0);
    const tools = { decompress: await decoder(), fetch, memory: this.memory.parts };
    const body = await packReader(packs, this.url, tools).find(path);
    if (!body) return null;
    const own = new Headers(headers);
    own.set("ETag", await entityTag(body));
    own.set("Content-Length", String(body.length));
    return new Response(body, { headers: own });
  }

  /** The list as it is remembered, or as it is. */
  currentList() {
    return Date.now() < this.memory.until ? this.memory.list : this.readList();
  }

  async readList() {
    const { memory } = this;
    const response = await this.files(LIST);
    const tag = response?.headers.get("ETag") ?? "";
    if (tag && tag === memory.list?.tag) response?.body?.cancel();
    else memory.list = response && await this.parsed(response, tag);
    memory.until = Date.now() + memory.age;
    return memory.list;
  }

  /** @param {Response} response @param {string} tag @returns {Promise<PackList>} */
  async parsed(response, tag) {
    const headers = new Headers(response.headers);
    for (const name of OWN_HEADERS) headers.delete(name);
    const text = await response.text();
    return { text, tag, packs: parsePacks(text, this.url), headers };
  }
}

/**
 * The path of a proof, its address checksummed; empty if it has any other form than that or lower case.
 * @param {string} pathname
 */
function proofPath(pathname) {
  const path = pathname.slice(1);
  const address = PROOF.exec(path)?.[1];
  if (!address) return "";
  const name = checksummed(address);
  return [address.toLowerCase(), name].includes(address) ? path.replace(address, name) : "";
}

/** @param {unknown} error @returns {Response} */
function asAnswer(error) {
  if (error instanceof LookupError) return errorAnswer(error, crypto.randomUUID());
  throw error;
}

/**
 * The runtime's decoder of Zstandard. It is imported only here, so that a runtime without it answers all the rest.
 * @returns {Promise<import("./packs.js").Decompress>}
 */
async function decoder() {
  const { zstdDecompressSync } = await import("node:zlib").catch(() => ({ zstdDecompressSync: undefined }));
  if (zstdDecompressSync) return zstdDecompressSync;
  throw new Error("this runtime has no zstdDecompressSync in node:zlib, which packs are decompressed with");
}
