import { ParseError } from '#src/documents/errors.ts';
import type { OleFile } from '#src/formats/shared/containers/ole.ts';
import { type LegacyKey, openLegacyKey } from '#src/formats/shared/protection/legacy-office.ts';
import { HEAD, type PptRecord, recordAt, TYPES, viewOf } from './records.ts';

const ENCRYPTED = 0xf3d1c4df;
const MAX_EDITS = 10_000;
const MAX_PLACES = 100_000;

/** A presentation: saving appends to its stream, and what is valid is told by the latest edits. */
export interface Presentation {
  document: PptRecord;
  /** The record that a number stands for. Throws ParseError once all those found are longer than the file. */
  find(number: number): PptRecord | undefined;
  /** The password was needed to open it. */
  unlocked: boolean;
}

const broken = (detail: string) => new ParseError('FILE_IS_BROKEN', `The file is damaged: ${detail}.`);

/** Throws ParseError for what is damaged, or encrypted with another password. */
export function openPresentation(file: OleFile, password: string | null | undefined): Presentation {
  const stream = file.stream('PowerPoint Document');
  const user = file.stream('Current User');
  if (!stream || !user || user.length < 20) throw broken('its slides are missing');
  const view = viewOf(user);
  let isEncrypted = view.getUint32(12, true) === ENCRYPTED;
  let keyNumber: number | undefined;
  const places = new Map<number, number>();
  let documentNumber: number | undefined;
  const seen = new Set<number>();
  for (let at = view.getUint32(16, true); at !== 0 && !seen.has(at) && seen.size < MAX_EDITS; ) {
    seen.add(at);
    const edit = recordAt(stream, at);
    if (edit?.type !== TYPES.userEdit || edit.data.length < 24)
      throw broken('the list of its edits is cut short');
    const fields = viewOf(edit.data);
    // A place for the keys of an encryption is there only when there is one.
    if (edit.data.length >= 32 && fields.getUint32(28, true) !== 0) {
      keyNumber ??= fields.getUint32(28, true);
      isEncrypted = true;
    }
    documentNumber ??= fields.getUint32(16, true);
    takePlaces(stream, fields.getUint32(12, true), places);
    at = fields.getUint32(8, true);
  }
  const key = isEncrypted ? keyOf(stream, places.get(keyNumber ?? -1), password) : undefined;
  let left = stream.length;
  const find = (number: number) => {
    const at = places.get(number);
    const from = at !== undefined && key ? decryptedAt(stream, at, number, key) : stream;
    const record = at === undefined ? undefined : recordAt(from, from === stream ? at : 0);
    left -= record?.data.length ?? 0;
    // Slides that share bytes would be copies of their text.
    if (left < 0) throw broken('its slides lie over one another');
    return record;
  };
  const document = documentNumber === undefined ? undefined : find(documentNumber);
  if (document?.type !== TYPES.document) throw broken('its list of slides is missing');
  return { document, find, unlocked: key !== undefined };
}

function keyOf(stream: Uint8Array, at: number | undefined, password: string | null | undefined): LegacyKey {
  const record = at === undefined ? undefined : recordAt(stream, at);
  // Without a password it need not be looked at.
  if (password && record?.type !== TYPES.encryption) throw broken('the description of its key is missing');
  return openLegacyKey(record?.data ?? new Uint8Array(), password);
}

/** A record is encrypted with its head, and with a key of its own number. */
function decryptedAt(stream: Uint8Array, at: number, number: number, key: LegacyKey): Uint8Array {
  const head = key.cipherOf(number).apply(stream.subarray(at, at + HEAD));
  if (head.length < HEAD) return head;
  const length = viewOf(head).getUint32(4, true);
  return key.cipherOf(number).apply(stream.subarray(at, at + HEAD + length));
}

/** Stretches of numbers with the place of each; those of later edits are known already and stay. */
function takePlaces(stream: Uint8Array, at: number, places: Map<number, number>): void {
  const directory = recordAt(stream, at);
  if (directory?.type !== TYPES.places) throw broken('the places of its slides are missing');
  const view = viewOf(directory.data);
  for (let from = 0; from + 4 <= directory.data.length; ) {
    const head = view.getUint32(from, true);
    const [first, count] = [head & 0xfffff, head >>> 20];
    from += 4;
    for (let index = 0; index < count && from + 4 <= directory.data.length; index++, from += 4) {
      if (places.size >= MAX_PLACES)
        throw new ParseError('DOCUMENT_TOO_LARGE', 'The presentation has too many parts.');
      if (!places.has(first + index)) places.set(first + index, view.getUint32(from, true));
    }
  }
}
