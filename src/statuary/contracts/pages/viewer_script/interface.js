// An ABI as lists (`contracts/pages/interface.py`).

import { constructorInputs, signature, signatureEntry } from "../check/abi.js";
import {
  asList,
  asObject,
  asText,
  attempt,
  refuseIf,
  sizeOf,
  slice,
  strictHex,
  Unreadable,
} from "../check/values.js";
import { readUtf8 } from "../check/abi.js";
import { checksummed } from "./code.js";
import { natspecText, oneLine, visibleText } from "./texts.js";

const DEEPEST_STRUCT = 6;
const MOST_ITEMS = 1_000;
const LONGEST_VALUE = 400;
const WORD = 32;

/** An ABI as lists; `target` is the address and the JSON-RPC URL of a command. */
export function interfaceView({ abi, userdoc, devdoc }, constructorArguments, target) {
  const items = asList(abi).map(asObject);
  const anchors = new Set();
  const of = (kind) => {
    const rows = items.filter((item) => item.type === kind).map((item) =>
      itemView(item, kind, userdoc, devdoc, target)
    );
    rows.sort((one, other) => compare(one.name, other.name) || compare(one.signature, other.signature));
    return rows.slice(0, MOST_ITEMS).map((row) => {
      const anchor = anchors.has(row.hash) ? "" : row.hash;
      anchors.add(row.hash);
      return { ...row, anchor };
    });
  };
  const view = {
    constructor: constructorView(abi, items, constructorArguments),
    functions: of("function"),
    events: of("event"),
    errors: of("error"),
    special: ["fallback", "receive"].filter((kind) => items.some((item) => item.type === kind)),
  };
  const { constructor, functions, events, errors, special } = view;
  return {
    ...view,
    is_empty: !(constructor || functions.length || events.length || errors.length || special.length),
  };
}

const compare = (one, other) => one < other ? -1 : one > other ? 1 : 0;

const firstOf = (value) => Array.isArray(value) ? asObject(value[0]) : asObject(value);

function itemView(item, kind, userdoc, devdoc, target) {
  const text = signature(item) ?? "";
  const digest = text && signatureEntry(text).signatureHash32;
  const member = { function: "methods", event: "events", error: "errors" }[kind];
  const [user, dev] = [userdoc, devdoc].map((doc) => firstOf(own(asObject(asObject(doc)[member]), text)));
  const details = Object.entries(dev).filter(([name, one]) =>
    (name === "details" || name.startsWith("custom:")) && asText(one)
  );
  const notices = { ...asObject(dev.returns), ...asObject(dev.params) };
  const mutability = oneLine(asText(item.stateMutability));
  return {
    name: oneLine(asText(item.name)),
    signature: text,
    hash: kind === "event" ? digest : digest.slice(0, 10),
    inputs: parameters(item.inputs, notices, false),
    outputs: parameters(item.outputs, notices, true),
    mutability,
    is_read: ["view", "pure"].includes(mutability),
    anonymous: item.anonymous === true,
    notice: natspecText(user.notice),
    details: details.map(([, one]) => natspecText(one)),
    command: kind === "function" ? command(item, text, target) : "",
  };
}

const own = (object, key) => Object.hasOwn(object, key) ? object[key] : undefined;

function command(item, text, { address, rpc }) {
  const reads = ["view", "pure"].includes(item.stateMutability);
  const outputs = asList(item.outputs);
  const returned = reads && outputs.length
    ? (signature({ type: "function", name: "_", inputs: outputs }) ?? "").slice(1)
    : "";
  const called = text + returned;
  if (!/^[\w$(),[\]]+$/.test(called)) return "";
  const value = item.stateMutability === "payable" ? ["--value", "WEI"] : [];
  const url = rpc ? ["--rpc-url", /^[\w@%+=:,./-]+$/.test(rpc) ? rpc : `'${rpc.replaceAll("'", `'"'"'`)}'`] : [];
  const given = asList(item.inputs).map((one, at) =>
    asText(asObject(one).name).replace(/\W/g, "").toUpperCase() || `ARG${at + 1}`
  );
  return ["cast", reads ? "call" : "send", address, `'${called}'`, ...given, ...value, ...url].join(" ");
}

const parameters = (values, notices, isReturned) =>
  asList(values).map((value, at) => {
    const name = asText(asObject(value).name) || (isReturned ? `_${at}` : "");
    return { ...parameter(value), notice: natspecText(own(notices, name)) };
  });

function parameter(value) {
  const { name, internalType, indexed } = asObject(value);
  const declared = asText(internalType);
  return {
    type: typeText(asObject(value), 0),
    name: oneLine(asText(name)),
    declared: declared.includes(" ") ? oneLine(declared) : "",
    indexed: indexed === true,
    value: "",
  };
}

function typeText(value, depth) {
  const kind = oneLine(asText(value.type));
  if (!kind.startsWith("tuple") || depth >= DEEPEST_STRUCT) return kind;
  const members = asList(value.components).map(asObject)
    .map((one) => `${typeText(one, depth + 1)} ${oneLine(asText(one.name))}`.trim());
  return `(${members.join(", ")})${kind.slice("tuple".length)}`;
}

function constructorView(abi, items, given) {
  const item = items.find((one) => one.type === "constructor");
  const inputs = asList(item?.inputs).map(parameter);
  if (!inputs.length) return null;
  const types = constructorInputs(abi);
  const digits = strictHex(asText(given).toLowerCase());
  const values = types && digits !== undefined ? attempt(() => valuesOf(types, digits)) : [];
  if (!(values instanceof Unreadable) && values.length === inputs.length) {
    inputs.forEach((row, at) => {
      row.value = values[at].length <= LONGEST_VALUE ? values[at] : `${values[at].slice(0, LONGEST_VALUE)} …`;
    });
  }
  return { inputs };
}

// ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────

const valuesOf = ({ items }, digits) => sequence(items, digits, 0);

const word = (digits, place) => {
  refuseIf(place + WORD > sizeOf(digits));
  return BigInt(`0x${slice(digits, place, place + WORD)}`);
};

const size = (digits, place) => {
  const value = word(digits, place);
  refuseIf(value > BigInt(sizeOf(digits)));
  return Number(value);
};

function sequence(types, digits, start) {
  let place = start;
  return types.map((type) => {
    const at = type.isDynamic ? start + size(digits, place) : place;
    place += type.head;
    return valueText(type, digits, at);
  });
}

function valueText(type, digits, place) {
  if (type.items) return `(${sequence(type.items, digits, place).join(", ")})`;
  if (type.item) {
    const isOpen = type.length === undefined;
    const length = isOpen ? size(digits, place) : type.length;
    refuseIf(length * WORD > sizeOf(digits));
    return `[${sequence(Array(length).fill(type.item), digits, isOpen ? place + WORD : place).join(", ")}]`;
  }
  if (type.isDynamic) {
    const length = size(digits, place);
    const bytes = slice(digits, place + WORD, place + WORD + length);
    return type.name === "string" ? `"${visibleText(readUtf8(bytes))}"` : `0x${bytes}`;
  }
  if (type.size) return `0x${slice(digits, place, place + type.size)}`;
  const value = word(digits, place);
  if (type.name === "bool") return String(value === 1n);
  if (type.name === "address") return checksummed(value.toString(16).padStart(40, "0"));
  return String(type.name.startsWith("int") ? BigInt.asIntN(256, value) : value);
}
