// What compilers append to bytecode: Sourcify calls it `cborAuxdata`.

import { cbor, isCbor } from "./cbor.js";
import { asText, attempt, isSince, refuseIf, sizeOf, slice, Unreadable } from "./values.js";

const HASHES = { ipfs: 34, bzzr0: 32, bzzr1: 32 };
const LONGEST_AUXDATA = 1024;

/** The layout of a compiler's auxdata: `solidity`, `vyper`, `vyper 0.3.5`, `vyper 0.3.4`, or not at all. */
export function auxdataStyle(language, version) {
  if (language === "Solidity") return isSince(version, "0.4.7") ? "solidity" : "";
  if (language !== "Vyper" || !isSince(version, "0.3.4")) return "";
  if (!isSince(version, "0.3.5")) return "vyper 0.3.4";
  return isSince(version, "0.3.10") ? "vyper" : "vyper 0.3.5";
}

/** The length that the auxdata at the end of a code states, and where its CBOR ends. */
function extent(code, style) {
  if (style === "vyper 0.3.4") return [11, sizeOf(code)];
  const size = parseInt(code.slice(-4), 16) || 0;
  return [style === "vyper" ? size : size + 2, sizeOf(code) - 2]; // Vyper counts the two bytes of the length
}

/** The auxdata at the end of a code; undefined if there is none. */
export function splitAuxdata(code, style) {
  const [size, end] = extent(code, style);
  const offset = sizeOf(code) - size;
  if (!style || offset < 0 || offset >= end || !isCbor(slice(code, offset, end))) return undefined;
  return { offset, value: slice(code, offset) };
}

/** The fields of a piece of auxdata: hashes by scheme, the compiler's version, and for Vyper its sizes. */
export function auxdataFields(value, style) {
  const [size, end] = extent(value, style);
  refuseIf(!style || size !== sizeOf(value));
  const item = cbor(slice(value, 0, end));
  if (style === "vyper") return vyperFields(item);
  refuseIf(!(item instanceof Map));
  for (const [key, held] of item) {
    const isKnown = Object.hasOwn(HASHES, key)
      ? sizeOf(asText(held?.hex)) === HASHES[key]
      : key === "experimental"
      ? held === true
      : (key === "solc" || key === "vyper") && dotted(held);
    refuseIf(!isKnown);
  }
  const schemes = Object.keys(HASHES).filter((scheme) => item.has(scheme));
  const hashes = Object.fromEntries(schemes.map((scheme) => [scheme, item.get(scheme).hex]));
  return { hashes, compiler: dotted(item.has("solc") ? item.get("solc") : item.get("vyper")) };
}

/** `[integrity (from 0.4.1), runtime size, [data sizes], immutable size, {"vyper": [major, minor, patch]}]` */
function vyperFields(item) {
  const [versions, immutables, , runtime, integrity] = Array.isArray(item) ? item.toReversed() : [];
  refuseIf(!(versions instanceof Map) || item.length < 4 || item.length > 5);
  refuseIf(!Number.isInteger(runtime) || !Number.isInteger(immutables));
  const hashes = integrity?.hex?.length === 64 ? { integrity: integrity.hex } : {};
  return { hashes, compiler: dotted(versions.get("vyper")), runtime, immutables };
}

function dotted(version) {
  if (typeof version === "string") return version;
  const parts = Array.isArray(version)
    ? version
    : version?.hex?.match(/../g)?.map((digits) => parseInt(digits, 16));
  return parts?.length === 3 && parts.every(Number.isInteger) ? parts.join(".") : "";
}

/** Returns why bytes are not auxdata of a style; undefined if they are. */
export function auxdataFault(value, style) {
  if (sizeOf(value) > LONGEST_AUXDATA) return `${sizeOf(value)} bytes are more than compilers append`;
  return attempt(() => auxdataFields(value, style)) instanceof Unreadable
    ? "these bytes are not auxdata"
    : undefined;
}

/** The level that transformations and auxdata earn: an exact match needs a hash of the sources in every piece. */
export function levelOf(pieces, isAuxdataReplaced, style, version) {
  const isHashed = (value) => {
    const fields = attempt(() => auxdataFields(value, style));
    return !(fields instanceof Unreadable) && Object.keys(fields.hashes).length > 0;
  };
  const canBeExact = style === "solidity" || style === "vyper" && isSince(version, "0.4.1");
  const isExact = !isAuxdataReplaced && canBeExact && pieces.length > 0 &&
    pieces.every(({ value }) => isHashed(value));
  return isExact ? "exact_match" : "match";
}
