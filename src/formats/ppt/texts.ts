import { ParseError } from '#src/documents/errors.ts';
import { createDataView, type PptRecord, TYPES } from './records.ts';

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

/** Placeholder characters for the slide number, a date or a footer. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the format uses control characters as placeholders
const MARKS = /[\u0000-\u0008\u000c\u000e-\u001f]/g;

const MAX_TEXT = 2 * 1024 * 1024;

const utf16 = new TextDecoder('utf-16le', { fatal: false, ignoreBOM: true });

/** Decodes text that stores only the low byte of each UTF-16 character. */
function decodeNarrow(bytes: Uint8Array): string {
  const wide = new Uint8Array(bytes.length * 2);
  for (let at = 0; at < bytes.length; at++) wide[at * 2] = bytes[at]!;
  return utf16.decode(wide);
}

function decodeParagraphs({ type, data }: PptRecord): string[] {
  if (data.length > MAX_TEXT) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The presentation has a text of ${data.length} bytes, and the limit is ${MAX_TEXT}.`,
    );
  }
  const text = type === TYPES.wideText ? utf16.decode(data) : decodeNarrow(data);
  return text.replaceAll('\u000b', '\n').replace(MARKS, '').split('\r');
}

/**
 * Reads the texts of a shape or of the document's list. Each text header starts a new text, which may be
 * empty. Shapes refer to texts in `outline`, and each of these texts is returned once.
 */
export function readTexts(
  records: Iterable<PptRecord>,
  outline: (SlideText | undefined)[] = [],
): SlideText[] {
  const texts: SlideText[] = [];
  for (const record of records) {
    const { type, data } = record;
    if (type === TYPES.textHeader && data.length >= 4) {
      texts.push({ kind: KINDS[createDataView(data).getUint32(0, true)] ?? 'other', paragraphs: [] });
    } else if (type === TYPES.wideText || type === TYPES.narrowText) {
      const last = texts.at(-1);
      if (last?.paragraphs.length === 0) last.paragraphs = decodeParagraphs(record);
      else texts.push({ kind: 'other', paragraphs: decodeParagraphs(record) });
    } else if (type === TYPES.outlineReference && data.length >= 4) {
      const index = createDataView(data).getUint32(0, true);
      const text = outline[index];
      if (text) texts.push(text);
      outline[index] &&= undefined;
    }
  }
  return texts;
}
