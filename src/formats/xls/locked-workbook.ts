import { decryptBlocks, openLegacyKey } from '#src/formats/shared/protection/legacy-office.ts';
import { lockedFile, unreadableProtection } from '#src/formats/shared/protection/refusal.ts';

// XOR obfuscation, method 1: [MS-OFFCRYPTO], section 2.3.7.

const LONGEST = 15;

const MASK_BYTES = 16;

const VERIFIER = 0xce4b;

/** What the key begins with, by the length of the password. */
const FIRST = [
  0xe1f0, 0x1d0f, 0xcc9c, 0x84c0, 0x110c, 0x0e10, 0xf1ce, 0x313e, 0x1872, 0xe139, 0xd40f, 0x84f9, 0x280c,
  0xa96a, 0x4ec3,
];

/** What the lowest bit of a letter changes in it, by the letter's place from the end; each higher bit changes what a checksum makes of that. */
const CHANGES = [
  0x1021, 0x3331, 0x3730, 0x76b4, 0xaa51, 0x45a0, 0xb861, 0x47d3, 0xeb23, 0x6f45, 0xd849, 0x0375, 0x4563,
  0x7b61, 0xaefc,
];

const POLYNOMIAL = 0x1021;

const FILLER = [0xbb, 0xff, 0xff, 0xba, 0xff, 0xff, 0xb9, 0x80, 0, 0xbe, 0x0f, 0, 0xbf, 0x0f, 0, 0];

type Reveal = (bytes: Uint8Array, at: number, recordBytes: number) => Uint8Array;

// Encrypted workbooks: [MS-XLS], sections 2.2.10 and 2.4.117.

const HEAD = 4;
const BLOCK_BYTES = 1024;
const BIFF_8 = 0x0600;
const OBFUSCATED = 0;
const BEGIN = 0x0809;
const FILE_PASS = 0x002f;
const BOUND_SHEET = 0x0085;
/** Where the sheet begins stays open. */
const OPEN_OF_BOUND_SHEET = 4;
/** The data of these are never encrypted. */
const OPEN = new Set([BEGIN, FILE_PASS, 0x00e1, 0x0138, 0x0194, 0x0195, 0x0196]);
/** A record of no meaning, as long as the one that it stands for. */
const NOTHING = 0x0f01;
/** Opens workbooks that are encrypted only because they are protected against changes: nobody is asked for it. */
const KNOWN_TO_ALL = 'VelvetSweatshop';

export interface OpenedWorkbook {
  /** Its stream of records, without any encryption. */
  records: Uint8Array;
  /** The caller's password was needed. */
  unlocked: boolean;
}

/** Undefined where nothing is encrypted. Throws ParseError FILE_IS_PROTECTED without the right password. */
export function openLockedWorkbook(
  stream: Uint8Array,
  password: string | null | undefined,
): OpenedWorkbook | undefined {
  const filePass = [...recordsOf(stream, 100)].find(({ type }) => type === FILE_PASS);
  if (!filePass) return undefined;
  try {
    return { records: decrypted(stream, filePass, KNOWN_TO_ALL), unlocked: false };
  } catch {
    if (!password) throw lockedFile(password);
    return { records: decrypted(stream, filePass, password), unlocked: true };
  }
}

interface BiffRecord {
  type: number;
  /** Where its data are. */
  from: number;
  to: number;
}

function* recordsOf(stream: Uint8Array, most = Number.POSITIVE_INFINITY): Generator<BiffRecord> {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  for (let at = 0, count = 0; at + HEAD <= stream.length && count < most; count++) {
    const from = at + HEAD;
    const to = Math.min(stream.length, from + view.getUint16(at + 2, true));
    yield { type: view.getUint16(at, true), from, to };
    at = to;
  }
}

function decrypted(stream: Uint8Array, filePass: BiffRecord, password: string): Uint8Array {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  const isNew = stream.length > 6 && view.getUint16(4, true) === BIFF_8;
  const data = stream.subarray(filePass.from, filePass.to);
  const isObfuscated = !isNew || view.getUint16(filePass.from, true) === OBFUSCATED;
  const open = isObfuscated
    ? obfuscation(data.subarray(isNew ? 2 : 0), password)
    : wholeStream(stream, data.subarray(2), password);
  const opened = stream.slice();
  for (const { type, from, to } of recordsOf(stream)) {
    if (from <= filePass.from || OPEN.has(type)) continue;
    const start = type === BOUND_SHEET ? Math.min(to, from + OPEN_OF_BOUND_SHEET) : from;
    opened.set(open(stream.subarray(start, to), start, to - from), start);
  }
  new DataView(opened.buffer).setUint16(filePass.from - HEAD, NOTHING, true);
  return opened;
}

/** RC4 goes over the heads of records too, which are then left as they were. */
function wholeStream(stream: Uint8Array, description: Uint8Array, password: string) {
  const opened = decryptBlocks(stream, openLegacyKey(description, password), BLOCK_BYTES);
  return (bytes: Uint8Array, at: number) => opened.subarray(at, at + bytes.length);
}

/** `description`: the key and the verifier. Throws ParseError FILE_IS_PROTECTED for another password. */
function obfuscation(description: Uint8Array, password: string): Reveal {
  if (description.length < 4) throw unreadableProtection('its description is cut short');
  const letters = Array.from(password, (letter) => letter.charCodeAt(0) & 255 || letter.charCodeAt(0) >> 8);
  const view = new DataView(description.buffer, description.byteOffset, description.byteLength);
  const key = keyOf(letters.slice(0, LONGEST));
  const isRight =
    letters.length <= LONGEST && letters.length > 0 && view.getUint16(2, true) === verifierOf(letters);
  if (!isRight || view.getUint16(0, true) !== key) throw lockedFile(password);
  const filled = [...letters, ...FILLER].slice(0, MASK_BYTES);
  const mask = filled.map((letter, at) => {
    const mixed = letter ^ (at % 2 === 1 ? key >> 8 : key & 255);
    return ((mixed >> 1) | (mixed << 7)) & 255;
  });
  return (bytes, at, recordBytes) => {
    // Counted from where the record's data end.
    const from = at + recordBytes;
    return bytes.map((byte, index) => {
      const mixed = byte ^ mask[(from + index) % MASK_BYTES]!;
      return (mixed >> 5) | (mixed << 3);
    });
  };
}

function keyOf(letters: readonly number[]): number {
  let key = FIRST[letters.length - 1] ?? 0;
  for (const [place, letter] of letters.toReversed().entries()) {
    let change = CHANGES[place]!;
    for (let bit = 0; bit < 7; bit++) {
      if ((letter >> bit) & 1) key ^= change;
      change = ((change << 1) ^ (change & 0x8000 ? POLYNOMIAL : 0)) & 0xffff;
    }
  }
  return key;
}

function verifierOf(letters: readonly number[]): number {
  const turned = [letters.length, ...letters]
    .toReversed()
    .reduce((sum, letter) => (((sum << 1) & 0x7fff) | ((sum >> 14) & 1)) ^ letter, 0);
  return turned ^ VERIFIER;
}
