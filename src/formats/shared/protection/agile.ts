import { elements, parseXml, type XmlElement } from '#src/text-formats/xml.ts';
import { AES_BLOCK, decryptAes, digest, fitted, isSame, littleEndian, spun, wholeBlocks } from './cipher.ts';
import { lockedFile, unreadableProtection } from './refusal.ts';

// Agile encryption: [MS-OFFCRYPTO], section 2.3.4.

const SEGMENT = 4096;
const FILLER = 0x36;
const LONGEST_SALT = 64 * 1024;

/** What each key is for is hashed into it. */
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

function bytesOf(element: XmlElement, name: string): Uint8Array {
  const text = element.attributes[name] ?? '';
  try {
    if (text.length > LONGEST_SALT) throw new TypeError('too long');
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw unreadableProtection(`its ${name} is no Base64`);
  }
}

function cipherOf(element: XmlElement): Cipher {
  const { cipherAlgorithm, cipherChaining, hashAlgorithm = '', keyBits } = element.attributes;
  if (cipherAlgorithm !== 'AES' || cipherChaining !== 'ChainingModeCBC') {
    throw unreadableProtection('it is not encrypted by AES in blocks that are chained');
  }
  const hash = HASHES[hashAlgorithm];
  if (!hash) throw unreadableProtection('its hash algorithm is not known here');
  return { hash, keyBytes: Number(keyBits) / 8, salt: bytesOf(element, 'saltValue') };
}

function find(root: XmlElement | undefined, name: string): XmlElement | undefined {
  for (const child of elements(root)) {
    const found = child.name === name ? child : find(child, name);
    if (found) return found;
  }
  return undefined;
}

/** `description` is the XML of the stream EncryptionInfo; `content` the encrypted bytes. Throws ParseError. */
export async function decryptAgile(
  description: string,
  content: Uint8Array,
  password: string,
): Promise<Uint8Array> {
  const root = parseXml(description, { local: true });
  const keyData = find(root, 'keyData');
  const encryptedKey = find(root, 'encryptedKey');
  if (!keyData || !encryptedKey) throw unreadableProtection('it names no key that a password opens');
  const key = await openKey(encryptedKey, password);
  const { hash, salt } = cipherOf(keyData);
  const opened = new Uint8Array(content.length);
  for (let at = 0, segment = 0; at < content.length; at += SEGMENT, segment += 1) {
    const iv = fitted(digest(hash, salt, littleEndian(segment)), AES_BLOCK, FILLER);
    opened.set(decryptAes(key, wholeBlocks(content.subarray(at, at + SEGMENT)), iv), at);
  }
  return opened;
}

/** The key of the content, which is itself encrypted by the password. */
async function openKey(element: XmlElement, password: string): Promise<Uint8Array> {
  const { hash, keyBytes, salt } = cipherOf(element);
  const spunHash = await spun(hash, salt, password, Number(element.attributes.spinCount));
  const iv = fitted(salt, AES_BLOCK, FILLER);
  const open = (blockKey: readonly number[], name: string) => {
    const key = fitted(digest(hash, spunHash, Uint8Array.from(blockKey)), keyBytes, FILLER);
    return decryptAes(key, wholeBlocks(bytesOf(element, name)), iv);
  };
  const saltSize = Number(element.attributes.saltSize);
  const input = open(BLOCK_KEYS.verifierInput, 'encryptedVerifierHashInput').subarray(0, saltSize);
  const expected = digest(hash, input);
  const stored = open(BLOCK_KEYS.verifierHash, 'encryptedVerifierHashValue').subarray(0, expected.length);
  if (!isSame(stored, expected)) throw lockedFile(password);
  return open(BLOCK_KEYS.key, 'encryptedKeyValue').subarray(0, keyBytes);
}
