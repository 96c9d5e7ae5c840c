import { createDecipheriv, createHash } from 'node:crypto';
import { breathe } from '#src/lib/async/breathe.ts';
import { unreadableProtection } from './refusal.ts';

/** Bytes of one block of AES. */
export const AES_BLOCK = 16;

/** Hashing so often takes seconds; the usual count is a tenth of it. */
const MOST_ROUNDS = 1_000_000;
const ROUNDS_AT_A_STRETCH = 20_000;

const KEY_BITS = [128, 192, 256];

/** AES without padding: `data` is whole blocks. Without `iv` each block stands for itself (ECB). */
export function decryptAes(key: Uint8Array, data: Uint8Array, iv?: Uint8Array): Uint8Array {
  const bits = key.length * 8;
  if (!KEY_BITS.includes(bits)) throw unreadableProtection(`its keys have ${bits} bits`);
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

export function littleEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** As office programs put a password in front of their keys. */
export function utf16(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at += 1) view.setUint16(at * 2, text.charCodeAt(at), true);
  return bytes;
}

/**
 * The hash of salt and password, hashed anew with a counter so many times. The file says how often: a count that
 * would keep the parser busy for long is refused.
 */
export async function spun(
  algorithm: string,
  salt: Uint8Array,
  password: string,
  rounds: number,
): Promise<Uint8Array> {
  if (!(Number.isInteger(rounds) && rounds >= 0 && rounds <= MOST_ROUNDS)) {
    throw unreadableProtection(`its key takes ${rounds} rounds; at most ${MOST_ROUNDS} are done`);
  }
  let hash = digest(algorithm, salt, utf16(password));
  for (let round = 0; round < rounds; round += 1) {
    hash = digest(algorithm, littleEndian(round), hash);
    if (round % ROUNDS_AT_A_STRETCH === 0) await breathe(async () => {});
  }
  return hash;
}

/** Cut to a length, or filled up to it. */
export function fitted(bytes: Uint8Array, length: number, filler: number): Uint8Array {
  const fit = new Uint8Array(length).fill(filler);
  fit.set(bytes.subarray(0, length));
  return fit;
}

/** Whether all bytes are equal. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** As many whole blocks as there are. */
export const wholeBlocks = (bytes: Uint8Array) =>
  bytes.subarray(0, bytes.length - (bytes.length % AES_BLOCK));
