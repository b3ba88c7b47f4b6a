// The chain's own proof of a contract's code: header of a block, nodes of the state trie, account (EIP-1186).

import {
  anyHex,
  asList,
  at,
  attempt,
  bytesOf,
  keccakHex,
  refuseIf,
  sizeOf,
  slice,
  strictHex,
  Unreadable,
} from "./values.js";

const hashOf = (hex) => keccakHex(bytesOf(hex));

/** Returns whether an anchor's block has an account with this code at an address: its header hashes to the block's hash. */
export function provesCode(anchor, address, code) {
  const digits = strictHex(code);
  const found = attempt(() => {
    refuseIf(!digits);
    const [hash, header] = ["hash", "header"].map((member) => strictHex(at(anchor, "block", member)));
    refuseIf(!header || hashOf(header) !== hash);
    const account = trieValue(
      readRlp(header)[3],
      hashOf(anyHex(address)),
      asList(at(anchor, "account")).map(strictHex),
    );
    return readRlp(account)[3];
  });
  return !(found instanceof Unreadable) && found === hashOf(digits);
}

/** The value of a key in a Merkle Patricia trie, by the nodes from its root on. */
function trieValue(root, key, nodes) {
  let [expected, depth] = [root, 0];
  for (const encoded of nodes) {
    refuseIf(!encoded || hashOf(encoded) !== expected);
    const node = readRlp(encoded);
    if (node.length === 17) {
      expected = node[parseInt(key[depth++], 16)];
      continue;
    }
    const [path, next] = node;
    const part = path.slice(path[0] & 1 ? 1 : 2);
    refuseIf(!key.startsWith(part, depth));
    depth += part.length;
    if (path[0] >= 2 && depth === key.length) return next;
    expected = next;
  }
  throw new Unreadable();
}

/** Reads RLP: byte strings as hex, lists as arrays. */
function readRlp(hex) {
  const [item, end] = rlpItem(hex, 0);
  refuseIf(end !== sizeOf(hex));
  return item;
}

function rlpItem(hex, start) {
  const first = parseInt(slice(hex, start, start + 1), 16);
  if (first < 0x80) return [slice(hex, start, start + 1), start + 1];
  const size = first & 0x3f;
  const place = start + 1 + Math.max(size - 55, 0);
  const end = place + (size > 55 ? parseInt(slice(hex, start + 1, place), 16) : size);
  refuseIf(!(end <= sizeOf(hex)));
  if (first < 0xc0) return [slice(hex, place, end), end];
  const items = [];
  for (let next = place; next < end;) {
    const [item, after] = rlpItem(hex, next);
    items.push(item);
    next = after;
  }
  return [items, end];
}
