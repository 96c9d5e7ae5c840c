import { getOwn } from '#src/lib/get-own.ts';
import { elements, parseXml, type XmlElement } from '#src/text-formats/xml.ts';
import {
  AES_BLOCK,
  areEqual,
  decryptAes,
  digest,
  fitToLength,
  hashPassword,
  toLittleEndian,
  truncateToBlocks,
} from './cipher.ts';
import { createPasswordError, createUnsupportedEncryptionError } from './errors.ts';

// Constants of agile encryption, one of the encryption methods of Office. It is specified in [MS-OFFCRYPTO],
// section 2.3.4.

const SEGMENT = 4096;
const FILLER = 0x36;
const MAX_BASE64_LENGTH = 64 * 1024;

/**
 * Constants that are hashed into each derived key. Each constant belongs to one purpose of a key, such as
 * verifying the password.
 */
const BLOCK_KEYS = {
  verifierInput: [0xfe, 0xa7, 0xd2, 0x76, 0x3b, 0x4b, 0x9e, 0x79],
  verifierHash: [0xd7, 0xaa, 0x0f, 0x6d, 0x30, 0x61, 0x34, 0x4e],
  key: [0x14, 0x6e, 0x0b, 0xe7, 0xab, 0xac, 0xd0, 0xd6],
};

const HASHES: Record<string, string> = {
  SHA1: 'sha1',
  'SHA-1': 'sha1',
  SHA256: 'sha256',
  'SHA-256': 'sha256',
  SHA384: 'sha384',
  'SHA-384': 'sha384',
  SHA512: 'sha512',
  'SHA-512': 'sha512',
};

interface Cipher {
  hash: string;
  keyBytes: number;
  salt: Uint8Array;
}

function readBase64Attribute(element: XmlElement, name: string): Uint8Array {
  const text = element.attributes[name] ?? '';
  try {
    if (text.length > MAX_BASE64_LENGTH) throw new TypeError('too long');
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw createUnsupportedEncryptionError(`its ${name} is not valid Base64`);
  }
}

function readCipher(element: XmlElement): Cipher {
  const { cipherAlgorithm, cipherChaining, hashAlgorithm = '', keyBits } = element.attributes;
  if (cipherAlgorithm !== 'AES' || cipherChaining !== 'ChainingModeCBC') {
    throw createUnsupportedEncryptionError('it does not use AES in CBC mode');
  }
  const hash = getOwn(HASHES, hashAlgorithm);
  if (!hash) throw createUnsupportedEncryptionError('its hash algorithm is not supported');
  return { hash, keyBytes: Number(keyBits) / 8, salt: readBase64Attribute(element, 'saltValue') };
}

function findDescendant(root: XmlElement | undefined, name: string): XmlElement | undefined {
  for (const child of elements(root)) {
    const found = child.name === name ? child : findDescendant(child, name);
    if (found) return found;
  }
  return undefined;
}

/**
 * Decrypts an Office file with agile encryption. `description` is the XML of the stream EncryptionInfo, and
 * `content` is the encrypted data. Throws ParseError if the password is wrong or the encryption is not
 * supported.
 */
export async function decryptAgile(
  description: string,
  content: Uint8Array,
  password: string,
): Promise<Uint8Array> {
  const root = parseXml(description, { local: true });
  const keyData = findDescendant(root, 'keyData');
  const encryptedKey = findDescendant(root, 'encryptedKey');
  if (!keyData || !encryptedKey)
    throw createUnsupportedEncryptionError('it has no key that a password can decrypt');
  const key = await decryptContentKey(encryptedKey, password);
  const { hash, salt } = readCipher(keyData);
  const opened = new Uint8Array(content.length);
  for (let at = 0, segment = 0; at < content.length; at += SEGMENT, segment += 1) {
    const iv = fitToLength(digest(hash, salt, toLittleEndian(segment)), AES_BLOCK, FILLER);
    opened.set(decryptAes(key, truncateToBlocks(content.subarray(at, at + SEGMENT)), iv), at);
  }
  return opened;
}

/** Decrypts the key of the file's content with a key that is derived from the password. */
async function decryptContentKey(element: XmlElement, password: string): Promise<Uint8Array> {
  const { hash, keyBytes, salt } = readCipher(element);
  const spunHash = await hashPassword(hash, salt, password, Number(element.attributes.spinCount));
  const iv = fitToLength(salt, AES_BLOCK, FILLER);
  const open = (blockKey: readonly number[], name: string) => {
    const key = fitToLength(digest(hash, spunHash, Uint8Array.from(blockKey)), keyBytes, FILLER);
    return decryptAes(key, truncateToBlocks(readBase64Attribute(element, name)), iv);
  };
  const saltSize = Number(element.attributes.saltSize);
  const input = open(BLOCK_KEYS.verifierInput, 'encryptedVerifierHashInput').subarray(0, saltSize);
  const expected = digest(hash, input);
  const stored = open(BLOCK_KEYS.verifierHash, 'encryptedVerifierHashValue').subarray(0, expected.length);
  if (!areEqual(stored, expected)) throw createPasswordError(password);
  return open(BLOCK_KEYS.key, 'encryptedKeyValue').subarray(0, keyBytes);
}
