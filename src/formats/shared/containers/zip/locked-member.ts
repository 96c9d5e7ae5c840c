import { createCipheriv, createHmac, pbkdf2Sync } from 'node:crypto';
import { AES_BLOCK, isSame } from '#src/formats/shared/protection/cipher.ts';
import { lockedFile, unreadableProtection } from '#src/formats/shared/protection/refusal.ts';
import { extraField } from './member-name.ts';

let table: Uint32Array | undefined;

/** Returns the CRC-32 table, which the cipher of zip uses byte by byte. */
function crcTable(): Uint32Array {
  table ??= Uint32Array.from({ length: 256 }, (_, seed) => {
    let value = seed;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value >>> 0;
  });
  return table;
}

// Traditional encryption: APPNOTE.TXT, section 6.1. AES: the specification AE-1 and AE-2 of WinZip.

export const AES_METHOD = 99;
const AES_FIELD = 0x9901;
const STREAMED = 8;
const HAS_STRONG_KEY = 0x40;
const TRADITIONAL_HEAD = 12;
const VERIFIER_BYTES = 2;
const CODE_BYTES = 10;
const ROUNDS = 1000;
/** Counters that are encrypted in one go. */
const BLOCKS_AT_A_STRETCH = 4096;

export interface LockedMember {
  flags: number;
  method: number;
  crc: number;
  /** As MS-DOS writes it. */
  time: number;
  extra: Uint8Array;
}

export interface OpenedMember {
  compressed: Uint8Array;
  method: number;
  /** What the whole member's checksum is to be; undefined where the encryption vouches for it. */
  crc: number | undefined;
}

/** The compressed bytes of an encrypted member. Throws ParseError FILE_IS_PROTECTED without the right password. */
export function unlockMember(
  bytes: Uint8Array,
  member: LockedMember,
  password: string | null | undefined,
): OpenedMember {
  if (member.flags & HAS_STRONG_KEY)
    throw unreadableProtection('a member has a key of its own in the archive');
  if (!password) throw lockedFile(password);
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
  const expected = flags & STREAMED ? (time >>> 8) & 255 : crc >>> 24;
  if (opened[TRADITIONAL_HEAD - 1] !== expected) throw wrongPassword();
  return opened.subarray(TRADITIONAL_HEAD);
}

function openAes(bytes: Uint8Array, { extra, crc }: LockedMember, secret: Uint8Array): OpenedMember {
  const field = extraField(extra, AES_FIELD);
  const strength = field?.[4] ?? 0;
  if (!field || field.length < 7 || strength < 1 || strength > 3) {
    throw unreadableProtection('how a member is encrypted by AES is not known here');
  }
  const keyBytes = 8 + strength * 8;
  const saltBytes = keyBytes / 2;
  const from = saltBytes + VERIFIER_BYTES;
  if (bytes.length < from + CODE_BYTES) throw unreadableProtection('a member is cut short');
  const made = pbkdf2Sync(
    secret,
    bytes.subarray(0, saltBytes),
    ROUNDS,
    keyBytes * 2 + VERIFIER_BYTES,
    'sha1',
  );
  if (!isSame(made.subarray(keyBytes * 2), bytes.subarray(saltBytes, from))) throw wrongPassword();
  const encrypted = bytes.subarray(from, bytes.length - CODE_BYTES);
  const code = createHmac('sha1', made.subarray(keyBytes, keyBytes * 2))
    .update(encrypted)
    .digest();
  // The verifier passes one wrong password in 65,536.
  if (!isSame(code.subarray(0, CODE_BYTES), bytes.subarray(bytes.length - CODE_BYTES))) throw wrongPassword();
  const vouched = field[0] === 2;
  return {
    compressed: decryptCounted(made.subarray(0, keyBytes), encrypted),
    method: field[5]! | (field[6]! << 8),
    crc: vouched ? undefined : crc,
  };
}

/** AES over a counter from 1 whose lowest byte comes first. */
function decryptCounted(key: Uint8Array, data: Uint8Array): Uint8Array {
  const opened = new Uint8Array(data.length);
  for (let from = 0, block = 1; from < data.length; from += BLOCKS_AT_A_STRETCH * AES_BLOCK) {
    const count = Math.min(BLOCKS_AT_A_STRETCH, Math.ceil((data.length - from) / AES_BLOCK));
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

const wrongPassword = () => lockedFile('wrong');
