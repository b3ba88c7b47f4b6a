// @ts-check
/**
 * Keccak-256 as Ethereum uses it (not NIST SHA3-256).
 *
 * From the Keccak reference, version 3.0: 1600 bits of state as 25 lanes of 64, each here two halves of 32 bits,
 * low half first.
 */

const RATE = 136; // bytes of the state that a block of input fills, for a digest of 256 bits
const ROUNDS = 24;
const LANES = 25;
const DIGEST = 32;
const ROUND_CONSTANTS = roundConstants();
const { rotations, targets } = rotationsAndTargets();

// what one round computes on its way: kept, since a long message takes many rounds
const parity = new Uint32Array(10);
const moved = new Uint32Array(2 * LANES);

/**
 * The digest, 32 bytes.
 * @param {Uint8Array} message
 */
export function keccak256(message) {
  const padded = new Uint8Array(message.length - message.length % RATE + RATE);
  padded.set(message);
  padded[message.length] = 0x01; // the padding: one bit after the message and one at the last block's end
  padded[padded.length - 1] |= 0x80;
  const words = new DataView(padded.buffer);
  const state = new Uint32Array(2 * LANES);
  for (let block = 0; block < padded.length; block += RATE) {
    for (let at = 0; at < RATE; at += 4) state[at >> 2] ^= words.getUint32(block + at, true);
    for (let round = 0; round < ROUNDS; round++) permute(state, round);
  }
  const digest = new DataView(new ArrayBuffer(DIGEST));
  for (let at = 0; at < DIGEST; at += 4) digest.setUint32(at, state[at >> 2], true);
  return new Uint8Array(digest.buffer);
}

/** @param {Uint32Array} state @param {number} round */
function permute(state, round) {
  theta(state);
  rhoAndPi(state);
  chi(state);
  state[0] ^= ROUND_CONSTANTS[2 * round];
  state[1] ^= ROUND_CONSTANTS[2 * round + 1];
}

/** Adds to each column the parity of its neighbours. @param {Uint32Array} state */
function theta(state) {
  parity.fill(0);
  for (let half = 0; half < 2 * LANES; half++) parity[half % 10] ^= state[half];
  for (let x = 0; x < 5; x++) {
    const before = 2 * ((x + 4) % 5);
    const after = 2 * ((x + 1) % 5);
    const low = parity[before] ^ (parity[after] << 1 | parity[after + 1] >>> 31);
    const high = parity[before + 1] ^ (parity[after + 1] << 1 | parity[after] >>> 31);
    for (let lane = x; lane < LANES; lane += 5) {
      state[2 * lane] ^= low;
      state[2 * lane + 1] ^= high;
    }
  }
}

/** Turns each lane and moves it to another place. @param {Uint32Array} state */
function rhoAndPi(state) {
  for (let lane = 0; lane < LANES; lane++) {
    const swap = rotations[lane] & 32 ? 1 : 0; // a turn by 32 bits is a swap of the halves
    const low = state[2 * lane + swap];
    const high = state[2 * lane + 1 - swap];
    const turn = rotations[lane] & 31;
    const target = 2 * targets[lane];
    moved[target] = turn ? low << turn | high >>> (32 - turn) : low;
    moved[target + 1] = turn ? high << turn | low >>> (32 - turn) : high;
  }
}

/** Mixes each row, the one step that is not linear. @param {Uint32Array} state */
function chi(state) {
  for (let half = 0; half < 2 * LANES; half++) {
    const row = half - half % 10;
    const next = row + (half + 2) % 10;
    const afterNext = row + (half + 4) % 10;
    state[half] = moved[half] ^ (~moved[next] & moved[afterNext]);
  }
}

/** How far each lane is turned, and to which place it goes. */
function rotationsAndTargets() {
  const rotations = new Uint8Array(LANES);
  const targets = new Uint8Array(LANES);
  let [x, y] = [1, 0];
  for (let step = 1; step < LANES; step++) {
    rotations[x + 5 * y] = (step * (step + 1) / 2) % 64;
    const goesTo = [y, (2 * x + 3 * y) % 5];
    targets[x + 5 * y] = goesTo[0] + 5 * goesTo[1];
    [x, y] = goesTo;
  }
  return { rotations, targets };
}

/** The constant of each round: bits of a shift register, at the places 0, 1, 3, 7, 15, 31 and 63. */
function roundConstants() {
  const constants = new Uint32Array(2 * ROUNDS);
  let register = 1;
  for (let round = 0; round < ROUNDS; round++) {
    for (let power = 0; power < 7; power++) {
      const place = 2 ** power - 1;
      if (register & 1) constants[2 * round + (place >> 5)] ^= 1 << (place & 31);
      register = register & 0x80 ? (register << 1 ^ 0x171) & 0xff : register << 1;
    }
  }
  return constants;
}
