// CBOR (RFC 8949): the few items that compilers write, of definite length.

import { readUtf8 } from "./abi.js";
import { attempt, refuseIf, sizeOf, slice, Unreadable } from "./values.js";

const DEEPEST = 16;

/** Reads the item that begins at a byte: its value, and where it ends. Byte strings are objects with their `hex`. */
function cborItem(data, start, depth = 0) {
  refuseIf(depth > DEEPEST || start >= sizeOf(data));
  const first = parseInt(slice(data, start, start + 1), 16);
  const [major, detail] = [first >> 5, first & 31];
  refuseIf(detail > 27);
  const width = detail < 24 ? 0 : 1 << detail - 24;
  const place = start + 1 + width;
  refuseIf(place > sizeOf(data));
  const argument = width ? Number(`0x${slice(data, start + 1, place)}`) : detail;
  if (major < 2) return [major ? -1 - argument : argument, place];
  if (major === 6) return cborItem(data, place, depth + 1);
  if (major === 7) return [cborSimple(detail, argument), place];
  refuseIf(argument * (major === 5 ? 2 : 1) > sizeOf(data) - place);
  if (major > 3) return cborItems(data, place, argument, depth, major === 5);
  const hex = slice(data, place, place + argument);
  return [major === 2 ? { hex } : readUtf8(hex), place + argument];
}

function cborSimple(detail, argument) {
  if (detail > 24) return { float: argument };
  refuseIf(detail < 20 || detail > 23);
  return [false, true, null, null][detail - 20];
}

/** Reads a list, or a map: its values by their keys. */
function cborItems(data, place, count, depth, isMap) {
  const found = isMap ? new Map() : [];
  for (let number = 0; number < count; number++) {
    let [item, end] = cborItem(data, place, depth + 1);
    if (isMap) {
      const key = item?.hex === undefined ? item : `0x${item.hex}`;
      refuseIf(Array.isArray(key) || key instanceof Map || found.has(key));
      [item, end] = cborItem(data, end, depth + 1);
      found.set(key, item);
    } else found.push(item);
    place = end;
  }
  return [found, place];
}

export function cbor(data) {
  const [item, end] = cborItem(data, 0);
  refuseIf(end !== sizeOf(data));
  return item;
}

export const isCbor = (data) => !(attempt(() => cbor(data)) instanceof Unreadable);
