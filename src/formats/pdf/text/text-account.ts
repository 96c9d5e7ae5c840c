import type { GlyphAccount } from '#src/documents/document.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import type { Engine } from '../engine/engine.ts';
import { floats } from '../engine/engine.ts';
import { IDENTITY, mapPoint } from '../engine/matrix.ts';
import type { TextObject } from '../engine/objects.ts';
import type { PageFrame, Rect } from '../geometry.ts';
import { containsCenter, intersect, rectToDisplay, union } from '../geometry.ts';
import { readInk, type TextWord } from './words.ts';

/** Characters of the text layer that the page draws and whose Unicode value is not known. */
export interface UnmappedText {
  /** Where each of them stands on the page. */
  glyphs: UnmappedGlyph[];
  /** Their indexes in the text page, and those of the characters without a Unicode value that nobody sees. */
  indexes: ReadonlySet<number>;
}

export interface UnmappedGlyph extends Rect {
  /** Painted in white: only to be seen before something darker. */
  white: boolean;
}

const REPLACEMENT = 0xfffd;
const INVISIBLE_MODES = new Set([3, 7]);
/** Points. A glyph of less in both directions draws nothing that a reader sees. */
const LEAST_INK = 0.2;
/** Fewer characters of a font are judged together with those of other fonts. */
const ENOUGH_TO_JUDGE = 30;

const isSpace = (code: number) =>
  (code >= 0x09 && code <= 0x0d) || code === 0x20 || code === 0xa0 || code === 0x3000;
const isPrivate = (code: number) => (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000;

interface Candidate {
  index: number;
  code: number;
  object: number;
  /** The engine has no Unicode value and hands out the character code of the font instead. */
  isCode: boolean;
}

/**
 * Finds the characters of a page that are drawn and have no Unicode value. Characters that are invisible, clipped away,
 * off the page or without ink are not among them. PDFium hands out a font's character codes where it knows no Unicode
 * value; many producers use ASCII codes, so codes that read like a text count as text.
 */
export function findUnmappedText(
  engine: Engine,
  textPage: number,
  frame: PageFrame,
  objects: readonly TextObject[],
): UnmappedText {
  const candidates = listCandidates(engine, textPage);
  const readable = candidates.length === 0 ? new Set<number>() : findReadableFonts(engine, candidates);
  const known = new Map(objects.map((each) => [each.object, each]));
  const visible = new Map<number, Visibility>();
  const budget = { segments: MAX_PAGE_SEGMENTS };
  const indexes = new Set<number>();
  const glyphs: UnmappedGlyph[] = [];
  for (const { index, object, isCode } of candidates) {
    if (isCode && readable.has(engine.raw.FPDFTextObj_GetFont(object))) continue;
    const box = readInk(engine, textPage, index, frame);
    if (!box || !hasInk(box)) continue;
    let visibility = visible.get(object);
    if (!visibility) {
      visibility = readVisibility(engine, frame, known.get(object) ?? { object, outer: IDENTITY }, budget);
      visible.set(object, visibility);
    }
    indexes.add(index);
    if (!visibility.within || !containsCenter(visibility.within, box)) continue;
    glyphs.push({ ...box, white: visibility.white });
  }
  return { glyphs, indexes };
}

function listCandidates({ raw }: Engine, textPage: number): Candidate[] {
  const found: Candidate[] = [];
  const privateUse: Candidate[] = [];
  const count = raw.FPDFText_CountChars(textPage);
  for (let index = 0; index < count; index++) {
    const code = raw.FPDFText_GetUnicode(textPage, index);
    const isCode = raw.FPDFText_HasUnicodeMapError(textPage, index) === 1;
    const isUnknown = isCode || code === 0 || code === REPLACEMENT || isPrivate(code);
    // A control code that stands for itself is a hyphen or a ligature, and known (words.ts).
    if (!isUnknown || (isSpace(code) && code > 0x0d)) continue;
    const object = raw.FPDFText_GetTextObject(textPage, index);
    if (object === 0 || raw.FPDFText_IsGenerated(textPage, index) === 1) continue;
    const list = isPrivate(code) ? privateUse : found;
    list.push({ index, code, object, isCode });
  }
  // Bullets and icons have values for private use; a page with little else has a text that nobody knows.
  return privateUse.length > MOST_PRIVATE * count ? [...found, ...privateUse] : found;
}

const MOST_PRIVATE = 0.3;

/** Returns the fonts whose character codes read like a text. */
function findReadableFonts({ raw }: Engine, candidates: readonly Candidate[]): Set<number> {
  const codes = new Map<number, number[]>();
  for (const { code, object, isCode } of candidates) {
    if (!isCode) continue;
    const font = raw.FPDFTextObj_GetFont(object);
    const list = codes.get(font);
    if (list) list.push(code);
    else codes.set(font, [code]);
  }
  const fonts = [...codes];
  const large = fonts.filter(([, each]) => each.length >= ENOUGH_TO_JUDGE && readsLikeText(each));
  const small = fonts.filter(([, each]) => each.length < ENOUGH_TO_JUDGE);
  const together = [...large, ...small].flatMap(([, each]) => each);
  // A font of a few marks of punctuation does not read like a text by itself.
  const readable = readsLikeText(together) ? small.filter(([, each]) => arePrintable(each)) : [];
  return new Set([...large, ...readable].map(([font]) => font));
}

/** The share of characters that are letters, digits and usual punctuation in a text, and of letters and digits alone. */
const LEAST_PRINTABLE = 0.95;
const LEAST_ALPHANUMERIC = 0.6;
/** The commonest letters of the languages in Latin script: two thirds of a text, one third of shuffled letters. */
const COMMON_LETTERS = /[aeinorst]/g;
const LEAST_COMMON = 0.42;
const ENOUGH_LETTERS = 24;
/** Distinct codes that must not be in the order of their first use. */
const ENOUGH_CODES = 6;

/** Returns whether character codes are those of a text in ASCII or Latin-1, and not numbers that a producer gave out. */
export function readsLikeText(codes: readonly number[]): boolean {
  if (!arePrintable(codes)) return false;
  const shown = withoutSpaces(codes);
  const text = codes.map((code) => String.fromCharCode(code)).join('');
  const letters = text.toLowerCase().match(/\p{L}/gu)?.length ?? 0;
  const digits = text.match(/\d/g)?.length ?? 0;
  if (letters + digits < LEAST_ALPHANUMERIC * shown.length) return false;
  if (letters < ENOUGH_LETTERS) return true;
  const common = text.toLowerCase().match(COMMON_LETTERS)?.length ?? 0;
  return common >= LEAST_COMMON * letters || detectLanguage(text) !== undefined;
}

const withoutSpaces = (codes: readonly number[]) => codes.filter((code) => !isSpace(code) || code < 0x20);

/** Returns whether nearly all codes are those of characters, and not in the order of their first use. */
function arePrintable(codes: readonly number[]): boolean {
  const shown = withoutSpaces(codes);
  const printable = shown.filter((code) => (code > 0x20 && code < 0x7f) || (code >= 0xc0 && code <= 0xff));
  return printable.length >= LEAST_PRINTABLE * shown.length && !areInOrderOfUse(shown);
}

/** Whether each new code is the next number, as in subsets whose glyphs are numbered when they are first used. */
function areInOrderOfUse(codes: readonly number[]): boolean {
  const seen = new Set<number>();
  let last: number | undefined;
  let next = 0;
  for (const code of codes) {
    if (seen.has(code)) continue;
    seen.add(code);
    if (last !== undefined && code === last + 1) next++;
    last = code;
  }
  return seen.size >= ENOUGH_CODES && next >= 0.8 * (seen.size - 1);
}

/** Returns whether a reader sees what a character draws: a mark of some size in one direction, and no mere line. */
function hasInk({ x0, y0, x1, y1 }: Rect): boolean {
  const [width, height] = [x1 - x0, y1 - y0];
  return Math.max(width, height) > LEAST_INK && Math.min(width, height) >= LEAST_INK / 10;
}

interface Visibility {
  /** The part of the page on which the object's glyphs can be seen; undefined for invisible text. */
  within: Rect | undefined;
  white: boolean;
}

function readVisibility(engine: Engine, frame: PageFrame, text: TextObject, budget: ClipBudget): Visibility {
  const { raw, scratch } = engine;
  const page = { x0: 0, y0: 0, x1: frame.width, y1: frame.height };
  const colored = raw.FPDFPageObj_GetFillColor(text.object, scratch, scratch + 4, scratch + 8, scratch + 12);
  const [red = 0, green = 0, blue = 0, alpha = 255] = colored
    ? new Uint32Array(raw.memory.buffer, scratch, 4)
    : [];
  const white = Math.min(red, green, blue) > WHITE;
  // Programs that have read a scan paint what they read invisibly over it.
  const isInvisible = alpha === 0 || INVISIBLE_MODES.has(raw.FPDFTextObj_GetTextRenderMode(text.object));
  if (isInvisible) return { within: undefined, white };
  const clip = readClip(engine, frame, text, budget);
  return { within: clip ? intersect(page, clip) : page, white };
}

/** How many segments of clip paths may still be read on a page. Objects without end may have the same long path. */
interface ClipBudget {
  segments: number;
}

/**
 * Returns the bounds of what an object's clip paths leave of it; `undefined` if nothing clips the object, or if the
 * budget is used up, so that the object counts as seen.
 */
function readClip(engine: Engine, frame: PageFrame, text: TextObject, budget: ClipBudget): Rect | undefined {
  const { raw, scratch } = engine;
  const clip = raw.FPDFPageObj_GetClipPath(text.object);
  const paths = clip === 0 ? 0 : Math.min(raw.FPDFClipPath_CountPaths(clip), MAX_CLIP_PATHS);
  let left: Rect | undefined;
  for (let path = 0; path < paths; path++) {
    const segments = Math.min(raw.FPDFClipPath_CountPathSegments(clip, path), MAX_CLIP_SEGMENTS);
    budget.segments -= segments;
    if (budget.segments < 0) return undefined;
    const corners: Rect[] = [];
    for (let at = 0; at < segments; at++) {
      raw.FPDFPathSegment_GetPoint(raw.FPDFClipPath_GetPathSegment(clip, path, at), scratch, scratch + 4);
      const [x = 0, y = 0] = floats(engine, 2);
      const [pageX, pageY] = mapPoint(text.outer, x, y);
      corners.push(rectToDisplay(frame, pageX, pageY, pageX, pageY));
    }
    if (corners.length === 0) continue;
    const rect = union(corners);
    left = left ? (intersect(left, rect) ?? NOTHING) : rect;
  }
  return left;
}

const NOTHING: Rect = { x0: -2, y0: -2, x1: -1, y1: -1 };
const WHITE = 250;
const MAX_CLIP_PATHS = 64;
const MAX_CLIP_SEGMENTS = 10_000;
/** Segments of the clip paths of all text of a page. */
const MAX_PAGE_SEGMENTS = 2_000_000;

/** A page that lacks a larger share of its drawn characters is read by OCR. */
const MOST_MISSING = 0.05;

/** Counts the characters that a page draws. `isDrawn` tells whether a reader sees the word or glyph. */
export function accountForGlyphs(
  words: readonly TextWord[],
  unmapped: readonly UnmappedGlyph[],
  isDrawn: (part: Rect & { white: boolean }) => boolean,
): GlyphAccount {
  const withoutUnicode = unmapped.filter(isDrawn).length;
  let extracted = 0;
  for (const word of words) {
    if (!word.hidden && isDrawn(word)) extracted += [...word.text].length - (word.unmapped ?? 0);
  }
  extracted = Math.max(0, extracted);
  return { drawn: extracted + withoutUnicode, extracted, withoutUnicode };
}

/** Returns whether so many of the drawn characters have no Unicode value that the page needs OCR. */
export const lacksText = ({ drawn, withoutUnicode }: GlyphAccount): boolean =>
  withoutUnicode > MOST_MISSING * drawn;
