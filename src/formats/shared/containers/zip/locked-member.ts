import { createCipheriv, createHmac, pbkdf2Sync } from 'node:crypto';
import { AES_BLOCK, areEqual } from '#src/formats/shared/protection/cipher.ts';
import {
  createPasswordError,
  createUnsupportedEncryptionError,
} from '#src/formats/shared/protection/errors.ts';
import { extraField } from './member-name.ts';

let table: Uint32Array | undefined;

/** Returns the lookup table for CRC-32, which traditional zip encryption applies to single bytes. */
function crcTable(): Uint32Array {
  table ??= Uint32Array.from({ length: 256 }, (_, seed) => {
    let value = seed;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value >>> 0;
  });
  return table;
}

// Traditional encryption is specified in APPNOTE.TXT, section 6.1, and AES in WinZip's AE-1 and AE-2
// specification.

export const AES_METHOD = 99;
const AES_FIELD = 0x9901;
const DATA_DESCRIPTOR_FLAG = 8;
const STRONG_ENCRYPTION_FLAG = 0x40;
const TRADITIONAL_HEADER_BYTES = 12;
const VERIFIER_BYTES = 2;
const AUTHENTICATION_CODE_BYTES = 10;
const ROUNDS = 1000;
/** Number of counter blocks that are encrypted in one call. */
const BLOCKS_PER_CALL = 4096;

export interface LockedMember {
  flags: number;
  method: number;
  crc: number;
  /** Modification time in MS-DOS format. */
  time: number;
  extra: Uint8Array;
}

export interface OpenedMember {
  compressed: Uint8Array;
  method: number;
  /** CRC-32 of the uncompressed member. Undefined if the encryption authenticates the content instead. */
  crc: number | undefined;
}

/**
 * Decrypts a member to its compressed bytes. Throws ParseError FILE_IS_PROTECTED if the password is missing
 * or wrong.
 */
export function unlockMember(
  bytes: Uint8Array,
  member: LockedMember,
  password: string | null | undefined,
): OpenedMember {
  if (member.flags & STRONG_ENCRYPTION_FLAG)
    throw createUnsupportedEncryptionError('an entry uses the strong encryption of PKWARE');
  if (!password) throw createPasswordError(password);
  const secret = new TextEncoder().encode(password);
  if (member.method === AES_METHOD) return openAes(bytes, member, secret);
  return { compressed: openTraditional(bytes, member, secret), method: member.method, crc: member.crc };
}

function openTraditional(bytes: Uint8Array, { flags, crc, time }: LockedMember, secret: Uint8Array) {
  const table = crcTable();
  const step = (value: number, byte: number) => (table[(value ^ byte) & 255]! ^ (value >>> 8)) >>> 0;
  let [first, second, third] = [0x12345678, 0x23456789, 0x34567890];
  const update = (byte: number) => {
    first = step(first, byte);
    second = (Math.imul((second + (first & 255)) >>> 0, 134775813) + 1) >>> 0;
    third = step(third, second >>> 24);
  };
  for (const byte of secret) update(byte);
  const opened = new Uint8Array(bytes.length);
  for (let at = 0; at < bytes.length; at++) {
    const mask = (third | 2) & 0xffff;
    opened[at] = bytes[at]! ^ ((Math.imul(mask, mask ^ 1) >>> 8) & 255);
    update(opened[at]!);
  }
  const expected = flags & DATA_DESCRIPTOR_FLAG ? (time >>> 8) & 255 : crc >>> 24;
  if (opened[TRADITIONAL_HEADER_BYTES - 1] !== expected) throw wrongPassword();
  return opened.subarray(TRADITIONAL_HEADER_BYTES);
}

function openAes(bytes: Uint8Array, { extra, crc }: LockedMember, secret: Uint8Array): OpenedMember {
  const field = extraField(extra, AES_FIELD);
  const strength = field?.[4] ?? 0;
  if (!field || field.length < 7 || strength < 1 || strength > 3) {
    throw createUnsupportedEncryptionError('the AES parameters of an entry are invalid');
  }
  const keyBytes = 8 + strength * 8;
  const saltBytes = keyBytes / 2;
  const from = saltBytes + VERIFIER_BYTES;
  if (bytes.length < from + AUTHENTICATION_CODE_BYTES)
    throw createUnsupportedEncryptionError('an entry is cut short');
  const derived = pbkdf2Sync(
    secret,
    bytes.subarray(0, saltBytes),
    ROUNDS,
    keyBytes * 2 + VERIFIER_BYTES,
    'sha1',
  );
  if (!areEqual(derived.subarray(keyBytes * 2), bytes.subarray(saltBytes, from))) throw wrongPassword();
  const encrypted = bytes.subarray(from, bytes.length - AUTHENTICATION_CODE_BYTES);
  const code = createHmac('sha1', derived.subarray(keyBytes, keyBytes * 2))
    .update(encrypted)
    .digest();
  // The 16-bit verifier alone accepts one in 65,536 wrong passwords.
  if (
    !areEqual(
      code.subarray(0, AUTHENTICATION_CODE_BYTES),
      bytes.subarray(bytes.length - AUTHENTICATION_CODE_BYTES),
    )
  )
    throw wrongPassword();
  const isAuthenticated = field[0] === 2;
  return {
    compressed: decryptAesCounter(derived.subarray(0, keyBytes), encrypted),
    method: field[5]! | (field[6]! << 8),
    crc: isAuthenticated ? undefined : crc,
  };
}

/** Decrypts AES in counter mode with a little-endian counter that starts at 1. */
function decryptAesCounter(key: Uint8Array, data: Uint8Array): Uint8Array {
  const opened = new Uint8Array(data.length);
  for (let from = 0, block = 1; from < data.length; from += BLOCKS_PER_CALL * AES_BLOCK) {
    const count = Math.min(BLOCKS_PER_CALL, Math.ceil((data.length - from) / AES_BLOCK));
    const counters = new Uint8Array(count * AES_BLOCK);
    const view = new DataView(counters.buffer);
    for (let at = 0; at < count; at++) view.setUint32(at * AES_BLOCK, block++, true);
    const cipher = createCipheriv(`aes-${key.length * 8}-ecb`, key, null);
    const mask = cipher.update(counters);
    const end = Math.min(data.length, from + counters.length);
    for (let at = from; at < end; at++) opened[at] = data[at]! ^ mask[at - from]!;
  }
  return opened;
}

const wrongPassword = () => createPasswordError('wrong');
