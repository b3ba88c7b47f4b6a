// @ts-check
/**
 * Responds to requests from the site's documents: route, validate, select.
 *
 * It serves the contract look-up of Sourcify's API v2, as measured on server 3.12.1, as far as prebuilt documents
 * allow, and the status documents of the present epoch. Hosts differ only in how they read a document and in what
 * they do with other paths.
 */

import * as answers from "./answers.js";
import { answerMissingContract } from "./blockscout.js";
import { contractsList, isNewest, parseListing } from "./contracts-list.js";
import { answerExplorer } from "./etherscan.js";
import { cacheControl, INDEX, parseEpochs, patched, staleSince, storedAt } from "./epochs.js";
import { items, members } from "./members.js";
import { checkAddress, checkChainId, checkedAddress } from "./parameters.js";
import { checkNames, checkSingle, parseQuery } from "./query.js";
import { LookupError } from "./lookup-error.js";
import { findRoute, isExplorerCall } from "./route.js";
import { selecting } from "./select.js";
import { isWhole, parseSelection } from "./selectors.js";
import { answerSignatures } from "./signatures.js";

/**
 * Returns a document of the site by its path, with the host's headers; null if it does not exist.
 * @typedef {(path: string) => Promise<Response | null>} Read
 */

/**
 * What a host provides to the module.
 * @typedef {object} Host
 * @property {Read} read
 * @property {() => number} [now] the clock, in milliseconds since 1970
 * @property {() => string} [newId] makes the `errorId` of an error body
 */

const ANSWERS = {
  "contract": answerContract,
  "all-chains": answerAllChains,
  "contracts": answerContracts,
  "chains": answerChains,
  "health": answerHealth,
  "version": answerVersion,
  "none": () => Promise.resolve(null),
};

/**
 * Responds to a request.
 * @param {Request} request
 * @param {Host} host
 * @returns {Promise<Response | null>} null if the host should serve its plain file
 */
export async function answerRequest(request, host) {
  const url = new URL(request.url);
  const response = await answerExplorer(request.method, url, host.read) ??
    await answerSignatures(request.method, url, host.read) ??
    await answerMissingContract(request.method, url, host.read) ??
    await answerLookup(request.method, url, host) ?? await answerEpoch(request.method, url, host);
  if (!response) return null;
  const checked = answers.conditional(response, request.headers.get("If-None-Match"));
  return request.method === "HEAD" ? answers.withoutBody(checked) : checked;
}

/**
 * @param {string} method
 * @param {URL} url
 * @param {Host} host
 */
async function answerLookup(method, url, { read, newId = () => crypto.randomUUID() }) {
  const { pathname, search } = url;
  try {
    const route = findRoute(pathname);
    if (!route) return isExplorerCall(method, url) ? answerExplorerCall(read) : null;
    if (method === "OPTIONS") return answers.preflight();
    const isRead = method === "GET" || method === "HEAD";
    const response = isRead ? await ANSWERS[route.resource](route, search.slice(1), read) : null;
    return response ?? answers.noSuchRoute(method, pathname);
  } catch (error) {
    if (error instanceof LookupError) return answers.errorAnswer(error, newId());
    throw error;
  }
}

/**
 * The checks run in the measured order, except that the chain is only looked up if the response depends on it: a
 * record that exists proves its chain.
 * @param {import("./route.js").Route} route
 * @param {string} queryText
 * @param {Read} read
 */
async function answerContract({ chainId, address }, queryText, read) {
  const query = parseQuery(queryText);
  checkNames(query, ["fields", "omit"]);
  const [fields, omit] = [checkSingle(query, "fields"), checkSingle(query, "omit")];
  checkChainId(chainId);
  checkAddress(address);
  const { checksummed, selection } = await checkingChainFirst(chainId, read, () => ({
    checksummed: checkedAddress(address),
    selection: parseSelection(fields, omit),
  }));
  const record = await read(`v2/contract/${chainId}/${checksummed}`);
  if (!record) return notVerified(chainId, checksummed, read);
  if (isWhole(selection)) return answers.documentAnswer(record);
  const body = record.body?.pipeThrough(selecting(selection));
  return answers.documentAnswer(record, { body, variant: fields ? `fields=${fields}` : `omit=${omit}` });
}

/**
 * Runs checks that come after that of the chain: if they fail, an unknown chain takes precedence.
 * @template T
 * @param {string} chainId
 * @param {Read} read
 * @param {() => T} checks
 */
async function checkingChainFirst(chainId, read, checks) {
  try {
    return checks();
  } catch (error) {
    await checkChainKnown(chainId, read);
    throw error;
  }
}

/** @param {string} chainId @param {string} address @param {Read} read */
async function notVerified(chainId, address, read) {
  await checkChainKnown(chainId, read);
  return answers.jsonAnswer({ match: null, creationMatch: null, runtimeMatch: null, chainId, address }, 404);
}

/** @param {import("./route.js").Route} route @param {string} queryText @param {Read} read */
async function answerAllChains({ address }, queryText, read) {
  checkNames(parseQuery(queryText), []);
  checkAddress(address);
  const document = await read(`v2/contract/all-chains/${checkedAddress(address)}`);
  return document ? answers.documentAnswer(document) : answers.jsonAnswer({ results: [] }, 404);
}

/** @param {import("./route.js").Route} route @param {string} queryText @param {Read} read */
async function answerContracts({ chainId }, queryText, read) {
  const listing = parseListing(parseQuery(queryText), queryText);
  checkChainId(chainId);
  await checkChainKnown(chainId, read);
  if (isNewest(listing)) {
    const document = await read(`v2/contracts/${chainId}`);
    return document ? answers.documentAnswer(document) : answers.jsonAnswer({ results: [] }, 200);
  }
  const body = await contractsList(chainId, listing, (path) => bytesOf(read(path)));
  return answers.listAnswer(body, await answers.entityTag(body));
}

/** @param {import("./route.js").Route} _route @param {string} _queryText @param {Read} read */
async function answerChains(_route, _queryText, read) {
  const document = await read("chains");
  return document && answers.documentAnswer(document);
}

/** @param {import("./route.js").Route} _route @param {string} _queryText @param {Read} read */
async function answerHealth(_route, _queryText, read) {
  const document = await read("health");
  return document && answers.documentAnswer(document, { contentType: answers.HTML_TYPE });
}

/** @param {import("./route.js").Route} _route @param {string} _queryText @param {Read} read */
async function answerVersion(_route, _queryText, read) {
  const document = await read("version");
  return document && answers.documentAnswer(document);
}

/** @param {Read} read */
async function answerExplorerCall(read) {
  const document = await read("errors/explorer-api.json");
  return document && answers.documentAnswer(document, { status: 404 });
}

/**
 * Rejects a chain that the site's `chains` does not list; a site without that document accepts all chains.
 * @param {string} chainId
 * @param {Read} read
 */
async function checkChainKnown(chainId, read) {
  const chains = await bytesOf(read("chains"));
  if (chainId === "0" || !chains) return; // the genesis chain needs no entry in the list
  const decoder = new TextDecoder(); // JSON.parse would round an id above 2^53
  const known = items(chains).map((chain) => decoder.decode(members(chain).get("chainId")));
  if (!known.includes(chainId)) throw new LookupError(`Chain ${chainId} not found`, "unsupported_chain");
}

/** @param {Promise<Response | null>} reading */
async function bytesOf(reading) {
  const document = await reading;
  return document && new Uint8Array(await document.arrayBuffer());
}

/**
 * Returns the document of the present epoch if the index of epochs lists one.
 * @param {string} method
 * @param {URL} url
 * @param {Host} host
 */
async function answerEpoch(method, { pathname }, { read, now = Date.now }) {
  if (method !== "GET" && method !== "HEAD") return null;
  const index = await bytesOf(read(INDEX));
  const epochs = parseEpochs(index ? new TextDecoder().decode(index) : "");
  const path = candidatePaths(pathname).find((candidate) => epochs.documents.has(candidate));
  if (!path) return null;
  const instant = now();
  const stored = storedAt(epochs, path, instant);
  const document = stored && await storedDocument(stored, read) || await read(path);
  const hostType = document?.headers.get("Content-Type") ?? "";
  const contentType = path.endsWith(".json") && !hostType.includes("+json") ? answers.JSON_TYPE : hostType;
  if (!document) return null;
  const response = answers.documentAnswer(document, { contentType, cacheControl: cacheControl(epochs, instant) });
  const stale = staleSince(epochs, instant);
  if (stale) response.headers.set("Statuary-Stale-Since", stale);
  return response;
}

/**
 * A document of an epoch; null if a file is missing, or they are not of the same build.
 * @param {import("./epochs.js").Stored} stored
 * @param {Read} read
 */
async function storedDocument({ file, patch }, read) {
  if (!patch) return read(file);
  const [base, change] = await Promise.all([read(file), bytesOf(read(patch))]);
  const body = base && change && await patched(new Uint8Array(await base.arrayBuffer()), change);
  if (!body) return null;
  const headers = new Headers(base.headers);
  headers.delete("Last-Modified");
  headers.set("ETag", await answers.entityTag(body));
  return new Response(body, { headers });
}

/**
 * The documents that a path can name: a file, the page of a folder, or a page without its extension.
 * @param {string} pathname
 */
function candidatePaths(pathname) {
  const path = pathname.slice(1);
  return pathname.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`];
}
