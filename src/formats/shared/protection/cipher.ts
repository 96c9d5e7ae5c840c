import { createDecipheriv, createHash } from 'node:crypto';
import { yieldToEventLoop } from '#src/lib/async/yield-to-event-loop.ts';
import { createUnsupportedEncryptionError } from './errors.ts';

/** Size of an AES block in bytes. */
export const AES_BLOCK = 16;

/**
 * Maximum number of hash rounds for deriving a key from a password, which take seconds. Files usually use a
 * tenth of this number.
 */
const MAX_ROUNDS = 1_000_000;
const ROUNDS_BETWEEN_YIELDS = 20_000;

const KEY_BITS = [128, 192, 256];

/**
 * Decrypts AES without padding. `data` consists of whole blocks. Uses CBC mode if `iv` is given, otherwise
 * ECB mode.
 */
export function decryptAes(key: Uint8Array, data: Uint8Array, iv?: Uint8Array): Uint8Array {
  const bits = key.length * 8;
  if (!KEY_BITS.includes(bits))
    throw createUnsupportedEncryptionError(`its key length of ${bits} bits is not supported`);
  const decipher = createDecipheriv(`aes-${bits}-${iv ? 'cbc' : 'ecb'}`, key, iv ?? null);
  decipher.setAutoPadding(false);
  const first = decipher.update(data);
  const last = decipher.final();
  return last.length === 0 ? new Uint8Array(first) : new Uint8Array(Buffer.concat([first, last]));
}

export function digest(algorithm: string, ...parts: Uint8Array[]): Uint8Array {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

export function toLittleEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** Encodes a password as UTF-16LE, which Office uses for key derivation. */
export function encodeUtf16(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), true);
  return bytes;
}

/**
 * Hashes salt and password, then hashes the result again with a counter for the given number of rounds.
 * Throws ParseError if the file demands so many rounds that the parser would be blocked.
 */
export async function hashPassword(
  algorithm: string,
  salt: Uint8Array,
  password: string,
  rounds: number,
): Promise<Uint8Array> {
  if (!(Number.isInteger(rounds) && rounds >= 0 && rounds <= MAX_ROUNDS)) {
    throw createUnsupportedEncryptionError(
      `its key derivation takes ${rounds} rounds, and the limit is ${MAX_ROUNDS}`,
    );
  }
  let hash = digest(algorithm, salt, encodeUtf16(password));
  for (let round = 0; round < rounds; round += 1) {
    hash = digest(algorithm, toLittleEndian(round), hash);
    if (round % ROUNDS_BETWEEN_YIELDS === 0) await yieldToEventLoop(async () => {});
  }
  return hash;
}

/** Truncates bytes to a length, or extends them with a filler byte. */
export function fitToLength(bytes: Uint8Array, length: number, filler: number): Uint8Array {
  const fit = new Uint8Array(length).fill(filler);
  fit.set(bytes.subarray(0, length));
  return fit;
}

export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Removes an incomplete AES block from the end of the data. */
export const truncateToBlocks = (bytes: Uint8Array) =>
  bytes.subarray(0, bytes.length - (bytes.length % AES_BLOCK));
