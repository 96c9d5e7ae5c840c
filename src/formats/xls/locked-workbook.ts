import {
  createPasswordError,
  createUnsupportedEncryptionError,
} from '#src/formats/shared/protection/errors.ts';
import { decryptBlocks, openLegacyKey } from '#src/formats/shared/protection/legacy-office.ts';

// Maximum length of a password for XOR obfuscation (method 1), which is specified in [MS-OFFCRYPTO], section
// 2.3.7.

const MAX_PASSWORD_LENGTH = 15;

const MASK_BYTES = 16;

const VERIFIER = 0xce4b;

/** Initial value of the XOR key for each password length. Index 0 is for passwords with one character. */
const INITIAL_KEYS = [
  0xe1f0, 0x1d0f, 0xcc9c, 0x84c0, 0x110c, 0x0e10, 0xf1ce, 0x313e, 0x1872, 0xe139, 0xd40f, 0x84f9, 0x280c,
  0xa96a, 0x4ec3,
];

/**
 * Key bits that flip if the lowest bit of a password character is set. The index is the character's distance
 * from the end of the password. For higher bits, the value is shifted with a polynomial.
 */
const KEY_CHANGES = [
  0x1021, 0x3331, 0x3730, 0x76b4, 0xaa51, 0x45a0, 0xb861, 0x47d3, 0xeb23, 0x6f45, 0xd849, 0x0375, 0x4563,
  0x7b61, 0xaefc,
];

const POLYNOMIAL = 0x1021;

const FILLER = [0xbb, 0xff, 0xff, 0xba, 0xff, 0xff, 0xb9, 0x80, 0, 0xbe, 0x0f, 0, 0xbf, 0x0f, 0, 0];

type DecryptBytes = (bytes: Uint8Array, at: number, recordBytes: number) => Uint8Array;

// Constants of encrypted workbooks, which are specified in [MS-XLS], sections 2.2.10 and 2.4.117.

const HEADER_BYTES = 4;
const BLOCK_BYTES = 1024;
const BIFF_8 = 0x0600;
const OBFUSCATED = 0;
const BEGIN = 0x0809;
const FILE_PASS = 0x002f;
const BOUND_SHEET = 0x0085;
/**
 * Number of unencrypted bytes at the start of a bound sheet record. They contain the position of the sheet.
 */
const UNENCRYPTED_BOUND_SHEET_BYTES = 4;
/** Types of records whose data are never encrypted. */
const UNENCRYPTED_RECORDS = new Set([BEGIN, FILE_PASS, 0x00e1, 0x0138, 0x0194, 0x0195, 0x0196]);
/** Type of a record that readers ignore. It replaces the FilePass record, which has the same length. */
const IGNORED_RECORD = 0x0f01;
/**
 * Password with which Excel encrypts workbooks that are only protected against changes. Such workbooks open
 * without asking the user.
 */
const DEFAULT_PASSWORD = 'VelvetSweatshop';

export interface OpenedWorkbook {
  records: Uint8Array;
  /** True if the password of the caller was needed to open the workbook. */
  unlocked: boolean;
}

/**
 * Decrypts a workbook. Returns `undefined` if it is not encrypted. Throws ParseError FILE_IS_PROTECTED if the
 * password is missing or wrong.
 */
export function openLockedWorkbook(
  stream: Uint8Array,
  password: string | null | undefined,
): OpenedWorkbook | undefined {
  const filePass = [...iterateRecords(stream, 100)].find(({ type }) => type === FILE_PASS);
  if (!filePass) return undefined;
  try {
    return { records: decryptRecords(stream, filePass, DEFAULT_PASSWORD), unlocked: false };
  } catch {
    if (!password) throw createPasswordError(password);
    return { records: decryptRecords(stream, filePass, password), unlocked: true };
  }
}

interface BiffRecord {
  type: number;
  /** Byte offsets of the start and end of a record's data in the stream. */
  from: number;
  to: number;
}

function* iterateRecords(stream: Uint8Array, most = Number.POSITIVE_INFINITY): Generator<BiffRecord> {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  for (let at = 0, count = 0; at + HEADER_BYTES <= stream.length && count < most; count++) {
    const from = at + HEADER_BYTES;
    const to = Math.min(stream.length, from + view.getUint16(at + 2, true));
    yield { type: view.getUint16(at, true), from, to };
    at = to;
  }
}

function decryptRecords(stream: Uint8Array, filePass: BiffRecord, password: string): Uint8Array {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  const isNew = stream.length > 6 && view.getUint16(4, true) === BIFF_8;
  const data = stream.subarray(filePass.from, filePass.to);
  const isObfuscated = !isNew || view.getUint16(filePass.from, true) === OBFUSCATED;
  const open = isObfuscated
    ? createXorDecryptor(data.subarray(isNew ? 2 : 0), password)
    : createRc4Decryptor(stream, data.subarray(2), password);
  const opened = stream.slice();
  for (const { type, from, to } of iterateRecords(stream)) {
    if (from <= filePass.from || UNENCRYPTED_RECORDS.has(type)) continue;
    const start = type === BOUND_SHEET ? Math.min(to, from + UNENCRYPTED_BOUND_SHEET_BYTES) : from;
    opened.set(open(stream.subarray(start, to), start, to - from), start);
  }
  new DataView(opened.buffer).setUint16(filePass.from - HEADER_BYTES, IGNORED_RECORD, true);
  return opened;
}

/**
 * Creates a decryptor for RC4. The key stream of RC4 also advances over record headers, although headers are
 * not encrypted.
 */
function createRc4Decryptor(stream: Uint8Array, description: Uint8Array, password: string) {
  const opened = decryptBlocks(stream, openLegacyKey(description, password), BLOCK_BYTES);
  return (bytes: Uint8Array, at: number) => opened.subarray(at, at + bytes.length);
}

/**
 * Creates a decryptor for XOR obfuscation. `description` contains the key and the password verifier. Throws
 * ParseError FILE_IS_PROTECTED if the password is wrong.
 */
function createXorDecryptor(description: Uint8Array, password: string): DecryptBytes {
  if (description.length < 4)
    throw createUnsupportedEncryptionError('its encryption information is cut short');
  const letters = Array.from(password, (letter) => letter.charCodeAt(0) & 255 || letter.charCodeAt(0) >> 8);
  const view = new DataView(description.buffer, description.byteOffset, description.byteLength);
  const key = computeXorKey(letters.slice(0, MAX_PASSWORD_LENGTH));
  const isRight =
    letters.length <= MAX_PASSWORD_LENGTH &&
    letters.length > 0 &&
    view.getUint16(2, true) === computeXorVerifier(letters);
  if (!isRight || view.getUint16(0, true) !== key) throw createPasswordError(password);
  const filled = [...letters, ...FILLER].slice(0, MASK_BYTES);
  const mask = filled.map((letter, at) => {
    const mixed = letter ^ (at % 2 === 1 ? key >> 8 : key & 255);
    return ((mixed >> 1) | (mixed << 7)) & 255;
  });
  return (bytes, at, recordBytes) => {
    // The position in the XOR mask is counted from the end of the record's data.
    const from = at + recordBytes;
    return bytes.map((byte, index) => {
      const mixed = byte ^ mask[(from + index) % MASK_BYTES]!;
      return (mixed >> 5) | (mixed << 3);
    });
  };
}

function computeXorKey(letters: readonly number[]): number {
  let key = INITIAL_KEYS[letters.length - 1] ?? 0;
  for (const [place, letter] of letters.toReversed().entries()) {
    let change = KEY_CHANGES[place]!;
    for (let bit = 0; bit < 7; bit++) {
      if ((letter >> bit) & 1) key ^= change;
      change = ((change << 1) ^ (change & 0x8000 ? POLYNOMIAL : 0)) & 0xffff;
    }
  }
  return key;
}

function computeXorVerifier(letters: readonly number[]): number {
  const turned = [letters.length, ...letters]
    .toReversed()
    .reduce((sum, letter) => (((sum << 1) & 0x7fff) | ((sum >> 14) & 1)) ^ letter, 0);
  return turned ^ VERIFIER;
}
