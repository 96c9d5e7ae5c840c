import { areEqual, digest, encodeUtf16, toLittleEndian } from './cipher.ts';
import { createPasswordError, createUnsupportedEncryptionError } from './errors.ts';

/** RC4 stream cipher. The runtime's cryptography library no longer supports it. */
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

  /** Encrypts or decrypts bytes. Both are the same operation in RC4. */
  apply(bytes: Uint8Array): Uint8Array {
    return bytes.map((byte) => byte ^ this.next());
  }
}

// Constants of RC4 encryption and RC4 CryptoAPI encryption, which are specified in [MS-OFFCRYPTO], sections
// 2.3.6 and 2.3.5.

const HEADER_FLAGS_AND_SIZE = 12;
const RC4_ALGORITHM = 0x6801;
const SHA_1 = 0x8004;
const SALT_BYTES = 16;
const VERIFIER_BYTES = 16;
/** Length in bytes to which the older RC4 encryption of Office truncates hashes. */
const TRUNCATED_HASH_BYTES = 5;
const REPEATS = 16;
const MIN_KEY_BITS = 40;

/**
 * Key of an encrypted legacy Office document. Each block of the document is encrypted with a different key
 * derived from this key.
 */
export interface LegacyKey {
  /** Creates the cipher for a block of the document, in its initial state. */
  createCipher(block: number): Rc4;
}

/**
 * Derives the key of an Office file that is encrypted with RC4. `description` contains the encryption
 * settings and starts with two version numbers. Throws ParseError FILE_IS_PROTECTED if the password is
 * missing or wrong.
 */
export function openLegacyKey(description: Uint8Array, password: string | null | undefined): LegacyKey {
  if (!password) throw createPasswordError(password);
  if (description.length < 4) throw createTruncatedError();
  const view = new DataView(description.buffer, description.byteOffset, description.byteLength);
  const [major, minor] = [view.getUint16(0, true), view.getUint16(2, true)];
  if (major === 1 && minor === 1) return openRc4Key(description.subarray(4), password);
  if (major >= 2 && major <= 4 && minor === 2) return openCryptoApiKey(description, view, password);
  throw createUnsupportedEncryptionError('its encryption type is not supported');
}

function openRc4Key(description: Uint8Array, password: string): LegacyKey {
  const salt = description.subarray(0, SALT_BYTES);
  const verifier = description.subarray(SALT_BYTES, SALT_BYTES + VERIFIER_BYTES);
  const hash = description.subarray(SALT_BYTES + VERIFIER_BYTES, SALT_BYTES + 2 * VERIFIER_BYTES);
  if (hash.length < VERIFIER_BYTES) throw createTruncatedError();
  const first = digest('md5', encodeUtf16(password)).subarray(0, TRUNCATED_HASH_BYTES);
  const again = Array.from({ length: REPEATS }, () => [first, salt]).flat();
  const base = digest('md5', ...again).subarray(0, TRUNCATED_HASH_BYTES);
  const createCipher = (block: number) => new Rc4(digest('md5', base, toLittleEndian(block)));
  return verifyPassword({ createCipher }, verifier, hash, 'md5', password);
}

function openCryptoApiKey(description: Uint8Array, view: DataView, password: string): LegacyKey {
  if (description.length < HEADER_FLAGS_AND_SIZE) throw createTruncatedError();
  const headerBytes = view.getUint32(8, true);
  const verifierAt = HEADER_FLAGS_AND_SIZE + headerBytes;
  if (headerBytes < 32 || verifierAt + 4 + SALT_BYTES + VERIFIER_BYTES + 4 + 20 > description.length) {
    throw createTruncatedError();
  }
  const field = (number: number) => view.getUint32(HEADER_FLAGS_AND_SIZE + 4 * number, true);
  const [algorithm, hashAlgorithm, bits] = [field(2), field(3), field(4) || MIN_KEY_BITS];
  if (algorithm !== RC4_ALGORITHM || (hashAlgorithm !== SHA_1 && hashAlgorithm !== 0)) {
    throw createUnsupportedEncryptionError('it does not use RC4 with SHA-1');
  }
  if (bits < MIN_KEY_BITS || bits > 128 || bits % 8 !== 0) {
    throw createUnsupportedEncryptionError(`its key length of ${bits} bits is not supported`);
  }
  const saltAt = verifierAt + 4;
  const salt = description.subarray(saltAt, saltAt + SALT_BYTES);
  const verifier = description.subarray(saltAt + SALT_BYTES, saltAt + SALT_BYTES + VERIFIER_BYTES);
  const hashAt = saltAt + SALT_BYTES + VERIFIER_BYTES + 4;
  const hash = description.subarray(hashAt, hashAt + 20);
  const base = digest('sha1', salt, encodeUtf16(password));
  const createCipher = (block: number) => {
    const key = digest('sha1', base, toLittleEndian(block)).subarray(0, bits / 8);
    if (bits > MIN_KEY_BITS) return new Rc4(key);
    // A 40-bit key is padded with zeros to 128 bits.
    const filled = new Uint8Array(16);
    filled.set(key);
    return new Rc4(filled);
  };
  return verifyPassword({ createCipher }, verifier, hash, 'sha1', password);
}

function verifyPassword(
  key: LegacyKey,
  verifier: Uint8Array,
  hash: Uint8Array,
  algorithm: string,
  password: string,
): LegacyKey {
  const cipher = key.createCipher(0);
  const [opened, expected] = [cipher.apply(verifier), cipher.apply(hash)];
  if (!areEqual(digest(algorithm, opened), expected)) throw createPasswordError(password);
  return key;
}

/** Decrypts a stream that is divided into blocks of `blockBytes` bytes. */
export function decryptBlocks(bytes: Uint8Array, key: LegacyKey, blockBytes: number): Uint8Array {
  const opened = new Uint8Array(bytes.length);
  for (let at = 0, block = 0; at < bytes.length; at += blockBytes, block++) {
    opened.set(key.createCipher(block).apply(bytes.subarray(at, at + blockBytes)), at);
  }
  return opened;
}

const createTruncatedError = () =>
  createUnsupportedEncryptionError('its encryption information is cut short');
