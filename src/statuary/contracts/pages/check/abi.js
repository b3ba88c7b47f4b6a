// Types, signatures and values of an ABI, as ethers v6 reads them (Solidity's "Contract ABI Specification").

import { at, attempt, bytesOf, isObject, keccakHex, refuseIf, sizeOf, slice, Unreadable, utf8 } from "./values.js";

const WORD = 32;
const DEEPEST_TYPE = 32; // levels of arrays and tuples in a type
export const IDENTIFIER = /^[a-zA-Z$_][a-zA-Z0-9$_]*$/;

export const KINDS = ["function", "event", "error"];

/** The signatures of an ABI by kind: those of the items that ethers can read. */
export function signaturesOf(abi) {
  const found = Object.fromEntries(KINDS.map((kind) => [kind, new Set()]));
  for (const item of Array.isArray(abi) ? abi : []) {
    const kind = at(item, "type");
    const text = KINDS.includes(kind) ? signature(item) : undefined;
    if (text) found[kind].add(text);
  }
  return found;
}

/** The element of a record's `signatures` for a signature. */
export function signatureEntry(text) {
  const digest = `0x${keccakHex(utf8(text))}`;
  return { signature: text, signatureHash4: digest.slice(0, 10), signatureHash32: digest };
}

export function signature(item) {
  if (typeof item.name !== "string" || !IDENTIFIER.test(item.name)) return undefined;
  const inputs = attempt(() => {
    if (item.type === "function") typesOf(item.outputs);
    return typesOf(item.inputs, item.type === "event");
  });
  return inputs instanceof Unreadable ? undefined : `${item.name}${tuple(inputs).name}`;
}

/** The types of an item's inputs in order, with their names; undefined if one of them cannot be read. */
export function inputsOf(item) {
  const types = attempt(() => typesOf(item.inputs, item.type === "event"));
  return types instanceof Unreadable ? undefined : types.map((type, place) => ({
    type,
    name: item.inputs[place].name ?? "",
    indexed: item.inputs[place].indexed === true,
  }));
}

/** The inputs of an ABI's constructor, as one tuple; undefined if they are of types that cannot be read. */
export function constructorInputs(abi) {
  const item = (Array.isArray(abi) ? abi : []).find((one) => at(one, "type") === "constructor");
  const inputs = attempt(() => typesOf(at(item, "inputs")));
  return inputs instanceof Unreadable ? undefined : tuple(inputs);
}

function typesOf(parameters, mayBeIndexed = false) {
  if (!parameters) return [];
  refuseIf(!Array.isArray(parameters));
  return parameters.map((one) => parameterType(one, 0, mayBeIndexed));
}

function parameterType(parameter, depth, mayBeIndexed = false) {
  refuseIf(!isObject(parameter) || typeof parameter.type !== "string");
  const { name, indexed, type, components } = parameter;
  refuseIf(name && !IDENTIFIER.test(name));
  refuseIf((indexed ?? null) !== null && !mayBeIndexed);
  return readType(type, components, depth);
}

/** A type: its canonical name, the bytes of its head, whether that is an offset, and its component types. */
function readType(type, components, depth) {
  refuseIf(depth > DEEPEST_TYPE);
  const [, item, length] = /^(.*)\[([0-9]*)\]$/s.exec(type) ?? [];
  if (item !== undefined) return array(readType(item, components, depth + 1), length);
  if (type !== "tuple" && !/^(tuple)?\(/.test(type)) return basic(type);
  refuseIf(!Array.isArray(components));
  return tuple(components.map((one) => parameterType(one, depth + 1)));
}

function array(item, digits) {
  refuseIf(digits.length > 30);
  const length = digits ? Number(digits) : undefined;
  const isDynamic = length === undefined || item.isDynamic;
  return {
    name: `${item.name}[${digits && BigInt(digits)}]`,
    isDynamic,
    head: isDynamic ? WORD : item.head * length,
    item,
    length,
  };
}

function tuple(items) {
  const isDynamic = items.some((item) => item.isDynamic);
  const head = isDynamic ? WORD : headOf(items);
  return { name: `(${items.map((item) => item.name).join()})`, isDynamic, head, items };
}

function basic(type) {
  const found = /^(?:(address|bool|string)|(bytes)([0-9]*)|(u?int)([0-9]*))$/.exec(type);
  refuseIf(!found);
  const [, plain, bytes, length, integer, width] = found;
  const bits = integer ? Number(width || 256) : { address: 160, bool: 1 }[plain];
  const size = length ? Number(length) : undefined;
  refuseIf(integer && (bits < 8 || bits > 256 || bits % 8) || size === 0 || size > WORD);
  const isDynamic = plain === "string" || bytes && !length;
  return { name: integer && !width ? `${type}256` : type, isDynamic: Boolean(isDynamic), head: WORD, bits, size };
}

const headOf = (items) => items.reduce((sum, item) => sum + item.head, 0);

// ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Throws unless all bytes are the canonical encoding of a tuple's values. */
export function checkValues({ items }, data) {
  const end = readSequence(items, data, 0);
  refuseIf(end !== sizeOf(data));
}

/** Reads heads, and the tails that follow them without a gap; returns where they end. */
function readSequence(items, data, start) {
  let tail = start + headOf(items);
  refuseIf(tail > sizeOf(data));
  let place = start;
  for (const item of items) {
    if (!item.isDynamic) readStatic(item, data, place);
    else {
      refuseIf(Number(word(data, place)) !== tail - start);
      tail = readDynamic(item, data, tail);
    }
    place += item.head;
  }
  return tail;
}

function readDynamic(type, data, start) {
  if (type.items) return readSequence(type.items, data, start);
  if (!type.item) return readText(type, data, start);
  const isOpen = type.length === undefined;
  const length = isOpen ? Number(word(data, start)) : type.length;
  const first = isOpen ? start + WORD : start;
  refuseIf(length * WORD > sizeOf(data) - first);
  return readSequence(Array(length).fill(type.item), data, first);
}

function readText({ name }, data, start) {
  const length = Number(word(data, start));
  const end = start + WORD + length;
  const padded = start + WORD + Math.ceil(length / WORD) * WORD;
  refuseIf(padded > sizeOf(data));
  refuseIf(/[^0]/.test(slice(data, end, padded)));
  if (name === "string") readUtf8(slice(data, start + WORD, end));
  return padded;
}

/** The text of bytes in UTF-8. */
export function readUtf8(hex) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOf(hex));
  } catch {
    throw new Unreadable();
  }
}

function readStatic(type, data, place) {
  if (type.items) return readSequence(type.items, data, place);
  if (type.item) {
    refuseIf(!type.item.head);
    return readSequence(Array(type.length).fill(type.item), data, place);
  }
  if (type.size) {
    refuseIf(/[^0]/.test(slice(data, place + type.size, place + WORD)));
    return;
  }
  const number = word(data, place);
  const isSigned = type.name.startsWith("int");
  refuseIf(
    (isSigned ? BigInt.asIntN : BigInt.asUintN)(type.bits, number) !==
      (isSigned ? BigInt.asIntN(256, number) : number),
  );
}

function word(data, place) {
  refuseIf(place + WORD > sizeOf(data));
  return BigInt(`0x${slice(data, place, place + WORD)}`);
}
