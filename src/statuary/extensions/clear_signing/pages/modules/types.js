// The keys of `formats`, and what they make of bytes and of JSON: `key_types.py` and `values.py` in JavaScript.

import { bytesOf, isObject, keccak, Leaf, numberOf, refuseIf } from "./values.js";

const WORD = 32;
const DEEPEST = 32;
const MOST_VALUES = 200_000;
const LONGEST_KEY = 20_000;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** A function of a key: its parameters and its selector. */
export function parseFunctionKey(text) {
  refuseIf(text.length > LONGEST_KEY, "a key is too long");
  const tokens = text.match(/[A-Za-z_$][A-Za-z0-9_$]*|\[\d*\]|[(),]|[ \t]+/g) ?? [];
  refuseIf(tokens.join("") !== text, "a key has a character that no function has");
  const reader = new Tokens(tokens.filter((token) => token.trim()));
  const name = reader.take();
  refuseIf(!IDENTIFIER.test(name) || reader.take() !== "(", "a key is not a function");
  const type = parameters(reader, 0);
  refuseIf(reader.next !== "", "a key has text after its parameters");
  return { type, selector: keccak(name + canonical(type)).slice(0, 10) };
}

class Tokens {
  constructor(tokens) {
    this.tokens = tokens;
    this.place = 0;
  }

  get next() {
    return this.tokens[this.place] ?? "";
  }

  take() {
    const token = this.next;
    this.place += 1;
    return token;
  }
}

/** Reads parameters up to the closing parenthesis, which is read too. */
function parameters(reader, depth) {
  refuseIf(depth > DEEPEST, "tuples nest too deep");
  const members = [];
  if (reader.next === ")") return reader.take() && { members };
  for (let end = ","; end === ",";) {
    members.push(parameter(reader, depth));
    end = reader.take();
    refuseIf(end !== "," && end !== ")", "a key has no closing parenthesis");
  }
  return { members: named(members) };
}

function parameter(reader, depth) {
  const word = reader.take();
  let type = word === "(" ? parameters(reader, depth + 1) : basic(word);
  for (let level = depth; reader.next.startsWith("["); level++) {
    refuseIf(level >= DEEPEST, "arrays nest too deep");
    type = list(type, reader.take().slice(1, -1));
  }
  if ([",", ")", ""].includes(reader.next)) return { name: "", type };
  const name = reader.take();
  refuseIf(!IDENTIFIER.test(name), "a key has no name where one is expected");
  return { name, type };
}

function named(members) {
  const names = members.map(({ name }) => name).filter(Boolean);
  refuseIf(new Set(names).size !== names.length, "a key has two parameters of one name");
  return members;
}

const list = (item, length) => ({ item, length: length === "" ? undefined : Number(length) });

function basic(name) {
  const match = /^(?:(address|bool|string|bytes)|bytes([1-9]|[12]\d|3[012])|(u?int)([1-9]\d{0,2}))$/.exec(name);
  const bits = Number(match?.[4] ?? 8);
  refuseIf(!match || bits > 256 || bits % 8, `${name} is not a type`);
  const [, plain, size, integer] = match;
  const isDynamic = plain === "string" || plain === "bytes";
  return { name, kind: plain ?? integer ?? "bytesN", size: size ? Number(size) : bits, isDynamic };
}

function canonical(type) {
  if (type.item) return `${canonical(type.item)}[${type.length ?? ""}]`;
  return type.members ? `(${type.members.map((one) => canonical(one.type)).join()})` : type.name;
}

// ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

const isDynamic = (type) =>
  type.item
    ? type.length === undefined || isDynamic(type.item)
    : type.members
    ? type.members.some((one) => isDynamic(one.type))
    : type.isDynamic;

function head(type) {
  if (isDynamic(type)) return WORD;
  if (type.item) return head(type.item) * type.length;
  return type.members ? type.members.reduce((sum, one) => sum + head(one.type), 0) : WORD;
}

/** The arguments of a call, after its selector, as a Map; as wallets decode them: canonical or not. */
export const decodeCall = (type, data) => new Decoder(data).struct(type, 0);

class Decoder {
  constructor(data) {
    this.data = data;
    this.count = 0;
  }

  struct({ members }, start) {
    const values = this.sequence(members.map(({ type }) => type), start);
    return new Map(members.map(({ name }, place) => [name || `(${place})`, values[place]]));
  }

  sequence(types, start) {
    let place = start;
    return types.map((type) => {
      refuseIf(++this.count > MOST_VALUES, "too many values");
      const at = isDynamic(type) ? start + this.size(place) : place;
      place += head(type);
      return this.value(type, at);
    });
  }

  value(type, place) {
    if (type.members) return this.struct(type, place);
    if (!type.item) return this.leaf(type, place);
    const isOpen = type.length === undefined;
    const count = isOpen ? this.size(place) : type.length;
    refuseIf(count * WORD > this.data.length, `an array of ${count} items does not fit`);
    return this.sequence(Array(count).fill(type.item), isOpen ? place + WORD : place);
  }

  leaf(type, place) {
    if (type.isDynamic) {
      const end = place + WORD + this.size(place);
      refuseIf(end > this.data.length, `${type.name} does not fit`);
      const raw = this.data.slice(place + WORD, end);
      return new Leaf(
        type.kind,
        type.kind === "bytes" ? raw : new TextDecoder("utf-8", { ignoreBOM: true }).decode(raw),
      );
    }
    const word = this.word(place);
    if (type.kind === "address") return new Leaf("address", word.slice(12));
    if (type.kind === "bytesN") return new Leaf("bytes", word.slice(0, type.size));
    const number = numberOf(word);
    if (type.kind === "bool") return new Leaf("bool", number !== 0n);
    return new Leaf(type.kind, (type.kind === "int" ? BigInt.asIntN : BigInt.asUintN)(type.size, number));
  }

  word(place) {
    refuseIf(!(place >= 0 && place <= this.data.length - WORD), `a word is missing at byte ${place}`);
    return this.data.slice(place, place + WORD);
  }

  /** A length or an offset; one beyond all data stays so as a number. */
  size(place) {
    return Number(numberOf(this.word(place)));
  }
}

// ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────

const MEMBER = /^([A-Za-z_$][A-Za-z0-9_$]*)((?:\[\d{0,9}\]){0,8}) ([A-Za-z_$][A-Za-z0-9_$]*)$/;

/** The types of EIP-712's `encodeType` by name; the first is the primary one. */
export function parseMessageKey(text) {
  refuseIf(text.length > LONGEST_KEY, "a key is too long");
  const matches = [...text.matchAll(/([A-Za-z_$][A-Za-z0-9_$:]*)\(([^()]*)\)/g)];
  refuseIf(!matches.length || matches.map(([whole]) => whole).join("") !== text, "a key is not an encodeType");
  const names = new Set(matches.map(([, name]) => name));
  refuseIf(names.size !== matches.length, "a key defines a type twice");
  return new Map(matches.map(([, name, members]) => [name, { members: membersOf(members, names) }]));
}

function membersOf(text, names) {
  const members = (text ? text.split(",") : []).map((part) => {
    const [, base, arrays, name] = MEMBER.exec(part) ??
      refuseIf(true, "a key has a member without a type and a name");
    const start = names.has(base) ? { named: base } : basic(base);
    const lengths = arrays.match(/\[\d*\]/g) ?? [];
    return { name, type: lengths.reduce((type, length) => list(type, length.slice(1, -1)), start) };
  });
  return named(members);
}

/** The key of a message in JSON, as `eth_signTypedData_v4` takes it: EIP-712's `encodeType`. */
export function encodeType(primary, types) {
  const needed = new Set([primary]);
  for (const name of needed) {
    refuseIf(!Array.isArray(types?.[name]), `the type ${name} is missing`);
    for (const { type } of types[name]) {
      const base = String(type).split("[")[0];
      if (Object.hasOwn(types, base)) needed.add(base);
    }
  }
  const others = [...needed].slice(1).sort();
  const members = (name) => types[name].map((one) => `${one.type} ${one.name}`).join();
  return [primary, ...others].map((name) => `${name}(${members(name)})`).join("");
}

/** A value of a message's JSON by its type. */
export function messageValue(type, value, types) {
  if (type.named) type = types.get(type.named);
  if (type.members && isObject(value)) {
    const known = new Map(type.members.map((one) => [one.name, one.type]));
    const members = Object.entries(value).filter(([name]) => known.has(name));
    return new Map(members.map(([name, item]) => [name, messageValue(known.get(name), item, types)]));
  }
  if (type.item && Array.isArray(value)) return value.map((item) => messageValue(type.item, item, types));
  refuseIf(!type.kind, "a value of the message is not of its type");
  return messageLeaf(type, value);
}

function messageLeaf({ kind, name }, value) {
  if (kind === "bool") return new Leaf("bool", value === true || value === "true" || value === 1);
  const text = String(value);
  if (kind === "string") return new Leaf("string", text);
  if (kind === "uint" || kind === "int") {
    refuseIf(!/^(0[xX][0-9a-fA-F]+|-?\d+)$/.test(text), `${text} is no ${name}`);
    return new Leaf(kind, BigInt(text));
  }
  const raw = bytesOf(text);
  refuseIf(!raw || (kind === "address" && raw.length !== 20), `${text} is no ${name}`);
  return new Leaf(kind === "address" ? "address" : "bytes", raw);
}
