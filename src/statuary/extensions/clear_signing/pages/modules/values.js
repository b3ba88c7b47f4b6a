// Values of calls and messages, JSON of descriptors, and paths to both: `values.py` and `paths.py` in JavaScript.

import { keccak256 } from "../../../../edge/keccak.js";

/** Why a call or message is not shown. */
export class NotShown extends Error {}

export function refuseIf(isWrong, why) {
  if (isWrong) throw new NotShown(why);
}

/** Reads JSON; a whole number that JavaScript would round becomes a BigInt where browsers can tell. */
export function parseJson(text) {
  return JSON.parse(text, (_key, value, context) => {
    const isRounded = typeof value === "number" && !Number.isSafeInteger(value);
    return isRounded && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context.source) : value;
  });
}

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const isWhole = (value) => typeof value === "bigint" || Number.isInteger(value);
export const asList = (value) => Array.isArray(value) ? value : [];

/** A member of a JSON object; undefined where there is none. */
export const member = (value, key) => isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

export const entriesOf = (value) => isObject(value) ? Object.entries(value) : [];

const digits = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const hexOf = (bytes) => `0x${digits(bytes)}`;

/** The bytes of hex, with or without `0x`; undefined for anything else. */
export function bytesOf(text) {
  const hex = text.replace(/^0x/, "");
  if (!/^([0-9a-fA-F]{2})*$/.test(hex)) return undefined;
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export const numberOf = (bytes) => bytes.length ? BigInt(hexOf(bytes)) : 0n;
const utf8 = (text) => new TextEncoder().encode(text);
export const keccak = (text) => hexOf(keccak256(utf8(text)));

/** An address with its EIP-55 checksum. */
export function checksummed(bytes) {
  const plain = digits(bytes);
  const hash = digits(keccak256(utf8(plain)));
  const letters = [...plain].map((digit, place) => parseInt(hash[place], 16) > 7 ? digit.toUpperCase() : digit);
  return `0x${letters.join("")}`;
}

/** A value that is no struct (a Map) or array: a BigInt, a boolean, a text or bytes. */
export class Leaf {
  constructor(kind, value) {
    this.kind = kind;
    this.value = value;
  }

  get isNumber() {
    return this.kind === "uint" || this.kind === "int";
  }

  /** Its bytes: numbers have 32. */
  get bytes() {
    if (this.value instanceof Uint8Array) return this.value;
    if (typeof this.value === "string") return utf8(this.value);
    if (typeof this.value === "boolean") return Uint8Array.of(this.value ? 1 : 0);
    return bytesOf(BigInt.asUintN(256, this.value).toString(16).padStart(64, "0"));
  }
}

/** A constant of a descriptor as a value; undefined if it is none. */
export function writtenValue(written) {
  if (typeof written === "boolean") return new Leaf("bool", written);
  if (isWhole(written)) return new Leaf(written < 0 ? "int" : "uint", BigInt(written));
  if (typeof written !== "string") return undefined;
  const raw = written.startsWith("0x") ? bytesOf(written) : undefined;
  if (raw) return new Leaf(raw.length === 20 ? "address" : "bytes", raw);
  if (/^-?\d+$/.test(written)) return new Leaf(written.startsWith("-") ? "int" : "uint", BigInt(written));
  return new Leaf("string", written);
}

const NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const DESCRIPTOR_NAME = /^[A-Za-z0-9_$ -]+$/;
const MOST_CHARACTERS = 1_000; // of a path

/** A path: its root (`#`, `@`, `$` or none) and its steps. */
export function parsePath(text) {
  refuseIf([...text].length > MOST_CHARACTERS, "a path is too long");
  const [first, ...others] = text.split(".");
  const hasRoot = ["#", "@", "$"].includes(first);
  refuseIf(hasRoot && !others.length && first !== "#", `the path ${text} names nothing`);
  const root = hasRoot ? first : "";
  return { root, steps: (hasRoot ? others : [first, ...others]).map((part) => step(part, root)) };
}

function step(part, root) {
  if ((root === "$" ? DESCRIPTOR_NAME : NAME).test(part)) return { name: part };
  if (part === "[]") return { all: true };
  const [, index] = /^\[(-?\d{1,9})\]$/.exec(part) ?? [];
  if (index !== undefined) return { index: Number(index) };
  const slice = /^\[(-?\d{1,9})?:(-?\d{1,9})?\]$/.exec(part);
  refuseIf(!slice, `a path has the part ${part}`);
  return { slice: slice.slice(1, 3).map((bound) => bound === undefined ? undefined : Number(bound)) };
}

/** The value at steps without `[]`; undefined if there is none. */
export function valueAt(value, steps) {
  return steps.reduce(stepInto, value);
}

function stepInto(value, { name, index, slice }) {
  if (name !== undefined) return value instanceof Map ? value.get(name) : undefined;
  if (index !== undefined) return Array.isArray(value) ? value.at(index) : undefined;
  if (!slice) return undefined;
  if (Array.isArray(value)) return value.slice(...slice);
  return value instanceof Leaf ? new Leaf("slice", value.bytes.slice(...slice)) : undefined;
}

/** What a path with `$` names in a descriptor. */
export function inDescriptor(descriptor, { root, steps }) {
  refuseIf(root !== "$", "a path does not start with `$.`");
  return steps.reduce((value, { name }) => {
    const inner = name === undefined ? undefined : member(value, name);
    refuseIf(inner === undefined, "a path reaches nothing in the descriptor");
    return inner;
  }, descriptor);
}
