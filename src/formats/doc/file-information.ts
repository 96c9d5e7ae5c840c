import { ParseError } from '#src/documents/errors.ts';
import type { OleFile } from '#src/formats/shared/containers/ole.ts';
import { decryptBlocks, openLegacyKey } from '#src/formats/shared/protection/legacy-office.ts';
import { unreadableProtection } from '#src/formats/shared/protection/refusal.ts';

/** Contents of the file information block, which locates everything else. */
export interface WordFile {
  /** Stream "WordDocument", with the text and the pages of properties. */
  main: Uint8Array;
  /** Table stream, with pieces, styles, notes and lists. */
  tables: Uint8Array;
  /** Number of characters of each part, in the order of the text. */
  lengths: {
    body: number;
    footnotes: number;
    headers: number;
    macros: number;
    comments: number;
    endnotes: number;
    textBoxes: number;
  };
  /** Returns a table by its number; empty if the file has none. Throws ParseError if its range is invalid. */
  table(number: number): Uint8Array;
  /** Whether a password was needed. */
  unlocked: boolean;
  /** Returns the rest of the table stream after the table with this number. */
  after(number: number): Uint8Array;
}

const SIGNATURE = 0xa5ec;
const WORD_97 = 0xc1;
const ENCRYPTED = 0x0100;
const OBFUSCATED = 0x8000;
/**
 * Bytes at the start of the main stream that are never encrypted, and the offset of the length of the key
 * description, which precedes the tables and is not encrypted either.
 */
const OPEN_BYTES = 0x44;
const KEY_BYTES_AT = 0x0e;
const BLOCK_BYTES = 512;
const USES_TABLE_1 = 0x0200;
const TABLE_LIST = 0x9a;

const broken = (detail: string) => new ParseError('FILE_IS_BROKEN', `The file is damaged: ${detail}.`);

interface Streams {
  main: Uint8Array;
  tables: Uint8Array | undefined;
}

/**
 * Decrypts the streams. The unencrypted bytes at the start of each stream are restored, because RC4 runs over
 * the whole stream.
 */
function decrypted({ main, tables }: Streams, password: string | null | undefined): Streams {
  const view = viewOf(main);
  if (view.getUint16(0x0a, true) & OBFUSCATED) {
    throw unreadableProtection('it is obfuscated as files before 1997 were; save it as .docx');
  }
  if (!tables) throw broken('its tables are missing');
  const keyBytes = Math.min(tables.length, view.getUint32(KEY_BYTES_AT, true));
  const key = openLegacyKey(tables.subarray(0, keyBytes), password);
  const open = (stream: Uint8Array, openBytes: number) => {
    const opened = decryptBlocks(stream, key, BLOCK_BYTES);
    opened.set(stream.subarray(0, openBytes));
    return opened;
  };
  return { main: open(main, OPEN_BYTES), tables: open(tables, keyBytes) };
}

/** Opens a Word file. Throws ParseError if it is no Word 97-2003 document or the password is wrong. */
export function openWordFile(file: OleFile, password: string | null | undefined): WordFile {
  const stored = file.stream('WordDocument');
  if (!stored || stored.length < TABLE_LIST + 8) throw broken('its text is missing');
  const version = viewOf(stored).getUint16(2, true);
  const flags = viewOf(stored).getUint16(0x0a, true);
  const streams = { main: stored, tables: file.stream(flags & USES_TABLE_1 ? '1Table' : '0Table') };
  const unlocked = (flags & ENCRYPTED) !== 0;
  if (unlocked && version < WORD_97) throw unreadableProtection('Word before 1997 wrote it');
  const { main, tables } = unlocked ? decrypted(streams, password) : streams;
  const view = viewOf(main);
  if (view.getUint16(0, true) !== SIGNATURE) throw broken('it does not begin as a document of Word does');
  if (version < WORD_97) {
    throw new ParseError(
      'UNSUPPORTED_FILE_TYPE',
      'Sluice does not read documents of Word before 1997; save the file as .docx.',
    );
  }
  if (!tables) throw broken('its tables are missing');
  const place = (number: number): [from: number, to: number] => {
    const at = TABLE_LIST + number * 8;
    if (at + 8 > main.length) return [0, 0];
    const from = view.getUint32(at, true);
    const length = view.getUint32(at + 4, true);
    if (from + length > tables.length) throw broken('one of its tables lies outside of it');
    return [from, from + length];
  };
  const lengthAt = (at: number) => view.getUint32(at, true);
  return {
    unlocked,
    main,
    tables,
    lengths: {
      body: lengthAt(0x4c),
      footnotes: lengthAt(0x50),
      headers: lengthAt(0x54),
      macros: lengthAt(0x58),
      comments: lengthAt(0x5c),
      endnotes: lengthAt(0x60),
      textBoxes: lengthAt(0x64),
    },
    table: (number) => tables.subarray(...place(number)),
    after: (number) => tables.subarray(place(number)[1]),
  };
}

/**
 * Returns the positions at the start of a table with `size` bytes per entry. There is one more position than
 * entries.
 */
export function positionsOf(table: Uint8Array, size: number): number[] {
  const entries = Math.floor((table.length - 4) / (size + 4));
  if (entries < 0) return [];
  const view = viewOf(table);
  return Array.from({ length: entries + 1 }, (_, index) => view.getUint32(index * 4, true));
}

export const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
