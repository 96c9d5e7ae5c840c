import { pbkdf2Sync } from 'node:crypto';
import { ParseError } from '#src/documents/errors.ts';
import { type Archive, inflateTo, xmlEncoding } from '#src/formats/shared/containers/zip.ts';
import { decryptBlowfish } from '#src/formats/shared/protection/blowfish.ts';
import { AES_BLOCK, decryptAes, digest, isSame, wholeBlocks } from '#src/formats/shared/protection/cipher.ts';
import { lockedFile, unreadableProtection } from '#src/formats/shared/protection/refusal.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { messageOf } from '#src/lib/errors.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { child, elements, type XmlElement } from '#src/text-formats/xml.ts';

// Decrypts packages according to OpenDocument 1.2 and 1.3, part 2 (packages), section 4.

/** Maximum key derivation rounds of all members together. A usual member takes 100,000. */
const MOST_ROUNDS = 20_000_000;
/** Bytes at the start of a member that the checksum covers, before encryption. */
const CHECKED_BYTES = 1024;

/** Hash functions by the last part of their names. */
const HASHES: Record<string, string> = { sha1: 'sha1', 'sha1-1k': 'sha1', 'sha1/1k': 'sha1' };
for (const name of ['sha256', 'sha256-1k']) HASHES[name] = 'sha256';

const CIPHERS: [RegExp, Lock['cipher']][] = [
  [/^aes(?:128|192|256)-cbc$/, 'aes'],
  // Algorithm of OpenDocument 1.0 and 1.1.
  [/^blowfish cfb$/, 'blowfish'],
];

interface Lock {
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

const nameIn = (text = '') => text.slice(text.lastIndexOf('#') + 1).toLowerCase();
const base64 = (text = '') => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

function lockOf(entry: XmlElement): Lock | undefined {
  const data = child(entry, 'manifest:encryption-data');
  if (!data) return undefined;
  const attributes = (name: string) => child(data, `manifest:${name}`)?.attributes ?? {};
  const algorithm = attributes('algorithm');
  const derivation = attributes('key-derivation');
  const start = attributes('start-key-generation');
  const cipher = CIPHERS.find(([name]) => name.test(nameIn(algorithm['manifest:algorithm-name'])))?.[1];
  if (!cipher)
    throw unreadableProtection('it is encrypted neither by AES in blocks that are chained nor by Blowfish');
  const hash = HASHES[nameIn(data.attributes['manifest:checksum-type'])];
  const startHash = HASHES[nameIn(start['manifest:start-key-generation-name'] ?? 'sha1')];
  if (!hash || !startHash || derivation['manifest:key-derivation-name'] !== 'PBKDF2') {
    throw unreadableProtection('how its keys are made is not known here');
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

function opened(key: Uint8Array, encrypted: Uint8Array, { cipher, iv }: Lock): Uint8Array | undefined {
  if (cipher === 'blowfish') return decryptBlowfish(key, encrypted, iv);
  return withoutPadding(decryptAes(key, wholeBlocks(encrypted), iv));
}

/** Removes the padding, whose length is its last byte. */
function withoutPadding(bytes: Uint8Array): Uint8Array | undefined {
  const padding = bytes.at(-1) ?? 0;
  return padding >= 1 && padding <= AES_BLOCK ? bytes.subarray(0, bytes.length - padding) : undefined;
}

/** Returns the package with members that are decrypted on reading. Throws ParseError for a wrong password. */
export function unlockedArchive(
  archive: Archive,
  manifest: XmlElement | undefined,
  password: string | null | undefined,
  budget: WorkBudget,
): Archive {
  if (!archive.has('content.xml')) throw unreadableProtection('it is encrypted in one piece');
  if (!password) throw lockedFile(password);
  const entries = new Map(
    elements(manifest, 'manifest:file-entry').map((one) => [one.attributes['manifest:full-path'] ?? '', one]),
  );
  let roundsLeft = MOST_ROUNDS;
  const decrypt = (encrypted: Uint8Array, lock: Lock): Uint8Array => {
    roundsLeft -= lock.rounds;
    if (!(lock.rounds > 0 && roundsLeft >= 0)) throw unreadableProtection('its keys take too long to make');
    const start = digest(lock.startHash, new TextEncoder().encode(password));
    const key = pbkdf2Sync(start, lock.salt, lock.rounds, lock.keyBytes, 'sha1');
    const packed = opened(new Uint8Array(key), encrypted, lock);
    const isRight = packed && isSame(digest(lock.hash, packed.subarray(0, CHECKED_BYTES)), lock.checksum);
    if (!isRight) throw lockedFile(password);
    return inflateTo(packed, lock.size, budget);
  };
  const read = (name: string) => {
    const stored = archive.read(name);
    const entry = entries.get(name);
    try {
      const lock = stored && entry && lockOf(entry);
      return lock ? decrypt(stored, lock) : stored;
    } catch (error) {
      if (error instanceof ParseError) throw error;
      throw unreadableProtection(messageOf(error));
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
