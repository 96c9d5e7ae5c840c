import { ParseError } from '#src/documents/errors.ts';
import type { OleFile } from '#src/formats/shared/containers/ole.ts';
import { createUnsupportedEncryptionError } from '#src/formats/shared/protection/errors.ts';
import { decryptBlocks, openLegacyKey } from '#src/formats/shared/protection/legacy-office.ts';

/** Streams and tables of a Word file. The file information block at the start of the file locates them. */
export interface WordFile {
  /** Stream "WordDocument", which contains the text and its formatting. */
  main: Uint8Array;
  /** Table stream, which contains the tables of text pieces, styles, notes and lists. */
  tables: Uint8Array;
  /** Number of characters in each part of the document. The parts follow each other in this order. */
  lengths: {
    body: number;
    footnotes: number;
    headers: number;
    macros: number;
    comments: number;
    endnotes: number;
    textBoxes: number;
  };
  /**
   * Returns a table by its number, or an empty array if the file does not have it. Throws ParseError if the
   * table lies outside the stream.
   */
  table(number: number): Uint8Array;
  /** True if a password was needed to open the file. */
  unlocked: boolean;
  /** Returns the part of the table stream that follows the table with this number. */
  after(number: number): Uint8Array;
}

const SIGNATURE = 0xa5ec;
const WORD_97 = 0xc1;
const ENCRYPTED = 0x0100;
const OBFUSCATED = 0x8000;
/**
 * Number of bytes at the start of the stream "WordDocument" that are never encrypted. `KEY_LENGTH_OFFSET`
 * locates the length in bytes of the unencrypted key description in the table stream.
 */
const UNENCRYPTED_BYTES = 0x44;
const KEY_LENGTH_OFFSET = 0x0e;
const BLOCK_BYTES = 512;
const USES_TABLE_1 = 0x0200;
const TABLE_LIST = 0x9a;

const broken = (detail: string) => new ParseError('FILE_IS_BROKEN', `The file is damaged: ${detail}.`);

interface Streams {
  main: Uint8Array;
  tables: Uint8Array | undefined;
}

/**
 * Decrypts the streams of a Word file. RC4 is applied to each stream from its first byte, so bytes that were
 * not encrypted are restored afterwards.
 */
function decryptStreams({ main, tables }: Streams, password: string | null | undefined): Streams {
  const view = createDataView(main);
  if (view.getUint16(0x0a, true) & OBFUSCATED) {
    throw createUnsupportedEncryptionError(
      'it uses the XOR obfuscation of old Word versions; save the file as .docx',
    );
  }
  if (!tables) throw broken('its tables are missing');
  const keyBytes = Math.min(tables.length, view.getUint32(KEY_LENGTH_OFFSET, true));
  const key = openLegacyKey(tables.subarray(0, keyBytes), password);
  const open = (stream: Uint8Array, openBytes: number) => {
    const opened = decryptBlocks(stream, key, BLOCK_BYTES);
    opened.set(stream.subarray(0, openBytes));
    return opened;
  };
  return { main: open(main, UNENCRYPTED_BYTES), tables: open(tables, keyBytes) };
}

/**
 * Opens a Word file. Throws ParseError if the file is not a Word 97-2003 document or the password is wrong.
 */
export function openWordFile(file: OleFile, password: string | null | undefined): WordFile {
  const stored = file.stream('WordDocument');
  if (!stored || stored.length < TABLE_LIST + 8) throw broken('its text is missing');
  const version = createDataView(stored).getUint16(2, true);
  const flags = createDataView(stored).getUint16(0x0a, true);
  const streams = { main: stored, tables: file.stream(flags & USES_TABLE_1 ? '1Table' : '0Table') };
  const unlocked = (flags & ENCRYPTED) !== 0;
  if (unlocked && version < WORD_97)
    throw createUnsupportedEncryptionError('it was written by a version before Word 97');
  const { main, tables } = unlocked ? decryptStreams(streams, password) : streams;
  const view = createDataView(main);
  if (view.getUint16(0, true) !== SIGNATURE)
    throw broken('it does not start with the signature of a Word document');
  if (version < WORD_97) {
    throw new ParseError(
      'UNSUPPORTED_FILE_TYPE',
      'Sluice does not read documents of versions before Word 97. Save the file as .docx.',
    );
  }
  if (!tables) throw broken('its tables are missing');
  const place = (number: number): [from: number, to: number] => {
    const at = TABLE_LIST + number * 8;
    if (at + 8 > main.length) return [0, 0];
    const from = view.getUint32(at, true);
    const length = view.getUint32(at + 4, true);
    if (from + length > tables.length) throw broken('one of its tables is outside the file');
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
 * Returns the positions at the start of a table whose entries have `size` bytes each. A table with n entries
 * has n + 1 positions.
 */
export function readPositions(table: Uint8Array, size: number): number[] {
  const entries = Math.floor((table.length - 4) / (size + 4));
  if (entries < 0) return [];
  const view = createDataView(table);
  return Array.from({ length: entries + 1 }, (_, index) => view.getUint32(index * 4, true));
}

export const createDataView = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
