// A call, a returned error or a log, decoded by an ABI: "Decode a call or a log" of a contract's page.

import { inputsOf, readUtf8, signature, signatureEntry } from "./abi.js";
import { isObject, keccakHex, parseJson, refuseIf, sizeOf, slice, Unreadable, utf8 } from "./values.js";

const WORD = 32;
const MOST_VALUES = 10_000;
const MOST_CHARACTERS = 1_000_000;

/** Decodes what a text holds: hex of a call or error, or JSON of a log, of logs, of a transaction or of a receipt. */
export function decode(abi, text) {
  refuseIf(text.length > MOST_CHARACTERS, `more than ${MOST_CHARACTERS} characters`);
  const plain = text.trim();
  if (/^[[{]/.test(plain)) return [...logsAndCalls(abi, JSON.parse(plain), 0)];
  return [decodeCall(abi, plain)];
}

function* logsAndCalls(abi, value, depth) {
  refuseIf(depth > 4, "no log, transaction or receipt in it");
  if (Array.isArray(value)) {
    for (const one of value) yield* logsAndCalls(abi, one, depth + 1);
  } else if (isObject(value)) {
    if (Array.isArray(value.topics)) yield decodeLog(abi, value.topics, value.data ?? "0x");
    else if (typeof (value.input ?? value.data) === "string") yield decodeCall(abi, value.input ?? value.data);
    else yield* logsAndCalls(abi, value.logs ?? value.result ?? null, depth + 1);
  } else refuseIf(true, "no log, transaction or receipt in it");
}

function hexOf(text) {
  const digits = text.replace(/\s+/g, "").replace(/^0x/i, "").toLowerCase();
  refuseIf(!/^([0-9a-f]{2})+$/.test(digits), "not whole bytes of hex");
  return digits;
}

const items = (abi, kinds) =>
  (Array.isArray(abi) ? abi : []).filter((item) => kinds.includes(item?.type) && signature(item));

function decodeCall(abi, text) {
  const digits = hexOf(text);
  refuseIf(digits.length < 8, "shorter than a selector");
  const hash = `0x${digits.slice(0, 8)}`;
  const item = items(abi, ["function", "error"]).find((one) =>
    signatureEntry(signature(one)).signatureHash4 === hash
  );
  if (!item) return { hash };
  return { hash, name: item.name, kind: item.type, ...decodeArguments(inputsOf(item), digits.slice(8)) };
}

function decodeLog(abi, topics, data) {
  const [hash, ...indexed] = topics.map((topic) => `0x${hexOf(topic)}`);
  refuseIf(indexed.some((topic) => topic.length !== 66), "a topic is not 32 bytes");
  const item = items(abi, ["event"]).find((one) =>
    !one.anonymous && signatureEntry(signature(one)).signatureHash32 === hash &&
    inputsOf(one).filter((input) => input.indexed).length === indexed.length
  );
  if (!item) return { hash };
  const inputs = inputsOf(item);
  const plain = decodeArguments(inputs.filter((input) => !input.indexed), data === "0x" ? "" : hexOf(data));
  const [others, topicsLeft] = [[...plain.values], [...indexed]];
  const values = inputs.map((input) => {
    if (!input.indexed) return others.shift();
    const topic = topicsLeft.shift();
    // of what does not fit into a topic, the topic is the hash
    const isHash = input.type.isDynamic || input.type.item || input.type.items;
    const value = isHash ? topic : read(new Reader(topic.slice(2)), input.type, 0);
    return { name: input.name, type: input.type.name, value, isHash: Boolean(isHash) };
  });
  return { hash, name: item.name, kind: "event", values, rest: plain.rest };
}

/** The values of inputs, and how many bytes follow them; offsets may lead anywhere, as contracts read them. */
export function decodeArguments(inputs, digits) {
  const reader = new Reader(digits);
  const values = sequence(reader, inputs.map(({ type }) => type), 0);
  return {
    values: inputs.map(({ name, type }, place) => ({ name, type: type.name, value: values[place] })),
    rest: Math.max(0, sizeOf(digits) - reader.end),
  };
}

class Reader {
  constructor(digits) {
    this.digits = digits;
    this.end = 0;
    this.count = 0;
  }

  bytes(place, size) {
    refuseIf(++this.count > MOST_VALUES, `more than ${MOST_VALUES} values`);
    refuseIf(place + size > sizeOf(this.digits), "the arguments end too early");
    this.end = Math.max(this.end, place + size);
    return slice(this.digits, place, place + size);
  }

  word(place) {
    return BigInt(`0x${this.bytes(place, WORD)}`);
  }

  size(place) {
    const value = this.word(place);
    refuseIf(value > BigInt(MOST_CHARACTERS), "a length or an offset is too large");
    return Number(value);
  }
}

function sequence(reader, types, start) {
  let place = start;
  return types.map((type) => {
    const at = type.isDynamic ? start + reader.size(place) : place;
    place += type.head;
    return read(reader, type, at);
  });
}

function read(reader, type, place) {
  if (type.items) return sequence(reader, type.items, place);
  if (type.item) {
    const isOpen = type.length === undefined;
    const length = isOpen ? reader.size(place) : type.length;
    refuseIf(length > MOST_VALUES, `more than ${MOST_VALUES} values`);
    return sequence(reader, Array(length).fill(type.item), isOpen ? place + WORD : place);
  }
  if (type.isDynamic) return text(reader, type, place);
  if (type.size) {
    refuseIf(/[^0]/.test(reader.bytes(place + type.size, WORD - type.size)), `bits outside of ${type.name}`);
    return `0x${reader.bytes(place, type.size)}`;
  }
  return number(type, reader.word(place));
}

function number({ name, bits }, word) {
  if (name.startsWith("int")) {
    const value = BigInt.asIntN(256, word);
    refuseIf(BigInt.asIntN(bits, value) !== value, `bits outside of ${name}`);
    return String(value);
  }
  refuseIf(BigInt.asUintN(bits, word) !== word, `bits outside of ${name}`);
  if (name === "bool") return String(word === 1n);
  return name === "address" ? checksummed(word.toString(16).padStart(40, "0")) : String(word);
}

function text(reader, { name }, place) {
  const size = reader.size(place);
  const digits = reader.bytes(place + WORD, size);
  reader.end = Math.max(reader.end, Math.min(sizeOf(reader.digits), place + WORD + Math.ceil(size / WORD) * WORD));
  if (name !== "string") return `0x${digits}`;
  try {
    return JSON.stringify(readUtf8(digits));
  } catch {
    return `0x${digits}`;
  }
}

/** An address with its EIP-55 checksum. */
function checksummed(digits) {
  const hash = keccakHex(utf8(digits));
  return `0x${
    [...digits].map((digit, place) => parseInt(hash[place], 16) > 7 ? digit.toUpperCase() : digit).join("")
  }`;
}

const shown = (value) => Array.isArray(value) ? `[${value.map(shown).join(", ")}]` : value;

function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

/** Decodes what a form of a contract's page holds, and shows it there. */
export async function showDecoded(form) {
  const output = form.querySelector("output");
  const filled = (key, values = {}) => form.dataset[key].replace(/\{(\w+)\}/g, (_whole, name) => values[name]);
  output.textContent = filled("asking");
  try {
    const response = await fetch(form.dataset.decode);
    if (!response.ok) throw new Error(`${response.status} ${form.dataset.decode}`);
    const { abi } = parseJson(await response.text());
    const results = decode(abi, form.querySelector("textarea").value);
    output.replaceChildren(...results.flatMap(({ hash, name, values, rest }) => {
      if (!name) return [element("p", filled("unknown", { hash }))];
      const list = element(
        "dl",
        ...values.flatMap((one, place) => [
          element(
            "dt",
            one.name || String(place + 1),
            " ",
            element("small", one.isHash ? `keccak256(${one.type})` : one.type),
          ),
          element("dd", element("code", shown(one.value))),
        ]),
      );
      const extra = rest ? [element("p", filled("rest", { bytes: rest }))] : [];
      return [element("p", element("strong", name), " ", element("code", hash)), list, ...extra];
    }));
  } catch (error) {
    const reason = error instanceof Unreadable || error instanceof Error ? error.message : String(error);
    output.textContent = filled("unread", { reason });
  }
}
