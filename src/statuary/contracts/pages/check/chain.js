// Compares the code on the chain with the record's, through a node. No request is sent before the reader's click.

import { firstDifference } from "./values.js";

/** Sends requests to an Ethereum node at an address by JSON-RPC. */
export const nodeAt = (url) => async (method, params) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body, credentials: "omit", cache: "no-store" });
  const { result, error } = await answer.json();
  if (error) throw new Error(error.message);
  return result;
};

/** Sends requests to a wallet in the browser (EIP-1193). */
export const walletOf = (provider) => (method, params) => provider.request({ method, params });

/** The code at the address in the latest block, and the blocks that the proof is under, according to a node. */
export async function compareWithChain(ask, record, blocks) {
  const chain = String(BigInt(await ask("eth_chainId", [])));
  const { chainId } = record;
  if (chain !== chainId) return [["chain", { chain, chainId }]];
  const answers = [await codeNow(ask, record)];
  for (const block of new Map(blocks.map((one) => [one.hash, one])).values()) {
    answers.push(await blockOf(ask, block));
  }
  return answers;
}

/** Returns whether the node has a block, by number and hash. */
async function blockOf(ask, { number, hash }) {
  const found = await ask("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]);
  return [found?.hash === hash ? "known" : "foreign", {
    block: number.toLocaleString(),
    hash: found?.hash ?? "-",
  }];
}

async function codeNow(ask, { address, runtimeBytecode }) {
  const { number, hash } = await ask("eth_getBlockByNumber", ["latest", false]);
  const code = await ask("eth_getCode", [address, number]);
  const block = { block: BigInt(number).toLocaleString(), hash };
  if (code === "0x") return ["empty", block];
  const place = firstDifference(code, runtimeBytecode.onchainBytecode);
  return place < 0 ? ["same", block] : ["differs", { ...block, place: place - 1 }];
}
