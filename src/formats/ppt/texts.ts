import { ParseError } from '#src/documents/errors.ts';
import { type PptRecord, recordsIn, TYPES, viewOf } from './records.ts';

export interface SlideText {
  kind: 'title' | 'body' | 'notes' | 'other';
  paragraphs: string[];
}

const KINDS: Record<number, SlideText['kind']> = {
  0: 'title',
  1: 'body',
  2: 'notes',
  5: 'body',
  6: 'title',
  7: 'body',
  8: 'body',
};
/** Stand for the number of the slide, a date, a footer. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the format's own marks
const MARKS = /[\u0000-\u0008\u000c\u000e-\u001f]/g;
const MAX_TEXT = 2 * 1024 * 1024;

const utf16 = new TextDecoder('utf-16le', { fatal: false, ignoreBOM: true });

/** Each byte is the low half of a character. */
function narrow(bytes: Uint8Array): string {
  const wide = new Uint8Array(bytes.length * 2);
  for (let at = 0; at < bytes.length; at++) wide[at * 2] = bytes[at]!;
  return utf16.decode(wide);
}

function paragraphsOf({ type, data }: PptRecord): string[] {
  if (data.length > MAX_TEXT) {
    throw new ParseError('DOCUMENT_TOO_LARGE', `The presentation has a text of ${data.length} bytes.`);
  }
  const text = type === TYPES.wideText ? utf16.decode(data) : narrow(data);
  return text.replaceAll('\u000b', '\n').replace(MARKS, '').split('\r');
}

/**
 * The texts of a shape or of the document's list, one for each heading, which may be empty. `outline` are those that
 * shapes refer to; each is given once.
 */
export function textsOf(records: Iterable<PptRecord>, outline: (SlideText | undefined)[] = []): SlideText[] {
  const texts: SlideText[] = [];
  for (const record of records) {
    const { type, data } = record;
    if (type === TYPES.textHeader && data.length >= 4) {
      texts.push({ kind: KINDS[viewOf(data).getUint32(0, true)] ?? 'other', paragraphs: [] });
    } else if (type === TYPES.wideText || type === TYPES.narrowText) {
      const last = texts.at(-1);
      if (last?.paragraphs.length === 0) last.paragraphs = paragraphsOf(record);
      else texts.push({ kind: 'other', paragraphs: paragraphsOf(record) });
    } else if (type === TYPES.outlineReference && data.length >= 4) {
      const index = viewOf(data).getUint32(0, true);
      const text = outline[index];
      if (text) texts.push(text);
      outline[index] &&= undefined;
    }
  }
  return texts;
}

/** The texts in the shapes of a slide or of its notes. */
export function shapeTexts(drawing: Uint8Array, outline: (SlideText | undefined)[]): SlideText[] {
  return [...textBoxesIn(drawing)].flatMap((box) => textsOf(recordsIn(box.data), outline));
}

const MAX_DEPTH = 40;

/** However deep in groups of shapes. */
function* textBoxesIn(bytes: Uint8Array, depth = 0): Generator<PptRecord> {
  for (const record of recordsIn(bytes)) {
    if (record.type === TYPES.clientText) yield record;
    else if (record.isContainer && depth < MAX_DEPTH) yield* textBoxesIn(record.data, depth + 1);
  }
}
