import { OLE_SIGNATURE, OleFile } from '#src/formats/shared/containers/ole.ts';
import { oleStreamNames } from '#src/formats/shared/containers/ole-names.ts';
import { decryptAgile } from './agile.ts';
import { areEqual, decryptAes, digest, hashPassword, toLittleEndian, truncateToBlocks } from './cipher.ts';
import { createPasswordError, createUnsupportedEncryptionError } from './errors.ts';

// Hash algorithm of standard encryption, one of the encryption methods of Office. It is specified in
// [MS-OFFCRYPTO], section 2.3.4.5 and following.

const HASH = 'sha1';

const ROUNDS = 50_000;

const HASH_BYTES = 20;

const SALT_BYTES = 16;

const VERIFIER_BYTES = 16;

const ENCRYPTED_HASH_BYTES = 32;

/** Size in bytes of the buffer with which a hash is combined to derive a key. */
const KEY_BUFFER_BYTES = 64;

const AES: readonly number[] = [0x660e, 0x660f, 0x6610];

const CONTENT = 'EncryptedPackage';
const DESCRIPTION = 'EncryptionInfo';
const AGILE = 0x0004_0004;
/**
 * Minor version number that identifies standard encryption. The major version number depends on the Office
 * version.
 */
const STANDARD = 2;
/** Size in bytes of the field before the encrypted content, which stores the content's length. */
const LENGTH_BYTES = 8;

/** Returns whether an OLE2 container holds an encrypted Office Open XML file. */
export function isEncryptedOffice(bytes: Uint8Array): boolean {
  if (!OLE_SIGNATURE.every((byte, at) => bytes[at] === byte)) return false;
  const names = oleStreamNames(bytes);
  return names.includes(CONTENT) || names.includes(DESCRIPTION);
}

/**
 * Decrypts an Office Open XML file and returns its zip archive. Throws ParseError FILE_IS_PROTECTED if the
 * password is missing or wrong.
 */
export async function decryptOffice(
  bytes: Uint8Array,
  password: string | null | undefined,
): Promise<Uint8Array> {
  if (!password) throw createPasswordError(password);
  const container = new OleFile(bytes);
  const content = container.stream(CONTENT);
  const description = container.stream(DESCRIPTION);
  if (!content || !description || content.length < LENGTH_BYTES || description.length < LENGTH_BYTES) {
    throw createUnsupportedEncryptionError('a required stream is missing');
  }
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const length = Number(view.getBigUint64(0, true));
  const encrypted = content.subarray(LENGTH_BYTES);
  if (length > encrypted.length) throw createUnsupportedEncryptionError('its content is cut short');
  return (await decrypt(description, encrypted, password)).subarray(0, length);
}

function decrypt(description: Uint8Array, encrypted: Uint8Array, password: string): Promise<Uint8Array> {
  const version = new DataView(description.buffer, description.byteOffset).getUint32(0, true);
  const rest = description.subarray(LENGTH_BYTES);
  if (version === AGILE) return decryptAgile(new TextDecoder().decode(rest), encrypted, password);
  if (version >>> 16 === STANDARD) return decryptStandard(rest, encrypted, password);
  throw createUnsupportedEncryptionError('its encryption type is not supported');
}

/**
 * Decrypts an Office file with standard encryption. `description` is the rest of the stream EncryptionInfo
 * after version and flags. Throws ParseError if the password is wrong or the encryption is not supported.
 */
async function decryptStandard(
  description: Uint8Array,
  content: Uint8Array,
  password: string,
): Promise<Uint8Array> {
  const view = new DataView(description.buffer, description.byteOffset, description.byteLength);
  const headerSize = view.getUint32(0, true);
  if (!AES.includes(view.getUint32(4 + 8, true)))
    throw createUnsupportedEncryptionError('it does not use AES');
  const keyBytes = view.getUint32(4 + 16, true) / 8;
  const verifier = description.subarray(4 + headerSize);
  const at = 4 + SALT_BYTES;
  const salt = verifier.subarray(4, at);
  const input = verifier.subarray(at, at + VERIFIER_BYTES);
  const hashAt = at + VERIFIER_BYTES + 4;
  const stored = verifier.subarray(hashAt, hashAt + ENCRYPTED_HASH_BYTES);
  if (stored.length < ENCRYPTED_HASH_BYTES)
    throw createUnsupportedEncryptionError('its encryption information is cut short');
  const key = deriveKey(await hashPassword(HASH, salt, password, ROUNDS), keyBytes);
  const expected = digest(HASH, decryptAes(key, input));
  if (!areEqual(decryptAes(key, stored).subarray(0, HASH_BYTES), expected))
    throw createPasswordError(password);
  return decryptAes(key, truncateToBlocks(content));
}

function deriveKey(spunHash: Uint8Array, keyBytes: number): Uint8Array {
  const final = digest(HASH, spunHash, toLittleEndian(0));
  const spread = (filler: number) => {
    const bytes = new Uint8Array(KEY_BUFFER_BYTES).fill(filler);
    final.forEach((byte, at) => {
      bytes[at] = filler ^ byte;
    });
    return digest(HASH, bytes);
  };
  return Uint8Array.from([...spread(0x36), ...spread(0x5c)]).subarray(0, keyBytes);
}
