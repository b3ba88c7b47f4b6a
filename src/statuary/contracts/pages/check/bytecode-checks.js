// The checks of bytecode, transformations, match levels and auxdata.

import { auxdataFault, levelOf } from "./auxdata.js";
import { broken, fault, inBytes, saw, unknown } from "./observations.js";
import { isName } from "./open-lists.js";
import { GROUPS, stepValue } from "./transformations.js";
import {
  asObject,
  at,
  attempt,
  find,
  firstDifference,
  sameJson,
  sizeOf,
  slice,
  strictHex,
  Unreadable,
  versionNumber,
} from "./values.js";

export function* hexIsWellFormed({ sides }) {
  for (const { member, value, values } of sides) {
    const texts = ["onchainBytecode", "recompiledBytecode"].map((name) => [[name], value[name] ?? undefined]);
    for (const [number, piece] of Object.entries(asObject(value.cborAuxdata))) {
      texts.push([["cborAuxdata", number, "value"], at(piece, "value") ?? null]);
    }
    for (const [reason, group] of Object.entries(GROUPS)) {
      if (!group) texts.push([["transformationValues", reason], at(values, reason)]);
      for (const [id, text] of Object.entries(group ? asObject(at(values, group)) : {})) {
        texts.push([["transformationValues", group, id], text]);
      }
    }
    for (const [pointer, text] of texts.filter(([, held]) => held !== undefined)) {
      yield saw();
      if (strictHex(text) === undefined) yield broken([member, ...pointer]);
    }
  }
}

/** The transformation that is not known here, unless the known ones explain the on-chain code. */
function unknownStep({ member, steps, found }) {
  const [word] = found ? [] : steps.map((step) => step.word).filter(Boolean);
  return typeof word === "string" && isName(word) ? unknown(word, [member, "transformations"]) : undefined;
}

export function* replays(side) {
  const { member, value, claimed, replayed, onchain, steps } = side;
  if (claimed === null) return;
  for (const code of ["onchainBytecode", "recompiledBytecode"]) {
    if ([null, "0x"].includes(value[code] ?? null)) {
      return yield fault(`the record claims a match, but has no ${code}`, [member, code]);
    }
  }
  const open = unknownStep(side);
  if (open) return yield open;
  if (replayed === undefined) return yield fault("the bytecode or a transformation is not valid", [member]);
  if (replayed instanceof Unreadable) {
    return yield fault(replayed.message, [member, "transformations", replayed.step]);
  }
  yield saw(`${steps.length} transformations, ${inBytes(replayed)}`);
  const place = firstDifference(replayed, onchain);
  if (place < 0) return;
  const [here, there] = [replayed, onchain].map((code) => slice(code, place, place + 8));
  yield fault(`byte ${place} is 0x${here}, but 0x${there} on the chain`, [member, "onchainBytecode"]);
}

export function* transformationsGoWithAMatch({ sides }) {
  for (const side of sides) {
    const { member, value, claimed, steps } = side;
    for (const name of ["transformations", "transformationValues"]) {
      const isGiven = (value[name] ?? null) !== null;
      if (isGiven !== (claimed !== null)) yield fault(`the match is ${claimed}, and ${name} not`, [member, name]);
    }
    for (const [number, step] of steps.entries()) {
      if (!(step instanceof Unreadable)) continue;
      const pointer = [member, "transformations", number];
      yield step.word && unknownStep(side) ? unknown(step.word, pointer) : fault(step.message, pointer);
    }
    yield saw();
  }
}

const placeOf = ({ reason, type, offset, length }) => `${reason} ${type} at byte ${offset}, length ${length}`;

export function* foundAgain(side) {
  const { name, member, claimed, found, transformations, values } = side;
  if (claimed === null) return;
  const open = unknownStep(side);
  if (open) return yield open;
  if (!found) return yield broken([`${name}Match`]);
  if (!transformations) return;
  yield saw(`${found.steps.length} transformations`);
  const pointer = [member, "transformations"];
  const [expected, listed] = [found.steps, transformations].map((steps) => steps.map(placeOf).sort());
  const [missing, extra] = [expected.find(notIn(listed)), listed.find(notIn(expected))];
  if (missing) yield fault(`the record lacks the transformation ${missing}`, pointer);
  if (extra) yield fault(`the code has no place for the transformation ${extra}`, pointer);
  const byPlace = new Map(found.steps.map((step) => [placeOf(step), step]));
  const pairs = transformations.map((step) => [step, byPlace.get(placeOf(step))]).filter(([, other]) => other);
  for (const [step, other] of pairs) {
    const [one, wanted] = [[step, values], [other, found.values]].map((pair) => attempt(() => stepValue(...pair)));
    if (one instanceof Unreadable || one !== wanted) yield fault(`the value is wrong: ${placeOf(step)}`, pointer);
  }
  const ids = pairs.map((pair) => pair.map(({ reason, id }) => `${reason} ${id}`));
  const counts = [ids.map(String), ids.map(([one]) => one), ids.map(([, other]) => other)].map((all) =>
    new Set(all).size
  );
  if (new Set(counts).size > 1) {
    yield fault("the compiler's output gives two values to an id, or two ids to a value", pointer);
  }
  const used = new Set(transformations.map(({ reason, id }) => GROUPS[reason] ? `${reason} ${id}` : reason));
  for (const [reason, group] of Object.entries(GROUPS)) {
    const names = group ? Object.keys(asObject(at(values, group))).map((id) => `${reason} ${id}`) : [reason];
    for (const unused of names.filter((one) => !used.has(one) && (group || at(values, reason) !== undefined))) {
      yield fault(`no transformation uses the value ${unused}`, [member, "transformationValues"]);
    }
  }
}

/** Returns whether another sorted list has fewer occurrences of an element. */
function notIn(others) {
  const counts = new Map();
  for (const one of others) counts.set(one, (counts.get(one) ?? 0) + 1);
  return (one) => {
    counts.set(one, (counts.get(one) ?? 0) - 1);
    return counts.get(one) < 0;
  };
}

export function* creationCodeDeploysTheRuntimeCode({ creation, runtime }) {
  if (creation.claimed === null || !creation.recompiled || !runtime.recompiled) return;
  if (!creation.isExact && runtime.claimed === null) return;
  const place = find(creation.recompiled, runtime.recompiled);
  yield saw(`${inBytes(runtime.recompiled)} at byte ${place}`);
  if (place <= 0) {
    yield broken([
      "runtimeBytecode",
      "recompiledBytecode",
    ]);
    return;
  }
  const size = sizeOf(runtime.recompiled);
  const code = slice(creation.recompiled, 0, place) + slice(creation.recompiled, place + size);
  const hasSize = isPushed(code, size) || isPushed(code, place + size); // Vyper up to 0.3.1 pushes the end
  if (!isPushed(code, place) || !hasSize || find(code, "39") < 0 || find(code, "f3") < 0) {
    yield broken([
      "creationBytecode",
      "recompiledBytecode",
    ]);
  }
}

/** Returns whether code pushes a number, in at most four bytes. */
function isPushed(code, number) {
  const digits = number.toString(16);
  for (let width = Math.ceil(digits.length / 2); width <= 4; width++) {
    if (find(code, (0x5f + width).toString(16) + digits.padStart(2 * width, "0")) >= 0) return true;
  }
  return false;
}

/** Placeholders of a compiler are zeros, as long as the operand of the PUSH before them. */
function* openPlaces({ name, member, recompiled = "" }, places, references, size, push) {
  const pointer = [member, references];
  if (places instanceof Unreadable) return yield fault(places.message, pointer);
  for (const { id, start, length } of places) {
    yield saw(`${places.length} in the ${name} bytecode`);
    if (length !== size || slice(recompiled, start, start + length) !== "00".repeat(size)) {
      yield fault(`the ${size} bytes from ${start}, where ${id} belongs, are not zero`, pointer);
    } else if (!start || slice(recompiled, start - 1, start) !== push) {
      yield fault(`byte ${start}, where ${id} belongs, is not the operand of a PUSH${size}`, pointer);
    }
  }
}

export function* librariesArePushedAddresses({ sides }) {
  for (const side of sides) yield* openPlaces(side, side.readLibraries, "linkReferences", 20, "73");
}

export function* immutablesArePushedWords({ language, runtime }) {
  const { member, value, readImmutables } = runtime;
  const given = value.immutableReferences;
  if (language === "Solidity") yield* openPlaces(runtime, readImmutables, "immutableReferences", 32, "7f");
  else if (language !== "Vyper" && !isEmpty(given)) {
    yield broken([member, "immutableReferences"]);
  }
}

const isEmpty = (value) => !value || typeof value === "object" && Object.keys(value).length === 0;

export function* vyperImmutablesFollowTheCode({ language, creation, runtime }) {
  if (language !== "Vyper" || runtime.claimed === null || runtime.recompiled === undefined) return;
  const value = at(runtime.values, "immutables", "0");
  const [start, length] = [sizeOf(runtime.recompiled), typeof value === "string" ? (value.length >> 1) - 1 : 0];
  for (const { number, runtime: code, immutables } of creation.fields) {
    if (code === undefined) continue;
    yield saw(`${code} bytes of code, ${immutables} of immutables`);
    if (code === start && immutables === length) continue;
    yield fault(`the record has ${start} bytes of code and ${length} of immutables`, [
      "creationBytecode",
      "cborAuxdata",
      number,
    ]);
  }
  const given = runtime.value.immutableReferences;
  if (!isEmpty(given) && !sameJson(given, { 0: [{ start, length }] })) {
    yield fault(`the ${length} bytes of immutables belong at byte ${start}`, [
      runtime.member,
      "immutableReferences",
    ]);
  }
}

export function* callProtectionIsOwnAddress({ record, creation, runtime }) {
  const value = at(runtime.values, "callProtection");
  const address = at(record, "address");
  if (typeof value !== "string" || typeof address !== "string") return;
  yield saw(value);
  const pointer = ["runtimeBytecode", "transformationValues", "callProtection"];
  if (value === address.toLowerCase()) return;
  const isUnwritten = /^0x0{40}$/.test(value) && creation.claimed === null;
  yield fault(`the code names the address ${value}, not ${address}`, pointer, isUnwritten ? "warning" : "error");
}

export function* matchLevelsFollowFromTheBytes({ sides, version }) {
  for (const side of sides) {
    const { name, claimed, replayed, onchain, auxdata, style } = side;
    if (claimed === null || replayed === undefined || replayed !== onchain) continue;
    const isReplaced = side.transformations.some((step) => step.reason === "cborAuxdata" && changes(side, step));
    const earned = levelOf(auxdata, isReplaced, style, version);
    if (side.isExact && !side.view.isKnown) {
      yield unknown(version, [`${name}Match`]);
      continue;
    }
    yield saw(`${name}: ${earned}`);
    const severity = claimed === "match" ? "note" : undefined;
    if (claimed !== earned) yield fault(`the bytecode gives the match ${earned}`, [`${name}Match`], severity);
  }
}

/** Returns whether a step changes anything: it may write the auxdata that is there already. */
function changes({ auxdata, values }, step) {
  if (step.type === "delete") return true;
  return auxdata.find(({ offset }) => offset === step.offset)?.value !== attempt(() => stepValue(step, values));
}

export function* matchIsTheBetterSide({ record, sides }) {
  const levels = sides.map(({ claimed }) => claimed);
  const earned = levels.includes("exact_match")
    ? "exact_match"
    : levels.every((one) => one === null)
    ? null
    : "match";
  yield saw(String(earned));
  if ((at(record, "match") ?? null) !== earned) {
    yield fault(`the creation and the runtime match give ${earned}`, ["match"]);
  } else if (earned === null) yield broken(["match"]);
}

export function* unmatchedSideDoesNotMatch({ sides }) {
  for (const { name, claimed, onchain, found } of sides) {
    if (claimed !== null || !onchain) continue;
    yield saw(name);
    if (found) yield fault(`the bytecode matches: ${found.level}`, [`${name}Match`]);
  }
}

export function* auxdataIsWhereItSays({ sides, style, isKnown }) {
  for (const { name, member, recompiled = "", readAuxdata } of sides) {
    if (readAuxdata instanceof Unreadable) {
      yield fault(readAuxdata.message, [member, "cborAuxdata"]);
      continue;
    }
    for (const { number, offset, value } of readAuxdata) {
      yield saw(`${readAuxdata.length} in the ${name} bytecode`);
      const isThere = value && slice(recompiled, offset, offset + sizeOf(value)) === value;
      const message = isThere
        ? isKnown && auxdataFault(value, style)
        : `the auxdata is not at byte ${offset} of the recompiled bytecode`;
      if (message) yield fault(message, [member, "cborAuxdata", number]);
    }
  }
}

export function* auxdataValuesDecode({ sides, style, isKnown }) {
  for (const { member, transformations = [], values } of sides) {
    for (const [number, step] of transformations.entries()) {
      if (step.reason !== "cborAuxdata") continue;
      const value = attempt(() => stepValue(step, values));
      yield saw();
      const message = value instanceof Unreadable ? value.message : value && isKnown && auxdataFault(value, style);
      if (message) yield fault(message, [member, "transformations", number]);
    }
  }
}

export function* auxdataNamesTheCompiler({ sides, version }) {
  const release = /\d+\.\d+\.\d+/.exec(version)?.[0].split(".").map(Number).join(".");
  for (const { member, fields } of sides) {
    for (const { number, compiler } of fields.filter((one) => one.compiler)) {
      yield saw(compiler);
      const isReleased = versionNumber(version) > 0 && versionNumber(version) % 2 === 1;
      if (compiler === release ? isReleased : !isReleased && version.startsWith(compiler)) continue;
      yield fault(`the auxdata names the compiler ${compiler}`, [member, "cborAuxdata", number]);
    }
  }
}
