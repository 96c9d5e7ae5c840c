import { decryptBlocks, openLegacyKey } from '#src/formats/shared/protection/legacy-office.ts';
import { lockedFile } from '#src/formats/shared/protection/refusal.ts';
import { obfuscation } from './obfuscation.ts';

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
