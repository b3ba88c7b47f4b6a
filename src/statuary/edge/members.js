// @ts-check
/**
 * Splits the text of a JSON object into its members as it streams in.
 *
 * The text is the compact JSON that statuary writes: one object, no white space between tokens, no repeated
 * member. Values are passed on as bytes; nothing is parsed or kept.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** A text that is not one compact JSON object. */
export class NotCanonical extends Error {}

/**
 * The callbacks of a scanner, in order, for each member: its name, its value in one or more pieces, its end.
 * @typedef {object} Visitor
 * @property {(name: string) => void} name
 * @property {(bytes: Uint8Array) => void} value
 * @property {() => void} end
 */

/** Splits one object into members; chunks may be cut anywhere. */
export class MemberScanner {
  /** @param {Visitor} visitor */
  constructor(visitor) {
    this.visitor = visitor;
    /**
     * Reads the next token; each step reads from an offset and returns the offset where it stopped.
     * @type {(chunk: Uint8Array, at: number, from?: number) => number}
     */
    this.step = this.openingBrace;
    this.depth = 0;
    this.inString = false;
    this.escaped = false;
    /** @type {Uint8Array[]} */
    this.nameParts = [];
  }

  /** @param {Uint8Array} chunk */
  push(chunk) {
    for (let at = 0; at < chunk.length;) at = this.step(chunk, at);
  }

  /** Throws unless the object is complete. */
  finish() {
    if (this.step !== this.nothing) throw new NotCanonical("the object has no end");
  }

  /** @param {Uint8Array} chunk @param {number} at @returns {number} */
  openingBrace(chunk, at) {
    if (chunk[at] !== OPENING_BRACE) throw new NotCanonical("no object");
    this.step = this.firstName;
    return at + 1;
  }

  /** @param {Uint8Array} chunk @param {number} at @returns {number} */
  firstName(chunk, at) {
    if (chunk[at] !== CLOSING_BRACE) return this.nextName(chunk, at);
    this.step = this.nothing;
    return at + 1;
  }

  /** @param {Uint8Array} chunk @param {number} at @returns {number} */
  nextName(chunk, at) {
    if (chunk[at] !== QUOTE) throw new NotCanonical("no member name");
    this.nameParts = [chunk.subarray(at, at + 1)];
    this.inString = true;
    this.step = this.restOfName;
    return at + 1;
  }

  /** @param {Uint8Array} chunk @param {number} at @returns {number} */
  restOfName(chunk, at) {
    const end = this.string(chunk, at);
    this.nameParts.push(chunk.slice(at, end));
    if (!this.inString) this.step = this.colon;
    return end;
  }

  /** @param {Uint8Array} chunk @param {number} at @returns {number} */
  colon(chunk, at) {
    if (chunk[at] !== COLON) throw new NotCanonical("no colon");
    this.visitor.name(JSON.parse(decoder.decode(joined(this.nameParts))));
    this.step = this.value;
    return at + 1;
  }

  /** @param {Uint8Array} chunk @param {number} at @returns {number} */
  value(chunk, at) {
    const first = chunk[at];
    if (first === COMMA || first === CLOSING_BRACE) throw new NotCanonical("no value");
    const isContainer = first === OPENING_BRACE || first === OPENING_BRACKET;
    this.step = isContainer ? this.restOfContainer : first === QUOTE ? this.restOfString : this.restOfScalar;
    this.depth = 0;
    this.inString = first === QUOTE;
    return this.step(chunk, first === QUOTE ? at + 1 : at, at);
  }

  /** @param {Uint8Array} chunk @param {number} at @param {number} [from] @returns {number} */
  restOfString(chunk, at, from = at) {
    const end = this.string(chunk, at);
    this.visitor.value(chunk.subarray(from, end));
    if (!this.inString) this.endOfValue();
    return end;
  }

  /** @param {Uint8Array} chunk @param {number} at @param {number} [from] @returns {number} */
  restOfScalar(chunk, at, from = at) {
    while (at < chunk.length && chunk[at] !== COMMA && chunk[at] !== CLOSING_BRACE) at++;
    if (at > from) this.visitor.value(chunk.subarray(from, at));
    if (at < chunk.length) this.endOfValue();
    return at;
  }

  /** @param {Uint8Array} chunk @param {number} at @param {number} [from] @returns {number} */
  restOfContainer(chunk, at, from = at) {
    const end = this.container(chunk, at);
    this.visitor.value(chunk.subarray(from, end));
    if (this.depth === 0) this.endOfValue();
    return end;
  }

  endOfValue() {
    this.visitor.end();
    this.step = this.comma;
  }

  /** @param {Uint8Array} chunk @param {number} at @returns {number} */
  comma(chunk, at) {
    if (chunk[at] !== COMMA && chunk[at] !== CLOSING_BRACE) throw new NotCanonical("no comma");
    this.step = chunk[at] === COMMA ? this.nextName : this.nothing;
    return at + 1;
  }

  /** @returns {number} */
  nothing() {
    throw new NotCanonical("something follows the object");
  }

  /**
   * Skips an array or object until its last bracket closes or the chunk ends.
   * @param {Uint8Array} chunk
   * @param {number} at
   * @returns {number} the first byte after it
   */
  container(chunk, at) {
    while (at < chunk.length) {
      if (this.inString) {
        at = this.string(chunk, at);
        continue;
      }
      const byte = chunk[at++];
      if (byte === QUOTE) this.inString = true;
      else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) this.depth++;
      else if ((byte === CLOSING_BRACE || byte === CLOSING_BRACKET) && --this.depth === 0) break;
    }
    return at;
  }

  /**
   * Skips the rest of a string, through its closing quote or to the end of the chunk.
   * @param {Uint8Array} chunk
   * @param {number} at
   * @returns {number} the first byte after it
   */
  string(chunk, at) {
    const from = this.escaped ? at + 1 : at; // the backslash that escapes this byte ended the previous chunk
    this.escaped = false;
    for (let quote = chunk.indexOf(QUOTE, from); quote !== -1; quote = chunk.indexOf(QUOTE, quote + 1)) {
      if (backslashesBefore(chunk, quote, from) % 2 === 0) {
        this.inString = false;
        return quote + 1;
      }
    }
    this.escaped = backslashesBefore(chunk, chunk.length, from) % 2 === 1;
    return chunk.length;
  }
}

/**
 * @param {Uint8Array} chunk
 * @param {number} end
 * @param {number} from
 */
function backslashesBefore(chunk, end, from) {
  let first = end;
  while (first > from && chunk[first - 1] === BACKSLASH) first--;
  return end - first;
}

/**
 * The members of a complete object.
 * @param {Uint8Array} text
 * @returns {Map<string, Uint8Array>} values by name, in their order
 */
export function members(text) {
  const found = new Map();
  /** @type {Uint8Array[]} */
  let parts = [];
  let current = "";
  const scanner = new MemberScanner({
    name: (name) => (current = name, parts = []),
    value: (bytes) => parts.push(bytes),
    end: () => found.set(current, joined(parts)),
  });
  scanner.push(text);
  scanner.finish();
  return found;
}

/**
 * The items of a complete array of objects.
 * @param {Uint8Array} text
 * @returns {Uint8Array[]}
 */
export function items(text) {
  /** @type {Uint8Array[]} */
  const found = [];
  const scanner = new MemberScanner({ name() {}, value() {}, end() {} });
  let at = 1;
  while (text[at] === OPENING_BRACE) {
    const end = scanner.container(text, at);
    found.push(text.subarray(at, end));
    at = text[end] === COMMA ? end + 1 : end;
  }
  if (text[0] !== OPENING_BRACKET || text[at] !== CLOSING_BRACKET) throw new NotCanonical("no array of objects");
  return found;
}

/**
 * The bytes of all parts, in a new buffer.
 * @param {Uint8Array[]} parts
 */
export function joined(parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
