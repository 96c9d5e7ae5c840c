// Parameters of the cipher Blowfish as published by its author. The initial tables of the cipher are digits
// of pi.

const ROUNDS = 16;
const SUBKEYS = ROUNDS + 2;
const BOXES = 4;
const BOX = 256;
const BLOCK = 8;
const WORDS = SUBKEYS + BOXES * BOX;

/** Number of extra bits for computing pi. The divisions make the last bits inexact. */
const GUARD_BITS = 64n;
let digits: Uint32Array | undefined;

/** Computes the binary digits of pi after the point, in 32-bit words. */
function computePiDigits(): Uint32Array {
  if (digits) return digits;
  const bits = BigInt(WORDS * 32) + GUARD_BITS;
  const one = 1n << bits;
  const arctangent = (of: bigint) => {
    let [sum, power, divisor] = [0n, one / of, 1n];
    for (let sign = 1n; power > 0n; sign = -sign, divisor += 2n) {
      sum += (sign * power) / divisor;
      power /= of * of;
    }
    return sum;
  };
  const pi = 4n * (4n * arctangent(5n) - arctangent(239n));
  const hex = ((pi & (one - 1n)) >> GUARD_BITS).toString(16).padStart(WORDS * 8, '0');
  digits = Uint32Array.from({ length: WORDS }, (_, at) => Number.parseInt(hex.slice(at * 8, at * 8 + 8), 16));
  return digits;
}

class Blowfish {
  readonly #words = computePiDigits().slice();

  constructor(key: Uint8Array) {
    const words = this.#words;
    for (let at = 0, byte = 0; at < SUBKEYS; at++) {
      let part = 0;
      for (let count = 0; count < 4; count++) part = (part << 8) | key[byte++ % key.length]!;
      words[at]! ^= part;
    }
    let pair: [number, number] = [0, 0];
    for (let at = 0; at < WORDS; at += 2) {
      pair = this.encrypt(...pair);
      [words[at], words[at + 1]] = pair;
    }
  }

  encrypt(left: number, right: number): [number, number] {
    const words = this.#words;
    let [one, other] = [left, right];
    for (let round = 0; round < ROUNDS; round++) {
      one ^= words[round]!;
      [one, other] = [other ^ this.#applyRoundFunction(one), one];
    }
    return [(other ^ words[ROUNDS + 1]!) >>> 0, (one ^ words[ROUNDS]!) >>> 0];
  }

  #applyRoundFunction(word: number): number {
    const box = (number: number, byte: number) => this.#words[SUBKEYS + number * BOX + (byte & 255)]!;
    const sum = (box(0, word >>> 24) + box(1, word >>> 16)) | 0;
    return ((sum ^ box(2, word >>> 8)) + box(3, word)) | 0;
  }
}

/** Decrypts Blowfish in cipher feedback mode (CFB) with 64-bit blocks. The last block may be incomplete. */
export function decryptBlowfish(key: Uint8Array, data: Uint8Array, iv: Uint8Array): Uint8Array {
  const cipher = new Blowfish(key);
  const opened = new Uint8Array(data.length);
  const mask = new Uint8Array(BLOCK);
  const maskView = new DataView(mask.buffer);
  const before = new Uint8Array(BLOCK);
  const beforeView = new DataView(before.buffer);
  before.set(iv.subarray(0, BLOCK));
  for (let from = 0; from < data.length; from += BLOCK) {
    const [left, right] = cipher.encrypt(beforeView.getUint32(0), beforeView.getUint32(4));
    maskView.setUint32(0, left);
    maskView.setUint32(4, right);
    const block = data.subarray(from, from + BLOCK);
    for (let at = 0; at < block.length; at++) opened[from + at] = block[at]! ^ mask[at]!;
    before.set(block);
  }
  return opened;
}
