// @ts-check
/**
 * Etherscan's calls about a contract, answered by choosing among stored bodies.
 *
 * A parameter counts as it is first written, and of percent escapes only the comma's is read, so that web servers can
 * choose the same bodies by rules. The HTTP status is always 200.
 */

import { documentAnswer, entityTag, listAnswer, preflight } from "./answers.js";
import { parameter } from "./query.js";

/** @typedef {(path: string) => Promise<Response | null>} Read */

const BASES = /^\/(?:v2\/)?api\/?$|^\/explorer\/(?<chain>[^/]+)\/api\/?$/i;
const CHAIN_LIST = /^\/v2\/chainlist\/?$/i;
const MODULE = /(?:^|&)module(?:=|&|$)/;
const CHAIN = /^[0-9]{1,20}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ACTIONS = ["getsourcecode", "getabi", "getcontractcreation"];
const MOST_ADDRESSES = 10;
const LIST = "etherscan/files/chainlist.json";
const [BEGINS, ENDS] = ['{"status":"1","message":"OK","result":[', "]}"];

/**
 * Responds to a call; null if the request is no call, or the site does not answer them.
 * @param {string} method
 * @param {URL} url
 * @param {Read} read
 */
export async function answerExplorer(method, { pathname, search }, read) {
  const base = BASES.exec(pathname);
  const query = search.slice(1);
  if (!base && !CHAIN_LIST.test(pathname)) return null;
  const isRead = method === "GET" || method === "HEAD";
  const isPage = /^\/api\/?$/i.test(pathname) && (isRead || method === "OPTIONS");
  if (isPage && !MODULE.test(query)) return null;
  const list = await read(LIST);
  if (!list) return null;
  if (!base && isRead) return documentAnswer(list);
  list.body?.cancel();
  if (method === "OPTIONS") return preflight();
  if (!isRead) return stored("verify", read);
  return answerCall(base?.groups?.chain, query, read);
}

/**
 * @param {string | undefined} chainOfPath
 * @param {string} query
 * @param {Read} read
 */
async function answerCall(chainOfPath, query, read) {
  if (parameter(query, "module") !== "contract") return stored("module", read);
  const action = parameter(query, "action");
  if (!ACTIONS.includes(action)) return stored("action", read);
  const chain = chainOfPath || parameter(query, "chainid");
  const known = CHAIN.test(chain) ? await read(`etherscan/chains/${chain}.json`) : null;
  if (!known) return stored("chain", read);
  known.body?.cancel();
  if (action === "getcontractcreation") return creations(chain, parameter(query, "contractaddresses"), read);
  const address = parameter(query, "address");
  if (!ADDRESS.test(address)) return stored("address", read);
  const body = await read(`etherscan/contracts/${chain}/${address}/${action}.json`);
  return body ? documentAnswer(body) : stored(action, read);
}

/** @param {string} name @param {Read} read */
async function stored(name, read) {
  const document = await read(`etherscan/answers/${name}.json`);
  return document && documentAnswer(document);
}

/**
 * The creations of up to ten contracts, in the order in which they are asked for; unknown ones are left out.
 * @param {string} chain
 * @param {string} list
 * @param {Read} read
 */
async function creations(chain, list, read) {
  const addresses = list.split(/,|%2C/i);
  if (!addresses.every((address) => ADDRESS.test(address))) return stored("address", read);
  const paths = addresses.slice(0, MOST_ADDRESSES).map((address) =>
    `etherscan/contracts/${chain}/${address}/creation.json`
  );
  const documents = await Promise.all(paths.map((path) => read(path)));
  const found = documents.filter((document) => document !== null);
  if (!found.length) return stored("getcontractcreation", read);
  const texts = await Promise.all(found.map((document) => document.text()));
  const body = new TextEncoder().encode(`${BEGINS}${texts.join(",")}${ENDS}`);
  return listAnswer(body, await entityTag(body));
}
