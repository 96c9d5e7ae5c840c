import { largest } from '#src/lib/extremes.ts';
import { copyOut, type Engine, floats, readBytes, readUtf16, withName } from './engine/engine.ts';
import { readObjects, type Shape } from './engine/objects.ts';
import { type PageFrame, type Rect, rectToDisplay } from './geometry.ts';
import { type Formula, readFormulas } from './math/formulas.ts';
import { levelScanLayer } from './text/scan-layer.ts';
import { findUnmappedText, type UnmappedGlyph, type UnmappedText } from './text/unmapped-text.ts';
import { joinVertical } from './text/vertical.ts';
import { readWords, type TextWord } from './text/words.ts';

const FREE_TEXT = 3;

const WIDGET = 20;

const CHECKBOX = 2;

const RADIO_BUTTON = 3;

const WRITTEN_FIELDS = new Set([4, 5, 6]);

const HIDDEN = 2;

const MAX_ANNOTATIONS = 2_000;

/** Average letter width in letter heights. Used for text without glyph positions. */
const LETTER_WIDTH = 0.5;

const ACTION_URI = 3;
const MAX_LINKS = 2_000;
const HASHED_BYTES = 256 * 1024;

export interface LinkArea {
  url: string;
  rect: Rect;
}

export interface ImageArea {
  box: Rect;
  width: number;
  height: number;
  /** Signature that identifies equal images. Empty if the scan did not ask for signatures. */
  signature: string;
}

/** The data of a page that layout needs. It holds no engine resources. */
export interface PageScan {
  frame: PageFrame;
  words: TextWord[];
  rules: Rect[];
  images: ImageArea[];
  links: LinkArea[];
  hasPaths: boolean;
  backdrops: Rect[];
  shapes: Shape[];
  /** Positions of drawn characters without a Unicode value. */
  unmapped: UnmappedGlyph[];
  /** Displayed formulas that could be read. Their words are also part of `words`. */
  formulas: Formula[];
}

/** Part of a scan that tells the styles of a text. */
export type ScannedWords = Pick<PageScan, 'words'>;

export function readFrame(engine: Engine, page: number): PageFrame {
  const { raw, scratch } = engine;
  raw.FPDF_GetPageBoundingBox(page, scratch);
  const [left = 0, top = 792, right = 612, bottom = 0] = floats(engine, 4);
  const rotation = ((raw.FPDFPage_GetRotation(page) % 4) + 4) % 4;
  const sides = [right - left, top - bottom] as const;
  const [width, height] = rotation % 2 === 1 ? [sides[1], sides[0]] : sides;
  return { left, top, right, bottom, rotation, width, height };
}

export interface ScanOptions {
  /** True if words include the boxes of their ink. */
  measured: boolean;
  /** True if images get signatures, for which the data of each image is read. */
  signatures: boolean;
}

/** Scans a page. */
export function scanPage(
  engine: Engine,
  document: number,
  page: number,
  form: number,
  { measured, signatures }: ScanOptions,
): PageScan {
  const { raw } = engine;
  const frame = readFrame(engine, page);
  const { images, rules, shortBars, hasPaths, backdrops, shapes, texts } = readObjects(engine, page, frame);
  const textPage = raw.FPDFText_LoadPage(page);
  let words: TextWord[] = [];
  let unmapped: UnmappedText | undefined;
  let formulas: Formula[] = [];
  if (textPage !== 0) {
    try {
      unmapped = findUnmappedText(engine, textPage, frame, texts);
      words = levelScanLayer(joinVertical(readWords(engine, textPage, frame, measured, unmapped)));
      formulas = readFormulas(engine, textPage, frame, words, [...shortBars, ...rules]);
    } finally {
      raw.FPDFText_ClosePage(textPage);
    }
  }
  for (const each of readFields(engine, form, page, frame)) words.push(each);
  return {
    frame,
    words,
    unmapped: unmapped?.glyphs ?? [],
    formulas,
    rules,
    hasPaths,
    backdrops,
    shapes,
    images: images.map(({ object, box, width, height }) => ({
      box,
      width,
      height,
      signature: signatures ? `${width}x${height}:${hashImageData(engine, object)}` : '',
    })),
    links: readLinks(engine, document, page, frame),
  };
}

function hashImageData(engine: Engine, object: number): string {
  const { raw } = engine;
  const length = raw.FPDFImageObj_GetImageDataRaw(object, 0, 0);
  if (length <= 0 || length > HASHED_BYTES) return String(length);
  const buffer = raw.malloc(length);
  if (buffer === 0) return String(length);
  try {
    raw.FPDFImageObj_GetImageDataRaw(object, buffer, length);
    let hash = 0x811c9dc5;
    for (const byte of copyOut(engine, buffer, length)) hash = Math.imul(hash ^ byte, 0x01000193);
    return `${length}:${hash >>> 0}`;
  } finally {
    raw.free(buffer);
  }
}

function readLinks(engine: Engine, document: number, page: number, frame: PageFrame): LinkArea[] {
  const { raw, scratch } = engine;
  const links: LinkArea[] = [];
  const position = scratch;
  const handle = scratch + 4;
  const rect = scratch + 16;
  new Int32Array(raw.memory.buffer, position, 1)[0] = 0;
  for (let visited = 0; visited < MAX_LINKS && raw.FPDFLink_Enumerate(page, position, handle); visited++) {
    const link = new Int32Array(raw.memory.buffer, handle, 1)[0]!;
    const action = raw.FPDFLink_GetAction(link);
    if (action === 0 || raw.FPDFAction_GetType(action) !== ACTION_URI) continue;
    const bytes = readBytes(engine, (buffer, length) =>
      raw.FPDFAction_GetURIPath(document, action, buffer, length),
    );
    const url = new TextDecoder().decode(bytes).trim();
    if (url === '' || !raw.FPDFLink_GetAnnotRect(link, rect)) continue;
    const [left = 0, top = 0, right = 0, bottom = 0] = new Float32Array(raw.memory.buffer, rect, 4);
    links.push({ url, rect: rectToDisplay(frame, left, bottom, right, top) });
  }
  return links;
}

/**
 * Reads the text of form fields and free-text annotations. They are drawn over the page and are not part of
 * its text.
 */
function readFields(engine: Engine, form: number, page: number, frame: PageFrame): TextWord[] {
  const { raw, scratch } = engine;
  const words: TextWord[] = [];
  const count = Math.min(raw.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS);
  for (let index = 0; index < count; index++) {
    const annotation = raw.FPDFPage_GetAnnot(page, index);
    if (annotation === 0) continue;
    try {
      const text =
        (raw.FPDFAnnot_GetFlags(annotation) & HIDDEN) === 0
          ? readAnnotationText(engine, form, annotation)
          : '';
      if (text === '' || !raw.FPDFAnnot_GetRect(annotation, scratch)) continue;
      const [left = 0, top = 0, right = 0, bottom = 0] = floats(engine, 4);
      for (const each of placeWords(text, rectToDisplay(frame, left, bottom, right, top))) words.push(each);
    } finally {
      raw.FPDFPage_CloseAnnot(annotation);
    }
  }
  return words;
}

function readAnnotationText(engine: Engine, form: number, annotation: number): string {
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

/** Returns the words of a field at approximately the positions where a viewer draws them. */
function placeWords(text: string, rect: Rect): TextWord[] {
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
