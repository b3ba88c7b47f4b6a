// @ts-check
/** The chain id and the address in a path: checked with the measured messages, in the measured order. */

import { keccak256 } from "./keccak.js";
import { LookupError } from "./lookup-error.js";

const CHAIN_ID_DIGITS = 20;
const ADDRESS_LENGTH = 42;

/** @param {string} text */
export function checkChainId(text) {
  if ([...text].length > CHAIN_ID_DIGITS) {
    throw new LookupError(`request/params/chainId must NOT have more than ${CHAIN_ID_DIGITS} characters`);
  }
  if (!/^[0-9]+$/.test(text)) throw new LookupError('request/params/chainId must match pattern "^\\d+$"');
}

/** @param {string} text */
export function checkAddress(text) {
  const { length } = [...text];
  if (length !== ADDRESS_LENGTH) {
    const bound = length < ADDRESS_LENGTH ? "fewer" : "more";
    throw new LookupError(`request/params/address must NOT have ${bound} than ${ADDRESS_LENGTH} characters`);
  }
  if (!/^0x[a-fA-F0-9]{40}$/.test(text)) {
    throw new LookupError('request/params/address must match pattern "(\\b0x[a-fA-F0-9]{40}\\b)"');
  }
}

/**
 * The checksummed form (EIP-55) of an address that passed `checkAddress`; rejects mixed case with a wrong checksum.
 * @param {string} text
 */
export function checkedAddress(text) {
  const address = checksummed(text);
  const digits = text.slice(2);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (text !== address && !oneCase) throw new LookupError(`Invalid address: ${text}`);
  return address;
}

/**
 * The checksummed form (EIP-55) of `0x` and 40 hex digits.
 * @param {string} address
 */
export function checksummed(address) {
  const digits = address.slice(2).toLowerCase();
  const digest = keccak256(new TextEncoder().encode(digits));
  const cased = [...digits].map((digit, at) => {
    const nibble = at % 2 ? digest[at >> 1] & 0x0f : digest[at >> 1] >> 4;
    return nibble >= 8 ? digit.toUpperCase() : digit;
  });
  return `0x${cased.join("")}`;
}
