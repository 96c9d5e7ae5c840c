import { OLE_SIGNATURE, OleFile, oleStreamNames } from '#src/formats/shared/containers/ole.ts';
import { decryptAgile } from './agile.ts';
import { decryptAes, digest, isSame, littleEndian, spun, wholeBlocks } from './cipher.ts';
import { lockedFile, unreadableProtection } from './refusal.ts';

// Standard encryption: [MS-OFFCRYPTO], section 2.3.4.5 and following.

const HASH = 'sha1';

const ROUNDS = 50_000;

const HASH_BYTES = 20;

const SALT_BYTES = 16;

const VERIFIER_BYTES = 16;

const ENCRYPTED_HASH_BYTES = 32;

/** Bytes that the hash is spread over before it becomes a key. */
const SPREAD = 64;

const AES: readonly number[] = [0x660e, 0x660f, 0x6610];

const CONTENT = 'EncryptedPackage';
const DESCRIPTION = 'EncryptionInfo';
const AGILE = 0x0004_0004;
/** Its second number; the first one tells the version of the program. */
const STANDARD = 2;
/** The length of the content stands before it, as eight bytes. */
const LENGTH_BYTES = 8;

/** Whether an OLE2 container holds an Office file of today that is encrypted. */
export function isEncryptedOffice(bytes: Uint8Array): boolean {
  if (!OLE_SIGNATURE.every((byte, at) => bytes[at] === byte)) return false;
  const names = oleStreamNames(bytes);
  return names.includes(CONTENT) || names.includes(DESCRIPTION);
}

/** The zip inside an encrypted Office file. Throws ParseError FILE_IS_PROTECTED without the right password. */
export async function decryptOffice(
  bytes: Uint8Array,
  password: string | null | undefined,
): Promise<Uint8Array> {
  if (!password) throw lockedFile(password);
  const container = new OleFile(bytes);
  const content = container.stream(CONTENT);
  const description = container.stream(DESCRIPTION);
  if (!content || !description || content.length < LENGTH_BYTES || description.length < LENGTH_BYTES) {
    throw unreadableProtection('a part of its container is missing');
  }
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const length = Number(view.getBigUint64(0, true));
  const encrypted = content.subarray(LENGTH_BYTES);
  if (length > encrypted.length) throw unreadableProtection('its content is cut short');
  return (await decrypt(description, encrypted, password)).subarray(0, length);
}

function decrypt(description: Uint8Array, encrypted: Uint8Array, password: string): Promise<Uint8Array> {
  const version = new DataView(description.buffer, description.byteOffset).getUint32(0, true);
  const rest = description.subarray(LENGTH_BYTES);
  if (version === AGILE) return decryptAgile(new TextDecoder().decode(rest), encrypted, password);
  if (version >>> 16 === STANDARD) return decryptStandard(rest, encrypted, password);
  throw unreadableProtection('its kind of encryption is not known here');
}

/** `description` follows the version and flags of the stream EncryptionInfo. Throws ParseError. */
async function decryptStandard(
  description: Uint8Array,
  content: Uint8Array,
  password: string,
): Promise<Uint8Array> {
  const view = new DataView(description.buffer, description.byteOffset, description.byteLength);
  const headerSize = view.getUint32(0, true);
  if (!AES.includes(view.getUint32(4 + 8, true))) throw unreadableProtection('it is not encrypted by AES');
  const keyBytes = view.getUint32(4 + 16, true) / 8;
  const verifier = description.subarray(4 + headerSize);
  const at = 4 + SALT_BYTES;
  const salt = verifier.subarray(4, at);
  const input = verifier.subarray(at, at + VERIFIER_BYTES);
  const hashAt = at + VERIFIER_BYTES + 4;
  const stored = verifier.subarray(hashAt, hashAt + ENCRYPTED_HASH_BYTES);
  if (stored.length < ENCRYPTED_HASH_BYTES) throw unreadableProtection('its description is cut short');
  const key = keyOf(await spun(HASH, salt, password, ROUNDS), keyBytes);
  const expected = digest(HASH, decryptAes(key, input));
  if (!isSame(decryptAes(key, stored).subarray(0, HASH_BYTES), expected)) throw lockedFile(password);
  return decryptAes(key, wholeBlocks(content));
}

function keyOf(spunHash: Uint8Array, keyBytes: number): Uint8Array {
  const final = digest(HASH, spunHash, littleEndian(0));
  const spread = (filler: number) => {
    const bytes = new Uint8Array(SPREAD).fill(filler);
    final.forEach((byte, at) => {
      bytes[at] = filler ^ byte;
    });
    return digest(HASH, bytes);
  };
  return Uint8Array.from([...spread(0x36), ...spread(0x5c)]).subarray(0, keyBytes);
}
