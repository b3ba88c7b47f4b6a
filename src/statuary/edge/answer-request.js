// @ts-check
/**
 * A request and the site's documents in, an answer out: route, validate, select.
 *
 * What Sourcify's API v2 contract look-up answers, measured of server 3.12.1, as far as documents written in
 * advance can answer it, and the status documents of the present epoch. Hosts differ only in how they read a
 * document and in what they do with a path that is none of this module's business.
 */

import * as answers from "./answers.js";
import { contractsList, isNewest, parseListing } from "./contracts-list.js";
import { cacheControl, documentAt, INDEX, isTimed, parseEpochs } from "./epochs.js";
import { items, members } from "./members.js";
import { checkAddress, checkChainId, checkedAddress } from "./parameters.js";
import { checkNames, checkSingle, parseQuery } from "./query.js";
import { Refusal } from "./refusal.js";
import { findRoute } from "./route.js";
import { selecting } from "./select.js";
import { isWhole, parseSelection } from "./selectors.js";

/**
 * Gives a document of the site by its path, with the headers that the host has for it; null if there is none.
 * @typedef {(path: string) => Promise<Response | null>} Read
 */

/**
 * What a host lends to the module.
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
  "none": () => Promise.resolve(null),
};

/**
 * Answers a request.
 * @param {Request} request
 * @param {Host} host
 * @returns {Promise<Response | null>} null where the site's own files are the answer
 */
export async function answerRequest(request, host) {
  const url = new URL(request.url);
  const response = await answerLookup(request.method, url, host) ?? await answerEpoch(request.method, url, host);
  if (!response) return null;
  const checked = answers.conditional(response, request.headers.get("If-None-Match"));
  return request.method === "HEAD" ? answers.withoutBody(checked) : checked;
}

/**
 * @param {string} method
 * @param {URL} url
 * @param {Host} host
 */
async function answerLookup(method, { pathname, search }, { read, newId = () => crypto.randomUUID() }) {
  try {
    const route = findRoute(pathname);
    if (!route) return null;
    if (method === "OPTIONS") return answers.preflight();
    const isRead = method === "GET" || method === "HEAD";
    const response = isRead ? await ANSWERS[route.resource](route, search.slice(1), read) : null;
    return response ?? answers.noSuchRoute(method, pathname);
  } catch (error) {
    if (error instanceof Refusal) return answers.refused(error, newId());
    throw error;
  }
}

/**
 * The checks come in the measured order; but whether the chain is known is asked only if the answer hangs on it,
 * since a record that is there proves its chain.
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
  const { spelled, selection } = await knowing(chainId, read, () => ({
    spelled: checkedAddress(address),
    selection: parseSelection(fields, omit),
  }));
  const record = await read(`v2/contract/${chainId}/${spelled.toLowerCase()}`);
  if (!record) return notVerified(chainId, spelled, read);
  if (isWhole(selection)) return answers.documentAnswer(record);
  const body = record.body?.pipeThrough(selecting(selection));
  return answers.documentAnswer(record, { body, variant: fields ? `fields=${fields}` : `omit=${omit}` });
}

/**
 * Runs checks that come after the chain's: if they fail, an unknown chain is the answer all the same.
 * @template T
 * @param {string} chainId
 * @param {Read} read
 * @param {() => T} checks
 */
async function knowing(chainId, read, checks) {
  try {
    return checks();
  } catch (refusal) {
    await checkChainKnown(chainId, read);
    throw refusal;
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
  const document = await read(`v2/contract/all-chains/${checkedAddress(address).toLowerCase()}`);
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

/**
 * Refuses a chain that the site's `chains` does not list; a site without that document knows them all.
 * @param {string} chainId
 * @param {Read} read
 */
async function checkChainKnown(chainId, read) {
  const chains = await bytesOf(read("chains"));
  if (chainId === "0" || !chains) return; // the genesis chain is known without being listed
  const decoder = new TextDecoder(); // an id beyond 2^53 would not survive JSON.parse
  const known = items(chains).map((chain) => decoder.decode(members(chain).get("chainId")));
  if (!known.includes(chainId)) throw new Refusal(`Chain ${chainId} not found`, "unsupported_chain");
}

/** @param {Promise<Response | null>} reading */
async function bytesOf(reading) {
  const document = await reading;
  return document && new Uint8Array(await document.arrayBuffer());
}

/**
 * Answers with the document of the present epoch, if the index of epochs names one.
 * @param {string} method
 * @param {URL} url
 * @param {Host} host
 */
async function answerEpoch(method, { pathname }, { read, now = Date.now }) {
  if (method !== "GET" && method !== "HEAD") return null;
  const index = await bytesOf(read(INDEX));
  const epochs = index ? parseEpochs(new TextDecoder().decode(index)) : [];
  const path = placesOf(pathname).find((place) => isTimed(epochs, place));
  if (!path) return null;
  const instant = now();
  const document = await read(documentAt(epochs, path, instant)) ?? await read(path);
  const told = document?.headers.get("Content-Type") ?? "";
  const contentType = path.endsWith(".json") && !told.includes("+json") ? answers.JSON_TYPE : told;
  return document &&
    answers.documentAnswer(document, { contentType, cacheControl: cacheControl(epochs, instant) });
}

/**
 * What a path can mean: a file, the page of a folder, a page without its extension, as many hosts have it.
 * @param {string} pathname
 */
function placesOf(pathname) {
  const path = pathname.slice(1);
  return pathname.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`];
}
