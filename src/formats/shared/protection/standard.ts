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

/** `description` follows the version and flags of the stream EncryptionInfo. Throws ParseError. */
export async function decryptStandard(
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
