import type { Engine } from './engine/engine.ts';
import { copyOut, floats, readBytes } from './engine/engine.ts';
import { readObjects, type Shape } from './engine/objects.ts';
import { readFields } from './fields.ts';
import type { PageFrame, Rect } from './geometry.ts';
import { rectToDisplay } from './geometry.ts';
import { findUnmappedText, type UnmappedGlyph, type UnmappedText } from './text/text-account.ts';
import { joinVertical } from './text/vertical.ts';
import type { TextWord } from './text/words.ts';
import { readWords } from './text/words.ts';

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
  /** Equal for equal images. */
  signature: string;
}

/** Everything layout wants from one visit of a page; holds nothing of the engine. */
export interface PageScan {
  frame: PageFrame;
  words: TextWord[];
  rules: Rect[];
  images: ImageArea[];
  links: LinkArea[];
  hasPaths: boolean;
  backdrops: Rect[];
  shapes: Shape[];
  /** Where characters stand that are drawn and have no Unicode value. */
  unmapped: UnmappedGlyph[];
}

export function readFrame(engine: Engine, page: number): PageFrame {
  const { raw, scratch } = engine;
  raw.FPDF_GetPageBoundingBox(page, scratch);
  const [left = 0, top = 792, right = 612, bottom = 0] = floats(engine, 4);
  const rotation = ((raw.FPDFPage_GetRotation(page) % 4) + 4) % 4;
  const sides = [right - left, top - bottom] as const;
  const [width, height] = rotation % 2 === 1 ? [sides[1], sides[0]] : sides;
  return { left, top, right, bottom, rotation, width, height };
}

/** `measured`: words have the places of their ink. */
export function scanPage(
  engine: Engine,
  document: number,
  page: number,
  form: number,
  measured = false,
): PageScan {
  const { raw } = engine;
  const frame = readFrame(engine, page);
  const { images, rules, hasPaths, backdrops, shapes, texts } = readObjects(engine, page, frame);
  const textPage = raw.FPDFText_LoadPage(page);
  let words: TextWord[] = [];
  let unmapped: UnmappedText | undefined;
  if (textPage !== 0) {
    try {
      unmapped = findUnmappedText(engine, textPage, frame, texts);
      words = joinVertical(readWords(engine, textPage, frame, measured, unmapped.indexes));
    } finally {
      raw.FPDFText_ClosePage(textPage);
    }
  }
  for (const each of readFields(engine, form, page, frame)) words.push(each);
  return {
    frame,
    words,
    unmapped: unmapped?.glyphs ?? [],
    rules,
    hasPaths,
    backdrops,
    shapes,
    images: images.map(({ object, box, width, height }) => ({
      box,
      width,
      height,
      signature: `${width}x${height}:${dataSignature(engine, object)}`,
    })),
    links: readLinks(engine, document, page, frame),
  };
}

function dataSignature(engine: Engine, object: number): string {
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
