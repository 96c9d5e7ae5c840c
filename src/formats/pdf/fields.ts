import { largest } from '#src/lib/extremes.ts';
import type { Engine } from './engine/engine.ts';
import { floats, readUtf16, withName } from './engine/engine.ts';
import type { PageFrame, Rect } from './geometry.ts';
import { rectToDisplay } from './geometry.ts';
import type { TextWord } from './text/words.ts';

const FREE_TEXT = 3;
const WIDGET = 20;
const CHECKBOX = 2;
const RADIO_BUTTON = 3;
const WRITTEN_FIELDS = new Set([4, 5, 6]);
const HIDDEN = 2;
const MAX_ANNOTATIONS = 2_000;
/** Average width of a letter in letter heights, for text whose glyphs are not laid out. */
const LETTER_WIDTH = 0.5;

/** What readers filled in or wrote on the page: it is drawn over the page and no part of its text. */
export function readFields(engine: Engine, form: number, page: number, frame: PageFrame): TextWord[] {
  const { raw, scratch } = engine;
  const words: TextWord[] = [];
  const count = Math.min(raw.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS);
  for (let index = 0; index < count; index++) {
    const annotation = raw.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    try {
      const text =
        (raw.FPDFAnnot_GetFlags(annotation) & HIDDEN) === 0 ? textOf(engine, form, annotation) : '';
      if (text === '' || !raw.FPDFAnnot_GetRect(annotation, scratch)) continue;
      const [left = 0, top = 0, right = 0, bottom = 0] = floats(engine, 4);
      for (const each of place(text, rectToDisplay(frame, left, bottom, right, top))) words.push(each);
    } finally {
      raw.FPDFPage_CloseAnnot(annotation);
    }
  }
  return words;
}

function textOf(engine: Engine, form: number, annotation: number): string {
  const { raw } = engine;
  const subtype = raw.FPDFAnnot_GetSubtype(annotation);
  if (subtype === FREE_TEXT) {
    return withName(engine, 'Contents', (key) =>
      readUtf16(engine, (buffer, length) => raw.FPDFAnnot_GetStringValue(annotation, key, buffer, length)),
    ).trim();
  }
  if (subtype !== WIDGET || form === 0) return '';
  const type = raw.FPDFAnnot_GetFormFieldType(form, annotation);
  if (type === CHECKBOX || type === RADIO_BUTTON) return raw.FPDFAnnot_IsChecked(form, annotation) ? '☒' : '';
  if (!WRITTEN_FIELDS.has(type)) return '';
  return readUtf16(engine, (buffer, length) =>
    raw.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, length),
  ).trim();
}

/** Words at about the places where a viewer draws them. */
function place(text: string, rect: Rect): TextWord[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.split(/\s+/).filter((word) => word !== ''));
  const pitch = (rect.y1 - rect.y0) / lines.length;
  const longest = largest(
    lines.map((line) => line.join(' ').length),
    1,
  );
  const size = Math.max(1, Math.min(12, pitch * 0.8, (rect.x1 - rect.x0) / (longest * LETTER_WIDTH)));
  const words: TextWord[] = [];
  for (const [row, line] of lines.entries()) {
    const middle = rect.y0 + pitch * (row + 0.5);
    let x = rect.x0 + 2;
    for (const word of line) {
      const width = word.length * size * LETTER_WIDTH;
      words.push({
        x0: x,
        x1: x + width,
        y0: middle - size * 0.6,
        y1: middle + size * 0.6,
        text: word.normalize('NFC').toWellFormed(),
        size,
        style: { bold: false, italic: false, monospace: false, font: '' },
        turns: 0,
        spaced: true,
        hyphenated: false,
        hidden: false,
        white: false,
      });
      x += width + size * LETTER_WIDTH;
    }
  }
  return words;
}
