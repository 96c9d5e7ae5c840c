import type { DocumentMetadata } from '#src/documents/document.ts';
import type { Engine } from './engine/engine.ts';
import { readUtf16, withName } from './engine/engine.ts';
import { outlineKey } from './text/heading-styles.ts';

const MAX_OUTLINE_ENTRIES = 3_000;
const MAX_OUTLINE_DEPTH = 6;

/**
 * Converts a PDF date (D:YYYYMMDDHHmmSS+hh'mm') to ISO 8601. All parts after the year are optional. Returns
 * `undefined` if the date is invalid.
 */
export function pdfDateToIso(value: string): string | undefined {
  const match =
    /^(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:(Z)|([+-])(\d{2})'?(\d{2})?)?/.exec(
      value.trim(),
    );
  if (!match) return undefined;
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    ,
    sign,
    zoneHour,
    zoneMinute = '00',
  ] = match;
  const zone = sign ? `${sign}${zoneHour}:${zoneMinute}` : 'Z';
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

export function readMetadata(engine: Engine, document: number): DocumentMetadata {
  const { raw } = engine;
  const text = (tag: string) =>
    withName(engine, tag, (name) =>
      readUtf16(engine, (buffer, length) => raw.FPDF_GetMetaText(document, name, buffer, length)),
    )
      .replaceAll('\0', '')
      .trim() || undefined;
  const date = (tag: string) => pdfDateToIso(text(tag) ?? '');
  const language = readUtf16(engine, (buffer, length) =>
    raw.EPDFCatalog_GetLanguage(document, buffer, length),
  );
  const fields: DocumentMetadata = {
    title: text('Title'),
    author: text('Author'),
    subject: text('Subject'),
    keywords: text('Keywords'),
    creator: text('Creator'),
    producer: text('Producer'),
    createdAt: date('CreationDate'),
    modifiedAt: date('ModDate'),
    language: /^[a-z]{2}(?=$|[-_])/i.exec(language)?.[0].toLowerCase(),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Returns the label of a page, or `undefined` if the document defines no page labels. */
export function readLabel(engine: Engine, document: number, index: number): string | undefined {
  const { raw } = engine;
  return (
    readUtf16(engine, (buffer, length) => raw.FPDF_GetPageLabel(document, index, buffer, length)).trim() ||
    undefined
  );
}

export type Outline = ReadonlyMap<number, ReadonlyMap<string, number>>;

/**
 * Returns the outline entries by page index. The key is the text of the entry without spaces, and the value
 * is its depth, counted from 1.
 */
export function readOutline(engine: Engine, document: number): Outline {
  const { raw } = engine;
  const outline = new Map<number, Map<string, number>>();
  const seen = new Set<number>();
  const visit = (first: number, depth: number) => {
    for (let entry = first; entry !== 0; entry = raw.FPDFBookmark_GetNextSibling(document, entry)) {
      // Damaged outlines may contain cycles.
      if (seen.has(entry) || seen.size >= MAX_OUTLINE_ENTRIES) return;
      seen.add(entry);
      const title = readUtf16(engine, (buffer, length) => raw.FPDFBookmark_GetTitle(entry, buffer, length));
      const target = raw.FPDFBookmark_GetDest(document, entry);
      const page = target === 0 ? -1 : raw.FPDFDest_GetDestPageIndex(document, target);
      const key = outlineKey(title);
      if (page >= 0 && key !== '') {
        const entries = outline.get(page) ?? new Map<string, number>();
        outline.set(page, entries.set(key, depth));
      }
      if (depth < MAX_OUTLINE_DEPTH) visit(raw.FPDFBookmark_GetFirstChild(document, entry), depth + 1);
    }
  };
  visit(raw.FPDFBookmark_GetFirstChild(document, 0), 1);
  return outline;
}
