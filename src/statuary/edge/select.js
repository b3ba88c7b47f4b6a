// @ts-check
/**
 * Cuts a selection out of a record as it streams through; the result consists of slices of the record's bytes.
 *
 * The next member in order goes straight through. Only members that must come later than in the record, and members
 * of which a part is selected, are kept in memory.
 */

import { BASE, CODE_OF_PROXY, IDENTITY, PROXY } from "./fields.js";
import { joined, members, MemberScanner } from "./members.js";
import { REST } from "./selectors.js";

/** @typedef {import("./selectors.js").Selection} Selection */

const OPENING_BRACE = 0x7b;
const encoder = new TextEncoder();
const OPENING = encoder.encode("{");
const COMMA = encoder.encode(",");
const COLON = encoder.encode(":");
const CLOSING = encoder.encode("}");

/**
 * A stream that turns the bytes of a record into those of a selection. It passes on copies, since a host may take
 * over the memory of the chunks it gets.
 * @param {Selection} selection
 * @returns {TransformStream<Uint8Array, Uint8Array>}
 */
export function selecting(selection) {
  /** @type {Uint8Array[]} */
  let parts = [];
  const cutter = new SelectionCutter(selection, (bytes) => parts.push(bytes));
  /** @param {TransformStreamDefaultController<Uint8Array>} controller */
  const flush = (controller) => {
    if (parts.length) controller.enqueue(joined(parts));
    parts = [];
  };
  return new TransformStream({
    transform(chunk, controller) {
      cutter.push(chunk);
      flush(controller);
    },
    flush(controller) {
      cutter.finish();
      flush(controller);
    },
  });
}

/**
 * The selection of a complete record.
 * @param {Uint8Array} record
 * @param {Selection} selection
 */
export function select(record, selection) {
  /** @type {Uint8Array[]} */
  const parts = [];
  const cutter = new SelectionCutter(selection, (bytes) => parts.push(bytes));
  cutter.push(record);
  cutter.finish();
  return joined(parts);
}

class SelectionCutter {
  /**
   * @param {Selection} selection
   * @param {(bytes: Uint8Array) => void} send
   */
  constructor(selection, send) {
    this.selection = selection;
    this.send = send;
    /** Names still to be sent, in this order; with `omit`, the other members go first, in the record's order. */
    this.awaited = awaited(selection);
    /** @type {Map<string, Uint8Array>} members that arrived early */
    this.held = new Map();
    /** The parts of `proxyResolution` that are selected, and the code of each that has arrived */
    this.codes = selection.fields?.get(PROXY) ?? [];
    /** @type {Map<string, Uint8Array>} */
    this.foundCodes = new Map();
    this.sent = 0;
    this.name = "";
    /** @type {"drop" | "pass" | "keep"} what happens to the current member */
    this.action = "drop";
    /** @type {Uint8Array[]} */
    this.kept = [];
    this.scanner = new MemberScanner(this.visitor());
  }

  /** @param {Uint8Array} chunk */
  push(chunk) {
    this.scanner.push(chunk);
  }

  finish() {
    this.scanner.finish();
    if (this.awaited.includes(PROXY) && this.codes.length) {
      this.held.set(PROXY, object(this.foundCodes, this.codes));
    }
    for (const name of this.awaited) this.sendHeld(name);
    if (!this.sent) this.send(OPENING);
    this.send(CLOSING);
  }

  /** @returns {import("./members.js").Visitor} */
  visitor() {
    return {
      name: (name) => {
        this.name = name;
        this.action = this.actionOf(name);
        this.kept = [];
        if (this.action === "pass") this.sendName(name);
      },
      value: (bytes) => {
        if (this.action === "pass") this.send(bytes);
        // a copy, since a host may reuse the memory of its chunk
        else if (this.action === "keep") this.kept.push(bytes.slice());
      },
      end: () => this.endMember(),
    };
  }

  /** @param {string} name @returns {"drop" | "pass" | "keep"} */
  actionOf(name) {
    const { fields, omit } = this.selection;
    const inner = (fields ?? omit).get(name);
    if (this.codes.length && name === PROXY) return "drop";
    if (this.codes.some((part) => CODE_OF_PROXY[part] === name)) return "keep";
    if (this.awaited.includes(name)) {
      return this.isNext(name) && !inner?.length ? "pass" : "keep";
    }
    if (fields || inner?.length === 0) return "drop";
    return inner ? "keep" : "pass";
  }

  /** @param {string} name */
  isNext(name) {
    return this.selection.fields !== null && this.awaited[0] === name;
  }

  endMember() {
    if (this.action === "keep") this.endKept();
    if (this.action !== "drop" && this.isNext(this.name)) this.awaited.shift();
    while (this.selection.fields && this.held.has(this.awaited[0])) {
      this.sendHeld(/** @type {string} */ (this.awaited.shift()));
    }
  }

  endKept() {
    const whole = joined(this.kept);
    this.keepCode(whole);
    if (this.selection.fields && !this.awaited.includes(this.name)) return;
    const value = cutInside(whole, this.name, this.selection);
    if (this.awaited.includes(this.name) && !this.isNext(this.name)) this.held.set(this.name, value);
    else this.sendMember(this.name, value);
  }

  /**
   * Keeps the on-chain code of a side if it is selected as a part of `proxyResolution`.
   * @param {Uint8Array} side
   */
  keepCode(side) {
    const part = this.codes.find((one) => CODE_OF_PROXY[one] === this.name);
    const code = part && side[0] === OPENING_BRACE && members(side).get("onchainBytecode");
    if (code) this.foundCodes.set(part, code);
    if (part && this.foundCodes.size === this.codes.length) {
      this.held.set(PROXY, object(this.foundCodes, this.codes));
    }
  }

  /** @param {string} name */
  sendHeld(name) {
    const value = this.held.get(name);
    this.held.delete(name);
    if (value) this.sendMember(name, value);
  }

  /** @param {string} name @param {Uint8Array} value */
  sendMember(name, value) {
    this.sendName(name);
    this.send(value);
  }

  /** @param {string} name */
  sendName(name) {
    const before = this.sent++ ? "," : "{";
    this.send(encoder.encode(`${before}${JSON.stringify(name)}:`));
  }
}

/**
 * The names with a fixed position in the result, in order.
 * @param {Selection} selection
 */
function awaited({ fields, omit }) {
  if (fields) return [...fields.keys(), ...BASE.filter((name) => !fields.has(name)), ...IDENTITY];
  return [...BASE.filter((name) => omit.has(name)), ...IDENTITY];
}

/**
 * The selected part of a member's value: all of it, unless a part is selected and it is an object.
 * @param {Uint8Array} value
 * @param {string} name
 * @param {Selection} selection
 */
function cutInside(value, name, { fields, omit }) {
  const inner = (fields ?? omit).get(name) ?? [];
  if (!inner.length || value[0] !== OPENING_BRACE) return value;
  const found = members(value);
  const present = [...found.keys()];
  if (!fields) return object(found, present.filter((part) => !inner.includes(part)));
  const rest = inner.includes(REST) ? present.filter((part) => !inner.includes(part)) : [];
  return object(found, [...inner.filter((part) => found.has(part)), ...rest]);
}

/**
 * @param {Map<string, Uint8Array>} found
 * @param {string[]} names
 */
function object(found, names) {
  /** @type {Uint8Array[]} */
  const parts = [OPENING];
  for (const name of names.filter((one) => found.has(one))) {
    if (parts.length > 1) parts.push(COMMA);
    parts.push(encoder.encode(JSON.stringify(name)), COLON, /** @type {Uint8Array} */ (found.get(name)));
  }
  return joined([...parts, CLOSING]);
}
