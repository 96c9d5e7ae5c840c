import { pbkdf2Sync } from 'node:crypto';
import { ParseError } from '#src/documents/errors.ts';
import { type Archive, inflateTo, xmlEncoding } from '#src/formats/shared/containers/zip.ts';
import { decryptBlowfish } from '#src/formats/shared/protection/blowfish.ts';
import {
  AES_BLOCK,
  areEqual,
  decryptAes,
  digest,
  truncateToBlocks,
} from '#src/formats/shared/protection/cipher.ts';
import {
  createPasswordError,
  createUnsupportedEncryptionError,
} from '#src/formats/shared/protection/errors.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { getOwn } from '#src/lib/get-own.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { child, elements, type XmlElement } from '#src/text-formats/xml.ts';

// Decrypts OpenDocument packages, as specified in OpenDocument 1.2 and 1.3, part 2 (packages), section 4.

/**
 * Maximum number of key derivation rounds for all files of a package together. A typical file needs 100,000
 * rounds.
 */
const MAX_ROUNDS = 20_000_000;
/**
 * Number of bytes at the start of a compressed file that its checksum covers. They are compared after
 * decryption.
 */
const CHECKED_BYTES = 1024;

/** Hash functions by the last segment of their names in the OpenDocument manifest. */
const HASHES: Record<string, string> = { sha1: 'sha1', 'sha1-1k': 'sha1', 'sha1/1k': 'sha1' };
for (const name of ['sha256', 'sha256-1k']) HASHES[name] = 'sha256';

const CIPHERS: [RegExp, MemberEncryption['cipher']][] = [
  [/^aes(?:128|192|256)-cbc$/, 'aes'],
  // OpenDocument 1.0 and 1.1 encrypt with Blowfish.
  [/^blowfish cfb$/, 'blowfish'],
];

interface MemberEncryption {
  cipher: 'aes' | 'blowfish';
  size: number;
  hash: string;
  checksum: Uint8Array;
  iv: Uint8Array;
  salt: Uint8Array;
  rounds: number;
  keyBytes: number;
  startHash: string;
}

const getLocalName = (text = '') => text.slice(text.lastIndexOf('#') + 1).toLowerCase();
const base64 = (text = '') => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

function readEncryption(entry: XmlElement): MemberEncryption | undefined {
  const data = child(entry, 'manifest:encryption-data');
  if (!data) return undefined;
  const attributes = (name: string) => child(data, `manifest:${name}`)?.attributes ?? {};
  const algorithm = attributes('algorithm');
  const derivation = attributes('key-derivation');
  const start = attributes('start-key-generation');
  const cipher = CIPHERS.find(([name]) => name.test(getLocalName(algorithm['manifest:algorithm-name'])))?.[1];
  if (!cipher) throw createUnsupportedEncryptionError('it uses neither AES in CBC mode nor Blowfish');
  const hash = getOwn(HASHES, getLocalName(data.attributes['manifest:checksum-type']));
  const startHash = getOwn(HASHES, getLocalName(start['manifest:start-key-generation-name'] ?? 'sha1'));
  if (!hash || !startHash || derivation['manifest:key-derivation-name'] !== 'PBKDF2') {
    throw createUnsupportedEncryptionError('its key derivation is not supported');
  }
  return {
    cipher,
    size: Number(entry.attributes['manifest:size']),
    hash,
    checksum: base64(data.attributes['manifest:checksum']),
    iv: base64(algorithm['manifest:initialisation-vector']),
    salt: base64(derivation['manifest:salt']),
    rounds: Number(derivation['manifest:iteration-count']),
    keyBytes: Number(derivation['manifest:key-size'] ?? 16),
    startHash,
  };
}

function decryptMember(
  key: Uint8Array,
  encrypted: Uint8Array,
  { cipher, iv }: MemberEncryption,
): Uint8Array | undefined {
  if (cipher === 'blowfish') return decryptBlowfish(key, encrypted, iv);
  return removePadding(decryptAes(key, truncateToBlocks(encrypted), iv));
}

/**
 * Removes the padding from decrypted bytes. The last byte states the length of the padding. Returns
 * `undefined` if that length is invalid.
 */
function removePadding(bytes: Uint8Array): Uint8Array | undefined {
  const padding = bytes.at(-1) ?? 0;
  return padding >= 1 && padding <= AES_BLOCK ? bytes.subarray(0, bytes.length - padding) : undefined;
}

/**
 * Wraps an archive so that its files are decrypted when they are read. Reading throws ParseError if the
 * password is wrong.
 */
export function createDecryptedArchive(
  archive: Archive,
  manifest: XmlElement | undefined,
  password: string | null | undefined,
  budget: WorkBudget,
): Archive {
  if (!archive.has('content.xml'))
    throw createUnsupportedEncryptionError('all of its content is encrypted as one file');
  if (!password) throw createPasswordError(password);
  const entries = new Map(
    elements(manifest, 'manifest:file-entry').map((one) => [one.attributes['manifest:full-path'] ?? '', one]),
  );
  let roundsLeft = MAX_ROUNDS;
  const decrypt = (encrypted: Uint8Array, lock: MemberEncryption): Uint8Array => {
    roundsLeft -= lock.rounds;
    if (!(lock.rounds > 0 && roundsLeft >= 0))
      throw createUnsupportedEncryptionError('its key derivation takes too many rounds');
    const start = digest(lock.startHash, new TextEncoder().encode(password));
    const key = pbkdf2Sync(start, lock.salt, lock.rounds, lock.keyBytes, 'sha1');
    const packed = decryptMember(new Uint8Array(key), encrypted, lock);
    const isRight = packed && areEqual(digest(lock.hash, packed.subarray(0, CHECKED_BYTES)), lock.checksum);
    if (!isRight) throw createPasswordError(password);
    return inflateTo(packed, lock.size, budget);
  };
  const read = (name: string) => {
    const stored = archive.read(name);
    const entry = entries.get(name);
    try {
      const lock = stored && entry && readEncryption(entry);
      return lock ? decrypt(stored, lock) : stored;
    } catch (error) {
      if (error instanceof ParseError) throw error;
      throw createUnsupportedEncryptionError(getErrorMessage(error));
    }
  };
  return {
    ...archive,
    read,
    text: (name) => {
      const data = read(name);
      return data && decodeText(data, xmlEncoding(data)).text;
    },
  };
}
