// A record for the checks: every part is read once. A part that cannot be read is undefined, or `Unreadable`.

import { constructorInputs } from "./abi.js";
import { auxdataFields, auxdataStyle, splitAuxdata } from "./auxdata.js";
import { MetadataHashes } from "./hashes.js";
import { CALL_PROTECTION, matchSide } from "./matching.js";
import { isKnownCompilation } from "./open-lists.js";
import { auxdataPieces, immutablePlaces, libraryPlaces, readStep, replay } from "./transformations.js";
import {
  asList,
  asObject,
  asText,
  at,
  attempt,
  find,
  isObject,
  isSince,
  sizeOf,
  slice,
  splitName,
  strictHex,
  Unreadable,
} from "./values.js";

/** One side: `creationBytecode` with `creationMatch`, or `runtimeBytecode` with `runtimeMatch`. */
class Side {
  #found;

  constructor(view, name) {
    const { record } = view;
    const member = `${name}Bytecode`;
    const value = asObject(at(record, member));
    Object.assign(this, { view, name, member, value, style: view.style, version: view.version });
    this.claimed = at(record, `${name}Match`) ?? null;
    this.onchain = strictHex(value.onchainBytecode);
    this.recompiled = strictHex(value.recompiledBytecode);
    this.values = asObject(value.transformationValues);
    this.steps = asList(value.transformations).map((step) => attempt(() => readStep(step)));
    const isRead = Array.isArray(value.transformations) && !this.steps.some((step) => step instanceof Unreadable);
    this.transformations = isRead ? this.steps : undefined;
    this.readAuxdata = attempt(() => auxdataPieces(value.cborAuxdata));
    this.readLibraries = attempt(() => libraryPlaces(value.linkReferences));
    this.readImmutables = attempt(() => immutablePlaces(value.immutableReferences));
    this.auxdata = this.readAuxdata instanceof Unreadable ? [] : this.readAuxdata;
    this.fields = this.auxdata.flatMap((piece) => {
      const fields = attempt(() => auxdataFields(piece.value, view.style));
      return fields instanceof Unreadable ? [] : [{ ...fields, number: piece.number }];
    });
    if (isRead && this.onchain !== undefined && this.recompiled !== undefined) {
      const most = sizeOf(this.onchain) + sizeOf(this.recompiled);
      this.replayed = attempt(() => replay(this.recompiled, this.steps, this.values, most));
    }
  }

  get isExact() {
    return this.claimed === "exact_match";
  }

  /** The auxdata of the contract itself, not of one that it creates: it ends the runtime code, also in creation code. */
  get ownAuxdata() {
    if (this.recompiled === undefined) return undefined;
    const runtime = this.view.runtime.recompiled;
    const place = runtime ? find(this.recompiled, runtime) : -1;
    const code = place > 0 ? slice(this.recompiled, 0, place + sizeOf(runtime)) : this.recompiled;
    return splitAuxdata(code, this.style);
  }

  get ownFields() {
    const own = this.ownAuxdata;
    const fields = own && attempt(() => auxdataFields(own.value, this.style));
    return fields instanceof Unreadable ? undefined : fields;
  }

  /** The match that Sourcify's procedure finds; undefined if it finds none. */
  get found() {
    return (this.#found ??= { match: this.#match() }).match;
  }

  /** Sourcify stores no references for Yul: the steps have the places, and the sources load the immutables by name. */
  #yulImmutables() {
    const loads = /\bloadimmutable\s*\(\s*"([^"]*)"\s*\)/g;
    const texts = [...this.view.sources.values()];
    const names = new Set(texts.flatMap((text) => [...text.matchAll(loads)]).map(([, name]) => name));
    const isPushed = (start) => slice(this.recompiled, start - 1, start + WORD) === `7f${"00".repeat(WORD)}`;
    return (this.transformations ?? [])
      .filter(({ reason, id, offset }) => reason === "immutable" && names.has(id) && isPushed(offset))
      .map(({ id, offset }) => ({ id, start: offset, length: WORD }));
  }

  #match() {
    const { view, readLibraries, readImmutables, recompiled, onchain } = this;
    if (recompiled === undefined || !onchain) return undefined;
    if (readLibraries instanceof Unreadable || readImmutables instanceof Unreadable) return undefined;
    const { immutables = 0 } = view.creation.fields.find(({ number }) => number === "1") ?? {};
    return matchSide({
      ...this,
      libraries: readLibraries,
      pushedImmutables: { Solidity: readImmutables, Yul: this.#yulImmutables() }[view.language] ?? [],
      appendedImmutables: view.style === "vyper" ? immutables : returnedImmutables(view),
      constructorInputs: view.constructorInputs,
    });
  }
}

const WORD = 32;

const PUSH = "(?:60..|61.{4}|62.{6}|63.{8})";
const RETURNED = new RegExp(`(?<=^(?:..)*)39(${PUSH})${PUSH}f3`, "g"); // all of the code (0.3.4 on)
const ADDED = new RegExp(`(?<=^(?:..)*)(?:39${PUSH}|80)(${PUSH})01${PUSH}f3`, "g");

/** The size of the immutables that Vyper's creation code returns after the runtime code (0.3.1 to 0.3.9). */
function returnedImmutables({ language, version, creation: { recompiled }, runtime: { recompiled: code } }) {
  if (language !== "Vyper" || !isSince(version, "0.3.1") || !recompiled || !code) return 0;
  const place = find(recompiled, code);
  const parts = place < 0 ? [recompiled] : [slice(recompiled, 0, place), slice(recompiled, place + sizeOf(code))];
  const pushed = (pattern) =>
    parts.flatMap((part) => [...part.matchAll(pattern)]).map(([, push]) => parseInt(push.slice(2), 16));
  const sizes = [...pushed(RETURNED).map((size) => size - sizeOf(code)), ...pushed(ADDED)];
  return Math.max(0, ...sizes.filter((size) => size % 32 === 0));
}

export class RecordView {
  constructor(record) {
    this.record = record;
    this.compilation = asObject(at(record, "compilation"));
    this.language = asText(this.compilation.language);
    this.version = asText(this.compilation.compilerVersion);
    this.isKnown = isKnownCompilation(this.language, asText(this.compilation.compiler));
    this.style = this.isKnown ? auxdataStyle(this.language, this.version) : "";
    this.constructorInputs = constructorInputs(at(record, "abi"));
    [this.path, this.name] = splitName(asText(this.compilation.fullyQualifiedName));
    const sources = Object.entries(asObject(at(record, "sources")));
    this.sources = new Map(sources.map(([path, source]) => [path, asText(at(source, "content"))]));
    this.creation = new Side(this, "creation");
    this.runtime = new Side(this, "runtime");
    this.sides = [this.creation, this.runtime];
    const output = at(record, "stdJsonOutput", "contracts", this.path, this.name);
    this.output = isObject(output) ? output : undefined;
    const metadata = at(record, "metadata");
    this.metadata = isObject(metadata) ? metadata : undefined;
    this.metadataHashes = new MetadataHashes(metadata, at(output, "metadata"));
    this.hasHashedMetadata = this.sides.some(({ claimed, ownFields }) =>
      claimed !== null &&
      Object.entries(ownFields?.hashes ?? {}).some(([scheme, digest]) => this.isHash(scheme, digest))
    );
    this.severity = this.hasHashedMetadata ? "error" : "warning";
    this.isLibrary = (this.runtime.recompiled ?? "").startsWith(CALL_PROTECTION);
  }

  isHash(scheme, digest) {
    return scheme !== "integrity" && this.metadataHashes.of(scheme).includes(digest);
  }
}
