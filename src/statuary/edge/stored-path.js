// @ts-check
/**
 * The file of a document. In the sharded layout, for hosts that limit the files of a folder, the documents of single
 * contracts are in folders by the first two digits of their address:
 *
 *     v2/contract/1/0xab…            _shards/contract/1/ab/0xab…
 *     v2/contract/all-chains/0xab…   _shards/contract/all-chains/ab/0xab…
 */

import { SHARDED } from "./layout.js";

const CONTRACT_PATH = /^v2\/contract\/([^/]+)\/(0x([0-9a-f]{2})[0-9a-f]{38})$/;

/**
 * The path of the file of a document.
 * @param {string} path the document's own, with a lower-case address
 */
export function storedPath(path, sharded = SHARDED) {
  return sharded ? path.replace(CONTRACT_PATH, "_shards/contract/$1/$3/$2") : path;
}
