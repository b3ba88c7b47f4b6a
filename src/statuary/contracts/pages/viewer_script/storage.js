// The diagram of a contract's storage (`contracts/pages/storage.py`).

import { asList, asObject, asText } from "../check/values.js";
import { visibleName } from "./texts.js";

const SLOT_BYTES = 32;
const MOST_DRAWN = 400;
const MOST_PLACED = 20_000;
const DEEPEST = 8;
const TONES = 6;
const LARGEST_EXACT = 2n ** 53n;

/** A whole number from JSON, as a number or as text; undefined for anything else. */
const sizeOf = (value) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ||
    typeof value === "string" && /^\d{1,78}$/.test(value)
    ? BigInt(value)
    : value !== null && typeof value === "object" && /^\d+$/.test(value.rawJSON ?? "")
    ? BigInt(value.rawJSON)
    : undefined;

/** The diagram of a layout; null if there is none to draw. */
export function storageView(layout) {
  const members = asObject(layout);
  const found = [];
  for (const variable of "storage" in members ? solidity(members) : vyper(members, "", 0)) {
    if (found.length < MOST_PLACED) found.push(variable);
    else break;
  }
  if (!found.length) return null;
  found.sort((one, other) => one.slot < other.slot ? -1 : one.slot > other.slot ? 1 : one.offset - other.offset);
  return { slots: [...slotsOf(found.slice(0, MOST_DRAWN))], more: Math.max(0, found.length - MOST_DRAWN) };
}

function* solidity(layout) {
  for (const entry of asList(layout.storage)) yield* memberOf(asObject(entry), asObject(layout.types), "", 0n, 0);
}

function* memberOf(entry, types, prefix, base, depth) {
  const [slot, offset] = [sizeOf(entry.slot), sizeOf(entry.offset)];
  const kind = asObject(types[asText(entry.type)]);
  if (slot === undefined || offset === undefined || offset >= SLOT_BYTES) return;
  const label = prefix + visibleName(asText(entry.label));
  const members = asList(kind.members);
  if (members.length && depth < DEEPEST) {
    for (const member of members) yield* memberOf(asObject(member), types, `${label}.`, base + slot, depth + 1);
    return;
  }
  const encoding = asText(kind.encoding);
  yield variable(
    label,
    visibleName(asText(kind.label) || asText(entry.type)),
    base + slot,
    Number(offset),
    Number(sizeOf(kind.numberOfBytes) || SLOT_BYTES),
    ["mapping", "dynamic_array", "bytes"].includes(encoding) ? encoding : "value",
  );
}

function* vyper(layout, prefix, depth) {
  for (const [name, entry] of Object.entries(layout)) {
    const place = asObject(entry);
    const slot = sizeOf(place.slot);
    const label = prefix + visibleName(name);
    if (slot !== undefined) {
      const kind = asText(place.type);
      const size = Number(sizeOf(place.n_slots) || 1) * SLOT_BYTES;
      yield {
        ...variable(label, visibleName(kind), slot, 0, size, kind.startsWith("HashMap") ? "mapping" : "value"),
        rounded: slot > LARGEST_EXACT,
      };
    } else if (depth < DEEPEST) yield* vyper(place, `${label}.`, depth + 1);
  }
}

function variable(label, type, slot, offset, size, kind) {
  const width = Math.max(1, Math.min(size, SLOT_BYTES - offset));
  const slots = Math.max(1, Math.floor((offset + size + SLOT_BYTES - 1) / SLOT_BYTES));
  return { label, type, slot, offset, size, kind, slots, width, last_byte: offset + width - 1 };
}

function* slotsOf(variables) {
  let after = 0n;
  let tone = 0;
  for (let at = 0; at < variables.length;) {
    const first = variables[at].slot;
    const inSlot = [];
    for (; at < variables.length && variables[at].slot === first; at++, tone++) {
      inSlot.push({ ...variables[at], tone: tone % TONES });
    }
    const slots = BigInt(Math.max(...inSlot.map((one) => one.slots)));
    const about = inSlot[0].rounded ? "≈ " : "";
    yield {
      first: `${about}${first}`,
      last: slots > 1n ? `${about}${first + slots - 1n}` : "",
      skipped: first > after ? String(first - after) : "",
      variables: inSlot,
    };
    after = first + slots > after ? first + slots : after;
  }
}
