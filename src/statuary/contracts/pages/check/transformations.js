// The placeholders of compilers, and the steps that fill them: recompiled bytecode becomes on-chain bytecode.

import { anyHex, asObject, at, attempt, isObject, isSize, refuseIf, sizeOf, slice, Unreadable } from "./values.js";

const entriesOf = (value) => {
  refuseIf((value ?? null) !== null && !isObject(value));
  return Object.entries(value ?? {});
};

/** `linkReferences` as a list, by file and library in alphabetical order. */
export const libraryPlaces = (references) =>
  entriesOf(references).sort(byName).flatMap(([file, libraries]) =>
    entriesOf(libraries).sort(byName).flatMap(([name, places]) => placesOf(`${file}:${name}`, places))
  );

/** `immutableReferences` as a list. */
export const immutablePlaces = (references) =>
  entriesOf(references).flatMap(([id, places]) => placesOf(id, places));

const byName = ([one], [other]) => one < other ? -1 : 1;

function placesOf(id, places) {
  refuseIf(!Array.isArray(places));
  return places.map((place) => {
    const [start, length] = [at(place, "start"), at(place, "length")];
    refuseIf(!isSize(start) || !isSize(length) || !length);
    return { id, start, length };
  });
}

/** `cborAuxdata` as a list of pieces with their numbers. */
export const auxdataPieces = (pieces) =>
  entriesOf(pieces).map(([number, piece]) => {
    const [offset, value] = [at(piece, "offset"), anyHex(at(piece, "value"))];
    refuseIf(!isSize(offset) || value === undefined);
    return { number, offset, value };
  });

// ── transformations ──────────────────────────────────────────────────────────────────────────────────────────────

const TYPES = ["insert", "replace", "delete"];

/** The member of `transformationValues` that has values by id; other reasons have one value each. */
export const GROUPS = {
  immutable: "immutables",
  library: "libraries",
  cborAuxdata: "cborAuxdata",
  callProtection: "",
  constructorArguments: "",
};

const MOST_RESIZING_STEPS = 1000;

/** Reads an element of `transformations`; `id` and `length` are null where it has none. */
export function readStep(value) {
  const { type, reason, offset, id = null, length = null } = asObject(value);
  for (const [word, isKnown] of [[type, TYPES.includes(type)], [reason, Object.hasOwn(GROUPS, reason)]]) {
    if (!isKnown) throw Object.assign(new Unreadable(), { word });
  }
  refuseIf(!isSize(offset) || length !== null && !isSize(length) || type === "delete" && length === null);
  refuseIf(id !== null && typeof id !== "string");
  return { type, reason, offset, id, length };
}

/** The bytes that a step puts into the code. */
export function stepValue({ type, reason, id }, values) {
  if (type === "delete") return "";
  const group = GROUPS[reason];
  const value = anyHex(group ? at(values, group, id) : at(values, reason));
  refuseIf(value === undefined);
  return value;
}

/** The code after all steps, in order; throws with the number of the step that fails. */
export function replay(code, steps, values, mostBytes) {
  let resizing = 0;
  steps.forEach((step, number) => {
    const value = attempt(() => stepValue(step, values));
    if (value instanceof Unreadable) throw Object.assign(value, { step: number });
    const removed = step.type === "insert" ? 0 : step.length ?? sizeOf(value);
    const end = step.offset + removed;
    resizing += sizeOf(value) === removed ? 0 : 1;
    if (end > sizeOf(code) || resizing > MOST_RESIZING_STEPS || sizeOf(code) + sizeOf(value) > mostBytes) {
      const why = `bytes ${step.offset} to ${end} are not all in the code, or make it longer than on the chain`;
      throw Object.assign(new Unreadable(why), { step: number });
    }
    code = slice(code, 0, step.offset) + value + slice(code, end);
  });
  return code;
}
