// @ts-check
/**
 * The file of a document. In the sharded layout, for hosts that limit the files of a folder, the documents of single
 * contracts are in folders by the first two digits of their address:
 *
 *     v2/contract/1/0xab…            _shards/contract/1/ab/0xab…
 *     v2/contract/all-chains/0xab…   _shards/contract/all-chains/ab/0xab…
 *     proof/1/0xAb….json             _shards/proof/1/ab/0xAb….json
 */

import { SHARDED } from "./layout.js";

const RECORD_PATH = /^v2\/contract\/([^/]+)\/(0x([0-9a-fA-F]{2})[0-9a-fA-F]{38})$/;
const PROOF_PATH = /^proof\/([^/]+)\/(0x([0-9a-fA-F]{2})[0-9a-fA-F]{38})\.json$/;

/**
 * The path of the file of a document.
 * @param {string} path the document's own
 */
export function storedPath(path, sharded = SHARDED) {
  const [, recordChain, record, recordDigits] = sharded && RECORD_PATH.exec(path) || [];
  if (record) return `_shards/contract/${recordChain}/${recordDigits.toLowerCase()}/${record}`;
  const [, proofChain, proof, proofDigits] = sharded && PROOF_PATH.exec(path) || [];
  if (proof) return `_shards/proof/${proofChain}/${proofDigits.toLowerCase()}/${proof}.json`;
  return path;
}
