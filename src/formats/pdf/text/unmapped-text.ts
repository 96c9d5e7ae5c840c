import type { GlyphCounts } from '#src/documents/document.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { countCharacters } from '#src/lib/text/count-characters.ts';
import type { Engine } from '../engine/engine.ts';
import { floats } from '../engine/engine.ts';
import { IDENTITY, mapPoint } from '../engine/matrix.ts';
import type { TextObject } from '../engine/objects.ts';
import type { PageFrame, Rect } from '../geometry.ts';
import { containsCenter, intersect, rectToDisplay, union } from '../geometry.ts';
import { decodeFontCode } from '../math/tex-encodings.ts';
import { baseFontName } from './runs.ts';
import { readInk, type TextWord } from './words.ts';

/** Characters that the page draws and whose Unicode value is not known. */
export interface UnmappedText {
  /** Positions of the characters that a reader can see. */
  glyphs: UnmappedGlyph[];
  /** Indexes of the characters in the text page, including invisible ones. */
  indexes: ReadonlySet<number>;
  /** Characters by index whose value is known from the name of their font, such as fonts of TeX. */
  decoded: ReadonlyMap<number, string>;
}

export interface UnmappedGlyph extends Rect {
  /** True if the glyph is painted in white, which is only visible on a darker background. */
  white: boolean;
}

const REPLACEMENT = 0xfffd;
const INVISIBLE_MODES = new Set([3, 7]);
/** Minimum size of a visible glyph in points. A smaller glyph draws nothing that a reader sees. */
const MIN_INK = 0.2;
/** Minimum number of characters for judging a font by itself. Fonts with fewer are judged together. */
const MIN_CODES_TO_JUDGE = 30;

const isSpace = (code: number) =>
  (code >= 0x09 && code <= 0x0d) || code === 0x20 || code === 0xa0 || code === 0x3000;
const isPrivate = (code: number) => (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000;

interface Candidate {
  index: number;
  code: number;
  object: number;
  /** True if the engine has no Unicode value and returns the font's character code instead. */
  isCode: boolean;
}

/**
 * Finds characters that are drawn and have no Unicode value. `glyphs` excludes characters that are invisible,
 * clipped, off the page or without ink. If PDFium has no Unicode value, it returns the font's character code.
 * Many producers use ASCII codes, so codes that read like text count as text.
 */
export function findUnmappedText(
  engine: Engine,
  textPage: number,
  frame: PageFrame,
  objects: readonly TextObject[],
): UnmappedText {
  const { candidates, decoded } = listCandidates(engine, textPage);
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
    if (!visibility.visibleArea || !containsCenter(visibility.visibleArea, box)) continue;
    glyphs.push({ ...box, white: visibility.white });
  }
  return { glyphs, indexes, decoded };
}

function listCandidates(
  engine: Engine,
  textPage: number,
): { candidates: Candidate[]; decoded: Map<number, string> } {
  const { raw } = engine;
  const fonts = new FontDecoder(engine);
  const decoded = new Map<number, string>();
  const found: Candidate[] = [];
  const privateUse: Candidate[] = [];
  const count = raw.FPDFText_CountChars(textPage);
  for (let index = 0; index < count; index++) {
    const code = raw.FPDFText_GetUnicode(textPage, index);
    const isCode = raw.FPDFText_HasUnicodeMapError(textPage, index) === 1;
    const isUnknown = isCode || code === 0 || code === REPLACEMENT || isPrivate(code);
    // A control code with a Unicode value is a hyphen or a ligature (see words.ts).
    if (!isUnknown || (isSpace(code) && code > 0x0d)) continue;
    const object = raw.FPDFText_GetTextObject(textPage, index);
    if (object === 0 || raw.FPDFText_IsGenerated(textPage, index) === 1) continue;
    const text = isCode || isPrivate(code) ? fonts.decode(object, code) : undefined;
    if (text !== undefined) {
      decoded.set(index, text);
      continue;
    }
    const list = isPrivate(code) ? privateUse : found;
    list.push({ index, code, object, isCode });
  }
  // Bullets and icons use private code points. If most of a page does, its text is unreadable.
  const candidates = privateUse.length > MAX_PRIVATE_SHARE * count ? [...found, ...privateUse] : found;
  return { candidates, decoded };
}

/** Derives characters from the names of fonts whose encoding is known. */
class FontDecoder {
  readonly #engine: Engine;
  readonly #names = new Map<number, string>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns the character of a code in the font of a text object, or `undefined` if it is not known. */
  decode(object: number, code: number): string | undefined {
    const font = this.#engine.raw.FPDFTextObj_GetFont(object);
    const name = this.#names.get(font) ?? baseFontName(this.#engine, font);
    this.#names.set(font, name);
    return decodeFontCode(name, code);
  }
}

const MAX_PRIVATE_SHARE = 0.3;

/** Returns the fonts whose character codes read like text. */
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
  const large = fonts.filter(([, each]) => each.length >= MIN_CODES_TO_JUDGE && readsLikeText(each));
  const small = fonts.filter(([, each]) => each.length < MIN_CODES_TO_JUDGE);
  const together = [...large, ...small].flatMap(([, each]) => each);
  // A font with only a few punctuation marks does not read like text by itself.
  const readable = readsLikeText(together) ? small.filter(([, each]) => arePrintable(each)) : [];
  return new Set([...large, ...readable].map(([font]) => font));
}

/**
 * Minimum share of printable characters in text. MIN_ALPHANUMERIC_SHARE is the minimum share of letters and
 * digits.
 */
const MIN_PRINTABLE_SHARE = 0.95;
const MIN_ALPHANUMERIC_SHARE = 0.6;
/**
 * Most common letters of languages in Latin script. They make up two thirds of a text, but one third of
 * shuffled letters.
 */
const COMMON_LETTERS = /[aeinorst]/g;
const MIN_COMMON_SHARE = 0.42;
const MIN_LETTERS = 24;
/** Minimum number of distinct codes for detecting codes that are numbered by first use. */
const MIN_DISTINCT_CODES = 6;

/**
 * Returns whether character codes form a text in ASCII or Latin-1, and are not arbitrary numbers of a
 * producer.
 */
export function readsLikeText(codes: readonly number[]): boolean {
  if (!arePrintable(codes)) return false;
  const shown = withoutSpaces(codes);
  const text = codes.map((code) => String.fromCharCode(code)).join('');
  const letters = text.toLowerCase().match(/\p{L}/gu)?.length ?? 0;
  const digits = text.match(/\d/g)?.length ?? 0;
  if (letters + digits < MIN_ALPHANUMERIC_SHARE * shown.length) return false;
  if (letters < MIN_LETTERS) return true;
  const common = text.toLowerCase().match(COMMON_LETTERS)?.length ?? 0;
  return common >= MIN_COMMON_SHARE * letters || detectLanguage(text) !== undefined;
}

const withoutSpaces = (codes: readonly number[]) => codes.filter((code) => !isSpace(code) || code < 0x20);

/** Returns whether nearly all codes are printable characters and are not numbered by first use. */
function arePrintable(codes: readonly number[]): boolean {
  const shown = withoutSpaces(codes);
  const printable = shown.filter((code) => (code > 0x20 && code < 0x7f) || (code >= 0xc0 && code <= 0xff));
  return printable.length >= MIN_PRINTABLE_SHARE * shown.length && !areNumberedByFirstUse(shown);
}

/**
 * Returns whether each new code is one higher than the previous new code. Font subsets number glyphs this way
 * when they are first used.
 */
function areNumberedByFirstUse(codes: readonly number[]): boolean {
  const seen = new Set<number>();
  let last: number | undefined;
  let next = 0;
  for (const code of codes) {
    if (seen.has(code)) continue;
    seen.add(code);
    if (last !== undefined && code === last + 1) next++;
    last = code;
  }
  return seen.size >= MIN_DISTINCT_CODES && next >= 0.8 * (seen.size - 1);
}

/** Returns whether a character draws something visible. A very thin line does not count. */
function hasInk({ x0, y0, x1, y1 }: Rect): boolean {
  const [width, height] = [x1 - x0, y1 - y0];
  return Math.max(width, height) > MIN_INK && Math.min(width, height) >= MIN_INK / 10;
}

interface Visibility {
  /** Part of the page on which the glyphs can be seen. Undefined for invisible text. */
  visibleArea: Rect | undefined;
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
  // OCR software paints the recognized text invisibly over the scan.
  const isInvisible = alpha === 0 || INVISIBLE_MODES.has(raw.FPDFTextObj_GetTextRenderMode(text.object));
  if (isInvisible) return { visibleArea: undefined, white };
  const clip = readClip(engine, frame, text, budget);
  return { visibleArea: clip ? intersect(page, clip) : page, white };
}

/**
 * Number of clip path segments that may still be read for a page. Many objects may have the same long path.
 */
interface ClipBudget {
  segments: number;
}

/**
 * Returns the bounds of the visible part of an object. Returns `undefined` if the object is not clipped, or
 * if the budget is used up; the object then counts as visible.
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
    left = left ? (intersect(left, rect) ?? EMPTY_RECT) : rect;
  }
  return left;
}

const EMPTY_RECT: Rect = { x0: -2, y0: -2, x1: -1, y1: -1 };
const WHITE = 250;
const MAX_CLIP_PATHS = 64;
const MAX_CLIP_SEGMENTS = 10_000;
/** Maximum number of clip path segments of all text on a page. */
const MAX_PAGE_SEGMENTS = 2_000_000;

/** Maximum share of drawn characters without a Unicode value. A page with more is read by OCR. */
const MAX_MISSING_SHARE = 0.05;

/**
 * Counts the drawn characters of a page. `isDrawn` returns whether a word or glyph is visible to a reader.
 */
export function countGlyphs(
  words: readonly TextWord[],
  unmapped: readonly UnmappedGlyph[],
  isDrawn: (part: Rect & { white: boolean }) => boolean,
): GlyphCounts {
  const withoutUnicode = unmapped.filter(isDrawn).length;
  let extracted = 0;
  for (const word of words) {
    if (!word.hidden && isDrawn(word)) extracted += countCharacters(word.text) - (word.unmapped ?? 0);
  }
  extracted = Math.max(0, extracted);
  return { drawn: extracted + withoutUnicode, extracted, withoutUnicode };
}

/** Returns whether a page needs OCR because too many drawn characters have no Unicode value. */
export const lacksText = ({ drawn, withoutUnicode }: GlyphCounts): boolean =>
  withoutUnicode > MAX_MISSING_SHARE * drawn;
