import { digest, isSame, littleEndian, utf16 } from './cipher.ts';
import { lockedFile, unreadableProtection } from './refusal.ts';

/** The stream of bytes that RC4 makes of a key; the runtime's own cryptography does not have it any more. */
class Rc4 {
  readonly #state = Uint8Array.from({ length: 256 }, (_, at) => at);
  #i = 0;
  #j = 0;

  constructor(key: Uint8Array) {
    const state = this.#state;
    for (let i = 0, j = 0; i < 256; i++) {
      j = (j + state[i]! + key[i % key.length]!) & 255;
      [state[i], state[j]] = [state[j]!, state[i]!];
    }
  }

  next(): number {
    const state = this.#state;
    this.#i = (this.#i + 1) & 255;
    this.#j = (this.#j + state[this.#i]!) & 255;
    const [a, b] = [state[this.#i]!, state[this.#j]!];
    state[this.#i] = b;
    state[this.#j] = a;
    return state[(a + b) & 255]!;
  }

  /** The bytes encrypted or decrypted, which is the same. */
  apply(bytes: Uint8Array): Uint8Array {
    return bytes.map((byte) => byte ^ this.next());
  }
}

// RC4 encryption and RC4 CryptoAPI encryption: [MS-OFFCRYPTO], sections 2.3.6 and 2.3.5.

const HEADER_FLAGS_AND_SIZE = 12;
const RC4_ALGORITHM = 0x6801;
const SHA_1 = 0x8004;
const SALT_BYTES = 16;
const VERIFIER_BYTES = 16;
/** What of the hash of a password the older way goes on with, and how often. */
const TRUNCATED = 5;
const REPEATS = 16;
const WEAKEST_BITS = 40;

/** A document's key, which is another one for each block. */
export interface LegacyKey {
  /** For what a block begins with. */
  cipherOf(block: number): Rc4;
}

/**
 * The key of a file that RC4 encrypts. `description`: from the two numbers of its version on. Throws ParseError
 * FILE_IS_PROTECTED without the right password.
 */
export function openLegacyKey(description: Uint8Array, password: string | null | undefined): LegacyKey {
  if (!password) throw lockedFile(password);
  if (description.length < 4) throw cutShort();
  const view = new DataView(description.buffer, description.byteOffset, description.byteLength);
  const [major, minor] = [view.getUint16(0, true), view.getUint16(2, true)];
  if (major === 1 && minor === 1) return openOld(description.subarray(4), password);
  if (major >= 2 && major <= 4 && minor === 2) return openCryptoApi(description, view, password);
  throw unreadableProtection('its kind of encryption is not known here');
}

function openOld(description: Uint8Array, password: string): LegacyKey {
  const salt = description.subarray(0, SALT_BYTES);
  const verifier = description.subarray(SALT_BYTES, SALT_BYTES + VERIFIER_BYTES);
  const hash = description.subarray(SALT_BYTES + VERIFIER_BYTES, SALT_BYTES + 2 * VERIFIER_BYTES);
  if (hash.length < VERIFIER_BYTES) throw cutShort();
  const first = digest('md5', utf16(password)).subarray(0, TRUNCATED);
  const again = Array.from({ length: REPEATS }, () => [first, salt]).flat();
  const base = digest('md5', ...again).subarray(0, TRUNCATED);
  const cipherOf = (block: number) => new Rc4(digest('md5', base, littleEndian(block)));
  return verified({ cipherOf }, verifier, hash, 'md5', password);
}

function openCryptoApi(description: Uint8Array, view: DataView, password: string): LegacyKey {
  if (description.length < HEADER_FLAGS_AND_SIZE) throw cutShort();
  const headerBytes = view.getUint32(8, true);
  const verifierAt = HEADER_FLAGS_AND_SIZE + headerBytes;
  if (headerBytes < 32 || verifierAt + 4 + SALT_BYTES + VERIFIER_BYTES + 4 + 20 > description.length) {
    throw cutShort();
  }
  const field = (number: number) => view.getUint32(HEADER_FLAGS_AND_SIZE + 4 * number, true);
  const [algorithm, hashAlgorithm, bits] = [field(2), field(3), field(4) || WEAKEST_BITS];
  if (algorithm !== RC4_ALGORITHM || (hashAlgorithm !== SHA_1 && hashAlgorithm !== 0)) {
    throw unreadableProtection('it is not encrypted by RC4 with SHA-1');
  }
  if (bits < WEAKEST_BITS || bits > 128 || bits % 8 !== 0) {
    throw unreadableProtection(`its keys have ${bits} bits`);
  }
  const saltAt = verifierAt + 4;
  const salt = description.subarray(saltAt, saltAt + SALT_BYTES);
  const verifier = description.subarray(saltAt + SALT_BYTES, saltAt + SALT_BYTES + VERIFIER_BYTES);
  const hashAt = saltAt + SALT_BYTES + VERIFIER_BYTES + 4;
  const hash = description.subarray(hashAt, hashAt + 20);
  const base = digest('sha1', salt, utf16(password));
  const cipherOf = (block: number) => {
    const key = digest('sha1', base, littleEndian(block)).subarray(0, bits / 8);
    if (bits > WEAKEST_BITS) return new Rc4(key);
    // So short a key is filled up.
    const filled = new Uint8Array(16);
    filled.set(key);
    return new Rc4(filled);
  };
  return verified({ cipherOf }, verifier, hash, 'sha1', password);
}

function verified(
  key: LegacyKey,
  verifier: Uint8Array,
  hash: Uint8Array,
  algorithm: string,
  password: string,
): LegacyKey {
  const cipher = key.cipherOf(0);
  const [opened, expected] = [cipher.apply(verifier), cipher.apply(hash)];
  if (!isSame(digest(algorithm, opened), expected)) throw lockedFile(password);
  return key;
}

/** A stream of which each stretch of so many bytes is a block. */
export function decryptBlocks(bytes: Uint8Array, key: LegacyKey, blockBytes: number): Uint8Array {
  const opened = new Uint8Array(bytes.length);
  for (let at = 0, block = 0; at < bytes.length; at += blockBytes, block++) {
    opened.set(key.cipherOf(block).apply(bytes.subarray(at, at + blockBytes)), at);
  }
  return opened;
}

const cutShort = () => unreadableProtection('its description is cut short');
