// Sourcify's own procedure: which transformations turn recompiled code into on-chain code.

import { checkValues } from "./abi.js";
import { levelOf } from "./auxdata.js";
import { isCbor } from "./cbor.js";
import { GROUPS } from "./transformations.js";
import { attempt, refuseIf, sizeOf, slice, Unreadable } from "./values.js";

export const CALL_PROTECTION = `73${"0".repeat(40)}`;

/** The match of a side as Sourcify finds it: level, steps and values; undefined if other bytes differ. */
export function matchSide(side) {
  const found = attempt(() => new Attempt(side).match());
  return found instanceof Unreadable ? undefined : found;
}

class Attempt {
  steps = [];
  values = {};

  constructor(side) {
    this.side = side;
    this.code = side.recompiled;
    this.onchain = side.onchain;
  }

  match() {
    const { side } = this;
    if (side.name === "runtime") this.#fillRuntime();
    for (const place of side.libraries) this.#take("replace", "library", place);
    if (!this.#agrees()) {
      refuseIf(!side.auxdata.length);
      side.auxdata.forEach((piece, number) => this.#takeAuxdata(piece, String(number + 1)));
      refuseIf(!this.#agrees());
    }
    const isAuxdataReplaced = this.steps.some(({ reason }) => reason === "cborAuxdata");
    const level = levelOf(side.auxdata, isAuxdataReplaced, side.style, side.version);
    if (side.name === "creation") this.#takeArguments();
    return { level, steps: this.steps, values: this.values };
  }

  #fillRuntime() {
    const { side } = this;
    if (this.code.startsWith(CALL_PROTECTION)) {
      const address = slice(this.onchain, 1, 21);
      this.code = slice(this.code, 0, 1) + address + slice(this.code, 21);
      this.#step("replace", "callProtection", 1, null, null, address);
    }
    for (const place of side.pushedImmutables) this.#take("replace", "immutable", place);
    if (side.appendedImmutables) {
      this.#take("insert", "immutable", {
        id: "0",
        start: sizeOf(side.recompiled),
        length: side.appendedImmutables,
      });
    }
  }

  #step(type, reason, offset, id, length, value) {
    this.steps.push({ type, reason, offset, id, length });
    if (GROUPS[reason]) (this.values[GROUPS[reason]] ??= {})[id] = `0x${value}`;
    else this.values[reason] = `0x${value}`;
  }

  #agrees() {
    return this.side.name === "runtime" ? this.onchain === this.code : this.onchain.startsWith(this.code);
  }

  #take(type, reason, { id, start, length }) {
    const value = slice(this.onchain, start, start + length);
    refuseIf(sizeOf(value) !== length);
    this.code = slice(this.code, 0, start) + value + slice(this.code, type === "replace" ? start + length : start);
    this.#step(type, reason, start, id, null, value);
  }

  /** Copies the on-chain auxdata; where the on-chain code ends before it, cuts off the recompiled one. */
  #takeAuxdata({ offset, value }, number) {
    const end = offset + sizeOf(value);
    const onchain = slice(this.onchain, offset, end);
    if (!onchain) return this.#cutOff(offset, sizeOf(value));
    refuseIf(!isCbor(onchain.slice(0, -4)) && !isCbor(onchain));
    this.code = slice(this.code, 0, offset) + onchain + slice(this.code, end);
    const length = onchain.length === value.length ? null : sizeOf(value);
    this.#step("replace", "cborAuxdata", offset, number, length, onchain);
  }

  #cutOff(offset, size) {
    // solc writes an INVALID before its auxdata
    refuseIf(!offset || slice(this.code, offset - 1, offset) !== "fe");
    this.code = slice(this.code, 0, offset - 1) + slice(this.code, offset + size);
    this.steps.push({ type: "delete", reason: "cborAuxdata", offset: offset - 1, id: null, length: size + 1 });
  }

  #takeArguments() {
    const offset = sizeOf(this.code);
    const values = slice(this.onchain, offset);
    if (!values) return;
    refuseIf(!this.side.constructorInputs);
    checkValues(this.side.constructorInputs, values);
    this.#step("insert", "constructorArguments", offset, null, null, values);
  }
}
