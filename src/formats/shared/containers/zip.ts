import { crc32, inflateRawSync } from 'node:zlib';
import { ParseError } from '#src/documents/errors.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import type { WorkBudget } from '../work-budget.ts';
import { type LockedMember, unlockMember } from './zip/locked-member.ts';
import { decodeMemberNames, type RawName } from './zip/member-name.ts';

const MAX_ENTRIES = 20_000;
const MAX_ENTRY_BYTES = 64 * 1024 * 1024;
/**
 * Maximum ratio of inflated to compressed size. Deflate cannot exceed about 1,032, and office files stay far
 * below this limit except in tiny parts.
 */
const MAX_RATIO = 400;
const RATIO_FREE_BYTES = 4 * 1024 * 1024;

const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_END = 0x06064b50;
const ZIP64_LOCATOR_BYTES = 20;

interface Entry extends LockedMember {
  compressedSize: number;
  size: number;
  offset: number;
}

/**
 * A zip archive whose directory has been read. Members are inflated when they are read, within size limits.
 */
export interface Archive {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Returns whether a member is encrypted. Returns false if there is no such member. */
  isLocked(name: string): boolean;
  /** Returns whether `read` or `text` was called for an existing member. */
  isRead(name: string): boolean;
  /**
   * Returns the uncompressed size in bytes that the directory declares, or `undefined` if there is no such
   * member. `read` never returns more bytes.
   */
  getSize(name: string): number | undefined;
  /**
   * Inflates a member. Returns `undefined` if there is no such member. Throws ParseError if the member is
   * damaged, encrypted or too large.
   */
  read(name: string): Uint8Array | undefined;
  text(name: string): string | undefined;
}

const broken = (detail: string) =>
  new ParseError('FILE_IS_BROKEN', `The file is damaged: its zip container ${detail}.`);
const tooLarge = (detail: string) => new ParseError('DOCUMENT_TOO_LARGE', `The file ${detail}.`);

function findDirectoryEnd(view: DataView): number {
  const last = view.byteLength - 22;
  for (let at = last; at >= 0 && at > last - 0x10000; at--) {
    if (view.getUint32(at, true) === 0x06054b50) return at;
  }
  throw broken('has no directory (it is probably cut short)');
}

/**
 * Replaces sizes and an offset that do not fit into 32 bits by the values of the zip64 extra field, which
 * lists them in this order.
 */
function applyZip64(view: DataView, entry: Entry, from: number, length: number): void {
  for (let at = from; at + 4 <= from + length; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let value = at + 4;
    for (const field of ['size', 'compressedSize', 'offset'] as const) {
      if (entry[field] !== 0xffffffff) continue;
      entry[field] = Number(view.getBigUint64(value, true));
      value += 8;
    }
  }
}

/** Returns the offset of the directory and the number of members that it lists. */
function locateDirectory(view: DataView): { count: number; at: number } {
  const end = findDirectoryEnd(view);
  const plain = { count: view.getUint16(end + 10, true), at: view.getUint32(end + 16, true) };
  const locator = end - ZIP64_LOCATOR_BYTES;
  const isWide = plain.count === 0xffff || plain.at === 0xffffffff;
  if (!isWide || locator < 0 || view.getUint32(locator, true) !== ZIP64_LOCATOR) return plain;
  const wide = Number(view.getBigUint64(locator + 8, true));
  if (view.getUint32(wide, true) !== ZIP64_END) throw broken('has a damaged directory');
  return {
    count: Number(view.getBigUint64(wide + 32, true)),
    at: Number(view.getBigUint64(wide + 48, true)),
  };
}

function readDirectory(bytes: Uint8Array): Map<string, Entry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = locateDirectory(view);
  if (directory.count > MAX_ENTRIES) throw tooLarge(`contains more than ${MAX_ENTRIES} entries`);
  const found: Entry[] = [];
  const names: RawName[] = [];
  let { at } = directory;
  for (let index = 0; index < directory.count; index++) {
    if (view.getUint32(at, true) !== 0x02014b50) throw broken('has a damaged directory');
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const extraAt = at + 46 + nameLength;
    const extra = bytes.subarray(extraAt, extraAt + extraLength);
    const entry: Entry = {
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      time: view.getUint16(at + 12, true),
      crc: view.getUint32(at + 16, true),
      compressedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
      extra,
    };
    applyZip64(view, entry, extraAt, extraLength);
    names.push({ bytes: bytes.subarray(at + 46, extraAt), flags: entry.flags, extra });
    found.push(entry);
    at = extraAt + extraLength + view.getUint16(at + 32, true);
  }
  rejectOverlap(found, bytes.length);
  return new Map(decodeMemberNames(names).map((name, index) => [name, found[index]!]));
}

/**
 * Throws ParseError if members share compressed bytes. No packer writes such files, and each of the members
 * would be inflated from the same few bytes.
 */
function rejectOverlap(entries: readonly Entry[], fileSize: number): void {
  const claimed = entries.reduce((sum, { compressedSize }) => sum + compressedSize, 0);
  if (claimed > fileSize) throw broken('has overlapping entries, as in a zip bomb');
}

const LARGER_THAN_DECLARED = 'has an entry that is larger than its declared size';

/**
 * Bytes by which the limit of `inflateRawSync` exceeds the expected size. workerd grows its output buffer in steps and
 * refuses a step that goes over the limit, so an output that just fits, of 65,536 bytes for example, is refused. With
 * 64 KiB to spare none of 400 random sizes was refused. This is twice as much, as a margin.
 */
const INFLATE_SLACK = 128 * 1024;

/**
 * Inflates a member to at most its declared size. The declared size is untrusted, so only a little more than
 * that is unpacked.
 */
function inflate(compressed: Uint8Array, { size }: Pick<Entry, 'size'>): Uint8Array {
  let data: Uint8Array;
  try {
    data = inflateRawSync(compressed, { maxOutputLength: size + INFLATE_SLACK });
  } catch (error) {
    // workerd and Node both throw a RangeError if the output exceeds the limit.
    throw broken(error instanceof RangeError ? LARGER_THAN_DECLARED : 'has a damaged entry');
  }
  if (data.length > size) throw broken(LARGER_THAN_DECLARED);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function checkMemberSize({ size, compressedSize }: Pick<Entry, 'size' | 'compressedSize'>): void {
  if (size > MAX_ENTRY_BYTES)
    throw tooLarge(`contains an entry of ${size} bytes, which is more than ${MAX_ENTRY_BYTES}`);
  if (size > RATIO_FREE_BYTES && size > compressedSize * MAX_RATIO) {
    throw tooLarge(
      `contains an entry that unpacks to more than ${MAX_RATIO} times its size, as in a zip bomb`,
    );
  }
}

/**
 * Inflates data of a known size, within the same limits as archive members. Throws ParseError if the data is
 * damaged or too large.
 */
export function inflateTo(compressed: Uint8Array, size: number, budget: WorkBudget): Uint8Array {
  if (!(Number.isInteger(size) && size >= 0)) throw broken('has an entry without a size');
  checkMemberSize({ size, compressedSize: compressed.length });
  budget.spend('inflatedByte', size);
  const data = inflate(compressed, { size });
  if (data.length !== size) throw broken('has a damaged entry');
  return data;
}

function extract(bytes: Uint8Array, entry: Entry, password: string | null | undefined): Uint8Array {
  checkMemberSize(entry);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start =
    entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true);
  const stored = bytes.subarray(start, start + entry.compressedSize);
  if (stored.length !== entry.compressedSize) throw broken('is cut short');
  const { compressed, method, crc } =
    entry.flags & 1 ? unlockMember(stored, entry, password) : { compressed: stored, ...entry };
  if (method !== 0 && method !== 8) throw broken(`uses the unsupported compression method ${method}`);
  const data = method === 0 ? compressed : inflate(compressed, entry);
  if (data.length !== entry.size || (crc !== undefined && crc32(data) !== crc)) {
    throw broken('has a damaged entry');
  }
  return data;
}

export interface ZipOptions {
  /** Work budget that is charged for inflated bytes. */
  budget: WorkBudget;
  /** Password for encrypted members. */
  password?: string | null | undefined;
  /** Whether the budget is charged only once for a member that is read several times. */
  paysOnce?: boolean;
}

/**
 * Opens a zip archive by reading only its directory. Throws ParseError if the directory is missing or exceeds
 * the limits.
 */
export function openZip(bytes: Uint8Array, { budget, password, paysOnce = false }: ZipOptions): Archive {
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (error instanceof ParseError) throw error;
      throw broken('cannot be read');
    }
  };
  const entries = guarded(() => readDirectory(bytes));
  const paid = new Set<string>();
  const opened = new Set<string>();
  const read = (name: string) => {
    const entry = entries.get(name);
    if (!entry) return undefined;
    // Charge the budget before inflating. A member never becomes larger than the directory declares.
    if (!paid.has(name)) budget.spend('inflatedByte', entry.size);
    if (paysOnce) paid.add(name);
    opened.add(name);
    return guarded(() => extract(bytes, entry, password));
  };
  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    isLocked: (name) => ((entries.get(name)?.flags ?? 0) & 1) === 1,
    isRead: (name) => opened.has(name),
    getSize: (name) => entries.get(name)?.size,
    read,
    text: (name) => {
      const data = read(name);
      budget.spend('markupByte', data?.length ?? 0);
      return data && decodeText(data, xmlEncoding(data)).text;
    },
  };
}

/** Returns the encoding named in an XML declaration, or `undefined` if there is none. */
export function xmlEncoding(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 200));
  return /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1];
}
