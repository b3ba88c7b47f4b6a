// A call or message as a wallet shows it, by a descriptor: `render.py` in JavaScript; vectors hold them equal.

import { formatValue } from "./formats.js";
import { decodeCall, messageValue, parseFunctionKey, parseMessageKey } from "./types.js";
import {
  asList,
  bytesOf,
  entriesOf,
  hexOf,
  inDescriptor,
  isObject,
  isWhole,
  Leaf,
  member,
  NotShown,
  numberOf,
  parsePath,
  refuseIf,
  valueAt,
  writtenValue,
} from "./values.js";

const MOST_CALLS = 4;
const MOST_LINES = 2_000;
const DEFINITIONS = "$.display.definitions.";

/** What a wallet knows: the `dataProvider` of the registry's tests, and chains with their currency, by id. */
export function namesOf(provider = {}, chains = {}) {
  const texts = (key) =>
    new Map(entriesOf(member(provider, key)).filter(([, text]) => typeof text === "string").map(lowered));
  const isToken = ([, { symbol, decimals }]) =>
    typeof symbol === "string" && isWhole(decimals) && decimals >= 0 && decimals <= 255;
  const times = entriesOf(member(provider, "blockTimestamps")).filter(([, time]) => isWhole(time));
  return {
    tokens: new Map(entriesOf(member(provider, "tokens")).filter(isToken).map(lowered)),
    addresses: texts("addressNames"),
    ens: texts("ensNames"),
    collections: texts("nftCollectionNames"),
    chains: new Map(entriesOf(chains)),
    blockTimes: new Map(times.map(([block, time]) => [String(BigInt(block)), BigInt(time)])),
  };
}

const lowered = ([key, value]) => [key.toLowerCase(), value];

const formatsOf = (descriptor) => entriesOf(member(member(descriptor, "display"), "formats"));

/** The function of a key, or undefined if it is none. */
export function functionOf(key) {
  try {
    return parseFunctionKey(key);
  } catch (error) {
    if (error instanceof NotShown) return undefined;
    throw error;
  }
}

/**
 * A call as it is shown: `{chainId, to, data, value, from}`, of which the last two may be left out.
 *
 * `inner` renders a call within the call at a depth, or returns undefined.
 */
export function renderCall(descriptor, call, names, inner = () => undefined, depth = 0) {
  const selector = hexOf(call.data.slice(0, 4));
  const matching = formatsOf(descriptor).map(([key, spec]) => ({ spec, found: functionOf(key) }))
    .find(({ found }) => found?.selector === selector);
  refuseIf(!matching, `the descriptor has no format for the selector ${selector}`);
  const data = decodeCall(matching.found.type, call.data.slice(4));
  const container = new Map([
    ["to", new Leaf("address", bytesOf(call.to))],
    ["chainId", new Leaf("uint", BigInt(call.chainId))],
  ]);
  if (call.value !== undefined && call.value !== null) {
    container.set("value", new Leaf("uint", BigInt(call.value)));
  }
  if (call.from) container.set("from", new Leaf("address", bytesOf(call.from)));
  const within = depth < MOST_CALLS ? (one) => inner(one, depth + 1) : undefined;
  return new Renderer(descriptor, data, container, String(call.chainId), names, within).rendered(matching.spec);
}

/** A message as it is shown; `key` is its `encodeType`, `message` its values and `domain` its domain, as JSON. */
export function renderMessage(descriptor, { key, message, domain, from }, names, inner = () => undefined) {
  const [, spec] = formatsOf(descriptor).find(([one]) => one === key) ?? [];
  refuseIf(!isObject(spec), "the descriptor has no format for this type");
  const types = parseMessageKey(key);
  const data = messageValue(types.values().next().value, message, types);
  const chainId = String(BigInt(member(domain, "chainId") ?? 0));
  const container = new Map([["chainId", new Leaf("uint", BigInt(chainId))]]);
  for (const [name, written] of [["to", member(domain, "verifyingContract")], ["from", from]]) {
    if (written) container.set(name, new Leaf("address", bytesOf(written)));
  }
  return new Renderer(descriptor, data, container, chainId, names, (one) => inner(one, 0)).rendered(spec);
}

const FIRST_ITEMS = /(^|\.)\[\]/;
const numbered = (path, place) => path.replace(FIRST_ITEMS, (_whole, before) => `${before}[${place}]`);

/** A path below the group that it stands in, without the root of data. */
function joined(group, written) {
  if (/^[@$]\./.test(written)) return written;
  return written.startsWith("#.") || !group ? written.replace(/^#\./, "") : `${group}.${written}`;
}

/** A field for one item of the first array in its path, and in the paths of its parameters. */
function withNumber(item, place) {
  if (!Object.hasOwn(item, "path")) return item;
  const changed = (value) => typeof value === "string" && value.includes("[]") ? numbered(value, place) : value;
  const params = Object.fromEntries(entriesOf(item.params).map(([name, value]) => [name, changed(value)]));
  return { ...item, path: numbered(String(item.path), place), params };
}

class Renderer {
  constructor(descriptor, data, container, chainId, names, inner) {
    Object.assign(this, { descriptor, data, container, chainId, names, inner });
    this.lines = [];
    this.values = new Map(); // of fields by path, for the intent
  }

  rendered(spec) {
    for (const item of asList(member(spec, "fields"))) this.item(isObject(item) ? item : {}, "");
    const template = member(spec, "interpolatedIntent");
    const owner = member(member(this.descriptor, "metadata"), "owner");
    const interpolated = typeof template === "string" ? this.interpolated(template) : "";
    return {
      intent: member(spec, "intent") ?? null,
      owner: typeof owner === "string" ? owner : "",
      fields: this.lines,
      ...(interpolated ? { interpolatedIntent: interpolated } : {}),
    };
  }

  item(item, group) {
    if (!Object.hasOwn(item, "fields")) {
      this.field(this.defined(item), group);
      return;
    }
    const children = asList(item.fields).map((child) => isObject(child) ? child : {});
    for (const path of this.numbered(typeof item.path === "string" ? joined(group, item.path) : group)) {
      if (item.iteration === "bundled") this.bundled(children, path);
      else children.forEach((child) => this.item(child, path));
    }
  }

  bundled(children, group) {
    const paths = children.map((child) => String(child.path)).filter((path) => path.includes("[]"));
    const lengths = new Set(paths.map((path) => this.length(joined(group, path))));
    refuseIf(lengths.size > 1, "arrays that are shown together have different lengths");
    for (let place = 0; place < ([...lengths][0] ?? 0); place++) {
      children.forEach((child) => this.item(withNumber(child, place), group));
    }
  }

  defined(item) {
    const reference = item.$ref;
    if (typeof reference !== "string") return item;
    refuseIf(!reference.startsWith(DEFINITIONS), `the reference ${reference} is not a definition`);
    const definition = inDescriptor(this.descriptor, parsePath(reference));
    return { ...definition, ...item, params: { ...member(definition, "params"), ...item.params } };
  }

  field(item, group) {
    const written = item.path;
    if (item.visible === "never") return;
    if (typeof written !== "string") {
      this.show(item, group, this.constant(item.value));
      return;
    }
    const path = joined(group, written);
    if (!FIRST_ITEMS.test(path)) {
      this.show(item, group, this.at(path));
      return;
    }
    const count = this.length(path);
    for (let place = 0; place < count; place++) {
      this.field(withNumber({ ...item, path: group ? path : written }, place), "");
    }
  }

  show(item, group, value) {
    const written = Object.hasOwn(item, "path") ? item.path : item.value;
    const { format, label } = item;
    refuseIf(!(value instanceof Leaf), `there is no value for the field ${written}`);
    refuseIf(
      typeof format !== "string" || typeof label !== "string",
      `the field ${written} has no label or no format`,
    );
    if (isHidden(item.visible, value, label)) return;
    const { chainId, names, descriptor } = this;
    const context = { chainId, names, descriptor, named: (text) => this.named(text, group) };
    let { text, isKnown, call } = formatValue(format, value, item.params, context);
    if (entriesOf(item.encryption).length) {
      [text, isKnown, call] = [String(item.encryption.fallbackLabel || "[Encrypted]"), false];
    }
    this.lines.push({ label, value: call && this.inner?.(call) || text, ...(isKnown ? {} : { isKnown }) });
    refuseIf(this.lines.length > MOST_LINES, `more than ${MOST_LINES} lines`);
    if (typeof written !== "string") return;
    const place = joined(group, written).replace(/\.\[\d+\]/g, "");
    this.values.set(place, [...this.values.get(place) ?? [], text]);
  }

  constant(written) {
    return typeof written === "string" && written.startsWith("$.") ? this.at(written) : writtenValue(written);
  }

  /** The value that a parameter names by a path; undefined if there is none. */
  named(text, group) {
    try {
      const value = this.at(joined(group, text));
      return value instanceof Leaf ? value : undefined;
    } catch (error) {
      if (error instanceof NotShown) return undefined;
      throw error;
    }
  }

  at(written) {
    const path = parsePath(written);
    if (path.root === "$") return writtenValue(inDescriptor(this.descriptor, path));
    if (path.root !== "@") return valueAt(this.data, path.steps);
    const first = this.container.get(path.steps[0].name);
    return first && valueAt(first, path.steps.slice(1));
  }

  /** The number of items of the first array in a path whose items are all meant. */
  length(path) {
    const before = path.slice(0, FIRST_ITEMS.exec(path)?.index ?? path.length);
    const value = before ? this.at(before) : this.data;
    return Array.isArray(value) ? value.length : 0;
  }

  *numbered(path) {
    if (!FIRST_ITEMS.test(path)) yield path;
    else for (let place = 0; place < this.length(path); place++) yield* this.numbered(numbered(path, place));
  }

  /** An intent with its values; empty if one is missing. */
  interpolated(template) {
    if (!hasWholeBraces(template)) return "";
    let isWhole = true;
    const text = template.replace(/\{\{|\}\}|\{([^}]*)\}/g, (whole, name) => {
      if (name === undefined) return whole[0];
      const values = this.values.get(name.trim().replace(/^#\./, "").replace(/\.\[\d*\]/g, ""));
      isWhole &&= Boolean(values);
      return values?.join(" and ") ?? "";
    });
    return isWhole ? text : "";
  }
}

/** Whether every brace of an intent is closed and names something. */
function hasWholeBraces(template) {
  for (let place = 0; place < template.length; place++) {
    if (["{{", "}}"].includes(template.slice(place, place + 2))) place += 1;
    else if (template[place] === "{") {
      const end = template.indexOf("}", place);
      if (end < 0 || !template.slice(place + 1, end).trim()) return false;
      place = end;
    }
  }
  return true;
}

function isHidden(visible, value, label) {
  if (!isObject(visible)) return false;
  if (Object.hasOwn(visible, "ifNotIn")) return isAmong(value, asList(visible.ifNotIn));
  const isMatched = Object.hasOwn(visible, "mustMatch");
  refuseIf(
    isMatched && !isAmong(value, asList(visible.mustMatch)),
    `the value of ${label} is not one of those that the descriptor allows`,
  );
  return isMatched;
}

function isAmong({ value }, candidates) {
  return candidates.some((written) => {
    const candidate = writtenValue(written)?.value;
    if (candidate === undefined) return false;
    if (value instanceof Uint8Array) {
      return candidate instanceof Uint8Array
        ? hexOf(candidate) === hexOf(value)
        : isWhole(written) && numberOf(value) === BigInt(written);
    }
    if (typeof value === "bigint" && typeof candidate === "boolean") return value === (candidate ? 1n : 0n);
    return candidate === value;
  });
}
