// On-chain bytecode with its marks (`contracts/pages/bytecode.py`).

import { auxdataFields, auxdataStyle } from "../check/auxdata.js";
import { readStep, stepValue } from "../check/transformations.js";
import {
  anyHex,
  asList,
  asObject,
  asText,
  at,
  attempt,
  bytesOf,
  isSize,
  keccakHex,
  sizeOf,
  slice,
  Unreadable,
  utf8,
} from "../check/values.js";
import { oneLine } from "./texts.js";

const LONGEST_PLAIN = 160;
const ENDS = 64;
const LONGEST_PLACE = 8_000;

/** An address with its EIP-55 checksum. */
export function checksummed(digits) {
  const hash = keccakHex(utf8(digits));
  return `0x${
    [...digits].map((digit, place) => parseInt(hash[place], 16) > 7 ? digit.toUpperCase() : digit).join("")
  }`;
}

/** One side of a record's code. */
export function codeView(record, side) {
  const value = asObject(record[`${side}Bytecode`]);
  const [onchain, recompiled] = [anyHex(value.onchainBytecode), anyHex(value.recompiledBytecode)];
  const steps = attempt(() => asList(value.transformations).map(readStep));
  const read = steps instanceof Unreadable ? [] : steps;
  const puts = read.map((step) => {
    const put = attempt(() => stepValue(step, asObject(value.transformationValues)));
    return put instanceof Unreadable ? "" : put;
  });
  const marks = onchain === undefined
    ? []
    : marksOf(value, read, puts).filter(({ end }) => end * 2 <= onchain.length);
  const places = side === "runtime" ? sourcePlaces(record, new Set(read.map(({ offset }) => offset))) : new Map();
  const { language, compilerVersion } = asObject(record.compilation);
  const style = auxdataStyle(asText(language), asText(compilerVersion));
  const placeOf = (number) => places.get(read[number - 1]?.offset) ?? null;
  return {
    side,
    match: asText(record[`${side}Match`]) || null,
    size: onchain === undefined ? null : sizeOf(onchain),
    recompiled: recompiled === undefined ? null : sizeOf(recompiled),
    pieces: [...piecesOf(onchain ?? "", marks)].map((piece) => ({
      ...piece,
      value: shownValue(piece, style),
      place: piece.step ? placeOf(piece.step) : null,
    })),
    steps: read.map((step, number) => ({
      number: number + 1,
      type: step.type,
      reason: step.reason,
      offset: step.offset,
      id: oneLine(step.id ?? ""),
      value: puts[number],
      bytes: step.type === "delete" ? step.length ?? 0 : sizeOf(puts[number]),
      place: placeOf(number + 1),
    })),
    reasons: [...new Set(marks.map(({ reason }) => reason))],
  };
}

/** The marks by place; each step shifts those behind it, and takes the place of those within it. */
function marksOf(value, steps, puts) {
  const inOrder = (one, other) => one.start - other.start || one.end - other.end;
  let marks = Object.entries(asObject(value.cborAuxdata)).flatMap(([id, piece]) => {
    const [offset, digits] = [at(piece, "offset"), anyHex(asText(at(piece, "value")))];
    return isSize(offset) && digits
      ? [{ start: offset, end: offset + sizeOf(digits), reason: "auxdata", id, step: 0 }]
      : [];
  }).sort(inOrder);
  steps.forEach((step, number) => {
    const put = sizeOf(puts[number]);
    const length = step.type === "insert" ? 0 : step.length ?? put;
    const [start, end] = [step.offset, step.offset + length];
    const before = marks.filter((mark) => mark.end <= start);
    const after = marks.slice(before.length).filter((mark) => mark.start >= end)
      .map((mark) => ({ ...mark, start: mark.start + put - length, end: mark.end + put - length }));
    marks = [
      ...before,
      { start, end: start + put, reason: step.reason, id: step.id ?? "", step: number + 1 },
      ...after,
    ];
  });
  return marks.sort(inOrder);
}

function* piecesOf(digits, marks) {
  let offset = 0;
  for (const { start, end, reason, id, step } of marks) {
    if (start < offset) continue;
    yield* plainPieces(digits, offset, start);
    yield { hex: slice(digits, start, end), offset: start, reason, id: oneLine(id), step, omitted: 0 };
    offset = end;
  }
  yield* plainPieces(digits, offset, sizeOf(digits));
}

function* plainPieces(digits, start, end) {
  const size = end - start;
  const piece = (from, to) => ({
    hex: slice(digits, from, to),
    offset: from,
    reason: "",
    id: "",
    step: 0,
    omitted: 0,
  });
  if (size <= 0) return;
  if (size <= LONGEST_PLAIN) return yield piece(start, end);
  yield piece(start, start + ENDS);
  yield { ...piece(start + ENDS, start + ENDS), omitted: size - 2 * ENDS };
  yield piece(end - ENDS, end);
}

/** What the bytes of a mark encode; empty if that is only their hex digits. */
function shownValue({ hex, reason }, style) {
  if (reason === "auxdata" || reason === "cborAuxdata") {
    const fields = attempt(() => auxdataFields(hex, style));
    if (fields instanceof Unreadable) return "";
    const hashes = Object.entries(fields.hashes).map(([scheme, digest]) =>
      scheme === "ipfs" ? `ipfs://${base58(digest)}` : `${scheme} 0x${digest}`
    );
    return [...hashes, `compiler ${fields.compiler}`].join(", ");
  }
  if (reason === "immutable" && hex.length === 64) {
    const number = BigInt(`0x${hex}`);
    return number < 1n << 64n ? String(number) : `0x${number.toString(16)}`;
  }
  return ["library", "callProtection"].includes(reason) && hex.length === 40 ? checksummed(hex) : "";
}

const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

function base58(hex) {
  let text = "";
  for (let number = BigInt(`0x${hex}`); number; number /= 58n) text = DIGITS[Number(number % 58n)] + text;
  return "1".repeat(/^(?:00)*/.exec(hex)[0].length / 2) + text;
}

// ── sources of marks ─────────────────────────────────────────────────────────────────────────────────────────────

/** The lines of sources that pushed values come from, by their offset in the recompiled runtime code. */
function sourcePlaces(record, offsets) {
  const code = asObject(record.runtimeBytecode);
  const digits = anyHex(asText(code.recompiledBytecode));
  const entries = asText(code.sourceMap).split(";");
  const places = new Map();
  if (!offsets.size || entries.length < 2 || digits === undefined) return places;
  const files = new Map(
    Object.entries(asObject(record.sourceIds)).map(([path, entry]) => [at(entry, "id"), path]),
  );
  const bytes = bytesOf(digits);
  const fields = [0, 0, -1];
  let offset = 0;
  for (const entry of entries) {
    if (offset >= bytes.length) break;
    entry.split(":").slice(0, 3).forEach((value, place) => {
      if (value) fields[place] = /^\d+$/.test(value) ? Number(value) : -1;
    });
    if (Math.min(...fields) >= 0 && offsets.has(offset + 1) && files.has(fields[2])) {
      places.set(offset + 1, placeIn(record, files.get(fields[2]), fields[0], fields[1]));
    }
    const operation = bytes[offset];
    offset += 1 + (operation >= 0x60 && operation <= 0x7f ? operation - 0x5f : 0);
  }
  return places;
}

function placeIn(record, path, start, length) {
  const text = utf8(asText(at(record.sources, path, "content")));
  const line = text.subarray(0, start).reduce((count, byte) => count + (byte === 10 ? 1 : 0), 1);
  const words = new TextDecoder().decode(text.subarray(start, Math.min(start + length, start + LONGEST_PLACE)));
  return { path, line, text: oneLine(words) };
}
