import { ParseError } from '#src/documents/errors.ts';
import type { OleFile } from '#src/formats/shared/containers/ole.ts';
import { type LegacyKey, openLegacyKey } from '#src/formats/shared/protection/legacy-office.ts';
import { createDataView, HEADER_BYTES, type PptRecord, readRecord, TYPES } from './records.ts';

const ENCRYPTED = 0xf3d1c4df;
const MAX_EDITS = 10_000;
const MAX_PERSIST_OBJECTS = 100_000;

/**
 * An opened presentation. Saving appends to the stream, so the latest edits determine which records are
 * valid.
 */
export interface Presentation {
  document: PptRecord;
  /**
   * Returns the record with a number, or `undefined` if there is none. Throws ParseError if the records found
   * so far are together longer than the file.
   */
  find(number: number): PptRecord | undefined;
  /** True if a password was needed to open the presentation. */
  unlocked: boolean;
}

const broken = (detail: string) => new ParseError('FILE_IS_BROKEN', `The file is damaged: ${detail}.`);

/** Opens a presentation. Throws ParseError if it is damaged or the password is wrong. */
export function openPresentation(file: OleFile, password: string | null | undefined): Presentation {
  const stream = file.stream('PowerPoint Document');
  const user = file.stream('Current User');
  if (!stream || !user || user.length < 20) throw broken('its slides are missing');
  const view = createDataView(user);
  let isEncrypted = view.getUint32(12, true) === ENCRYPTED;
  let keyNumber: number | undefined;
  const offsets = new Map<number, number>();
  let documentNumber: number | undefined;
  const seen = new Set<number>();
  for (let at = view.getUint32(16, true); at !== 0 && !seen.has(at) && seen.size < MAX_EDITS; ) {
    seen.add(at);
    const edit = readRecord(stream, at);
    if (edit?.type !== TYPES.userEdit || edit.data.length < 24)
      throw broken('its list of edits is cut short');
    const fields = createDataView(edit.data);
    // An edit has this field only if the presentation is encrypted.
    if (edit.data.length >= 32 && fields.getUint32(28, true) !== 0) {
      keyNumber ??= fields.getUint32(28, true);
      isEncrypted = true;
    }
    documentNumber ??= fields.getUint32(16, true);
    readOffsets(stream, fields.getUint32(12, true), offsets);
    at = fields.getUint32(8, true);
  }
  const key = isEncrypted ? readKey(stream, offsets.get(keyNumber ?? -1), password) : undefined;
  let left = stream.length;
  const find = (number: number) => {
    const at = offsets.get(number);
    const from = at !== undefined && key ? decryptRecord(stream, at, number, key) : stream;
    const record = at === undefined ? undefined : readRecord(from, from === stream ? at : 0);
    left -= record?.data.length ?? 0;
    // Slides that share bytes would multiply the text of a small file.
    if (left < 0) throw broken('its slides overlap');
    return record;
  };
  const document = documentNumber === undefined ? undefined : find(documentNumber);
  if (document?.type !== TYPES.document) throw broken('its list of slides is missing');
  return { document, find, unlocked: key !== undefined };
}

function readKey(stream: Uint8Array, at: number | undefined, password: string | null | undefined): LegacyKey {
  const record = at === undefined ? undefined : readRecord(stream, at);
  // Without a password the record is not needed, because openLegacyKey throws first.
  if (password && record?.type !== TYPES.encryption) throw broken('its encryption information is missing');
  return openLegacyKey(record?.data ?? new Uint8Array(), password);
}

/** Decrypts a record. The header is encrypted too, and the cipher restarts for each record number. */
function decryptRecord(stream: Uint8Array, at: number, number: number, key: LegacyKey): Uint8Array {
  const head = key.createCipher(number).apply(stream.subarray(at, at + HEADER_BYTES));
  if (head.length < HEADER_BYTES) return head;
  const length = createDataView(head).getUint32(4, true);
  return key.createCipher(number).apply(stream.subarray(at, at + HEADER_BYTES + length));
}

/**
 * Reads ranges of record numbers with the offset of each record. Offsets from later edits are already known
 * and are not replaced.
 */
function readOffsets(stream: Uint8Array, at: number, offsets: Map<number, number>): void {
  const directory = readRecord(stream, at);
  if (directory?.type !== TYPES.persistDirectory) throw broken('its list of slide positions is missing');
  const view = createDataView(directory.data);
  for (let from = 0; from + 4 <= directory.data.length; ) {
    const head = view.getUint32(from, true);
    const [first, count] = [head & 0xfffff, head >>> 20];
    from += 4;
    for (let index = 0; index < count && from + 4 <= directory.data.length; index++, from += 4) {
      if (offsets.size >= MAX_PERSIST_OBJECTS)
        throw new ParseError(
          'DOCUMENT_TOO_LARGE',
          `The presentation has more than ${MAX_PERSIST_OBJECTS} objects.`,
        );
      if (!offsets.has(first + index)) offsets.set(first + index, view.getUint32(from, true));
    }
  }
}
