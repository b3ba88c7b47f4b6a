// The formats of fields: a value as a text; `isKnown` is false where a wallet warns: `formats.py` in JavaScript.

import {
  asList,
  checksummed,
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
} from "./values.js";

const ADDRESS_BYTES = 20;
const NUMBERS = ["amount", "tokenAmount", "date", "duration", "unit", "enum", "nftName", "chainId"];
const ADDRESSES = ["addressName", "tokenTicker", "interoperableAddressName"];
const PREFIXES = [[24, "Y"], [21, "Z"], [18, "E"], [15, "P"], [12, "T"], [9, "G"], [6, "M"], [3, "k"]];
const [FIRST_SECOND, LAST_SECOND] = [-62_135_596_800n, 253_402_300_799n]; // of the years 1 to 9999

/**
 * A value as a format shows it.
 *
 * `show` has the `chainId`, the `names` that a wallet knows, the `descriptor`, and `named`, which gives the value that
 * a path names.
 */
export function formatValue(name, value, params, show) {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : raw;
  return format(fitting(name, value), params, show);
}

const shown = (text) => ({ text, isKnown: true });
const unknown = (value) => ({ text: textOf(value), isKnown: false });
const raw = (value) => shown(textOf(value));

function fitting(name, value) {
  const { kind, bytes } = value;
  if (ADDRESSES.includes(name) && ["slice", "uint", "int"].includes(kind) && bytes.length >= ADDRESS_BYTES) {
    return new Leaf("address", bytes.slice(-ADDRESS_BYTES));
  }
  if (kind !== "slice") return value;
  return NUMBERS.includes(name) ? new Leaf("uint", numberOf(bytes)) : new Leaf("bytes", bytes);
}

function textOf({ kind, value }) {
  if (kind === "address") return checksummed(value);
  return value instanceof Uint8Array ? hexOf(value) : String(value);
}

function decimal(amount, decimals) {
  const places = Number(decimals);
  const digits = String(amount < 0n ? -amount : amount).padStart(places + 1, "0");
  const rest = digits.slice(digits.length - places).replace(/0+$/, "");
  const whole = digits.slice(0, digits.length - places);
  return `${amount < 0n ? "-" : ""}${whole}${places && rest ? `.${rest}` : ""}`;
}

function address(written, show) {
  if (isObject(written)) return address(mapped(written, show), show);
  if (typeof written !== "string") return "";
  if (/^0x[0-9a-fA-F]{40}$/.test(written)) return written.toLowerCase();
  const leaf = show.named(written);
  if (!leaf || typeof leaf.value === "string" || leaf.bytes.length < ADDRESS_BYTES) return "";
  return hexOf(leaf.bytes.slice(-ADDRESS_BYTES));
}

/** The value of a map for the key that a path names; undefined if it has none. */
function mapped(reference, show) {
  const key = show.named(String(member(reference, "keyPath")));
  const values = member(namedIn(show.descriptor, member(reference, "map")), "values");
  return key && lookUp(values, textOf(key));
}

function namedIn(descriptor, written) {
  try {
    return inDescriptor(descriptor, parsePath(String(written)));
  } catch (error) {
    if (error instanceof NotShown) return undefined;
    throw error;
  }
}

/** The member of an object by its key in any case; of two, the last. */
const lookUp = (value, key) =>
  entriesOf(value).findLast(([name]) => name.toLowerCase() === key.toLowerCase())?.[1];

function number(written, show) {
  if (isObject(written)) written = mapped(written, show);
  if (typeof written === "boolean" || isWhole(written)) return BigInt(written);
  if (typeof written !== "string") return undefined;
  const leaf = show.named(written);
  if (leaf && typeof leaf.value !== "string") return numberOf(leaf.bytes);
  const [, sign, digits] =
    /^([+-]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0+|[1-9]\d*)$/.exec(written.trim()) ?? [];
  return digits && (sign === "-" ? -BigInt(digits) : BigInt(digits));
}

/** The first of two parameters that is there. */
const either = (params, first, second) => member(params, first) ?? member(params, second);

function chainOf(params, show) {
  const written = either(params, "chainId", "chainIdPath");
  return written === undefined || written === null ? BigInt(show.chainId) : number(written, show);
}

function amount(value, _params, show) {
  const currency = currencyOf(show.chainId, show);
  return currency && value.isNumber
    ? shown(`${decimal(value.value, currency.decimals)} ${currency.symbol}`)
    : unknown(value);
}

/** The currency of a chain; undefined if it is not known. */
function currencyOf(chainId, show) {
  const chain = show.names.chains.get(String(chainId));
  return chain?.symbol ? chain : undefined;
}

function tokenAmount(value, params, show) {
  const token = value.isNumber && tokenOf(params, show);
  if (!token) return unknown(value);
  const threshold = number(member(params, "threshold"), show);
  const isUnlimited = threshold !== undefined && value.value >= threshold;
  return shown(
    `${
      isUnlimited ? member(params, "message") ?? "Unlimited" : decimal(value.value, token.decimals)
    } ${token.symbol}`,
  );
}

function tokenOf(params, show) {
  const written = either(params, "token", "tokenPath");
  if (written === "$.metadata.token") {
    const token = member(member(show.descriptor, "metadata"), "token");
    const decimals = member(token, "decimals");
    return isWhole(decimals) ? { symbol: String(member(token, "ticker")), decimals } : undefined;
  }
  const [place, chainId] = [address(written, show), chainOf(params, show)];
  if (!place || chainId === undefined) return undefined;
  const native = member(params, "nativeCurrencyAddress");
  const isNative = (Array.isArray(native) ? native : [native]).some((one) => one && address(one, show) === place);
  return isNative ? currencyOf(chainId, show) : show.names.tokens.get(place);
}

function nftName(value, params, show) {
  const name = show.names.collections.get(address(either(params, "collection", "collectionPath"), show));
  return name && value.isNumber ? shown(`${name} #${value.value}`) : unknown(value);
}

function date(value, params, show) {
  if (!value.isNumber) return unknown(value);
  const isBlock = member(params, "encoding") === "blockheight";
  const seconds = isBlock ? show.names.blockTimes.get(String(value.value)) : value.value;
  if (seconds === undefined || seconds < FIRST_SECOND || seconds > LAST_SECOND) return unknown(value);
  const written = new Date(Number(seconds) * 1000).toISOString();
  return shown(`${written.slice(0, 10).replace(/^0+/, "")} ${written.slice(11, 19)}Z`);
}

function duration(value) {
  if (!value.isNumber) return unknown(value);
  const all = value.value < 0n ? -value.value : value.value;
  return shown([all / 3600n, all / 60n % 60n, all % 60n].map((part) => String(part).padStart(2, "0")).join(":"));
}

function unit(value, params, show) {
  if (!value.isNumber) return unknown(value);
  const written = String(member(params, "base") ?? "");
  const base = written.startsWith("$.") ? show.named(written)?.value ?? written : written;
  const places = member(params, "decimals");
  const decimals = isWhole(places) ? Number(places) : 0;
  const fits = ([power]) => value.value >= 10n ** BigInt(power + decimals);
  const [power, prefix] = member(params, "prefix") === true ? PREFIXES.find(fits) ?? [0, ""] : [0, ""];
  return shown(`${decimal(value.value, decimals + power)}${prefix}${base}`);
}

function enumeration(value, params, show) {
  const label = lookUp(namedIn(show.descriptor, member(params, "$ref")), textOf(value));
  return typeof label === "string" ? shown(label) : unknown(value);
}

function chainName(value, _params, show) {
  const chain = value.isNumber && show.names.chains.get(String(value.value));
  return chain ? shown(chain.name) : unknown(value);
}

function addressName(value, params, show) {
  if (value.kind !== "address") return unknown(value);
  const place = hexOf(value.value);
  const senders = member(params, "senderAddress");
  const isSender = (one) => one && address(one, show) === place;
  if ((Array.isArray(senders) ? senders : [senders]).some(isSender)) return shown("Sender");
  const sources = member(params, "sources");
  for (const [source, known] of [["local", show.names.addresses], ["ens", show.names.ens]]) {
    const isAsked = sources === undefined || sources === null || asList(sources).includes(source);
    if (isAsked && known.get(place)) return shown(known.get(place));
  }
  return raw(value);
}

function tokenTicker(value, _params, show) {
  const token = show.names.tokens.get(textOf(value).toLowerCase());
  return token ? shown(token.symbol) : unknown(value);
}

function calldata(value, params, show) {
  const to = address(either(params, "callee", "calleePath"), show);
  const chainId = chainOf(params, show);
  if (value.kind !== "bytes" || !to || chainId === undefined) return unknown(value);
  const data = new Uint8Array([...selector(either(params, "selector", "selectorPath"), show), ...value.value]);
  const paid = number(either(params, "amount", "amountPath"), show);
  const from = address(either(params, "spender", "spenderPath"), show);
  return { ...shown(hexOf(data)), call: { chainId: String(chainId), to, data, value: paid, from } };
}

function selector(written, show) {
  if (typeof written !== "string") return [];
  if (/^0x[0-9a-fA-F]{8}$/.test(written)) return written.slice(2).match(/../g).map((pair) => parseInt(pair, 16));
  return show.named(written)?.bytes.slice(0, 4) ?? [];
}

const FORMATS = {
  amount,
  tokenAmount,
  nftName,
  date,
  duration,
  unit,
  enum: enumeration,
  chainId: chainName,
  addressName,
  tokenTicker,
  calldata,
};
