import type { Face } from './font-programs.ts';
import type { Fonts, PdfGlyph } from './fonts.ts';

/** Glyphs of one line of text, in visual order from left to right. */
export type Line = readonly PdfGlyph[];

interface Token {
  text: string;
  glyphs: PdfGlyph[];
  /** Width of the token, in thousandths of the font size. */
  width: number;
}

/**
 * Matches spaces, words, and single East Asian characters, before and after which a line may break. Long
 * words are matched in pieces to limit memory use.
 */
const TOKENS =
  /[ \u00a0]{1,500}|[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]|[^ \u00a0\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]{1,500}/gu;
const RIGHT_TO_LEFT_LETTER = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const LEFT_TO_RIGHT_CHARACTER = /[\p{L}\p{N}]/u;

/**
 * Breaks text into lines of at most `width` points. Lines break between words. A word that is longer than a
 * line is divided.
 */
export function* breakLines(
  fonts: Fonts,
  text: string,
  face: Face,
  size: number,
  width: number,
): Generator<Line> {
  const limit = (width / size) * 1000;
  const createToken = (token: string): Token => {
    const glyphs = fonts.toGlyphs(token, face);
    return { text: token, glyphs, width: glyphs.reduce((sum, { advance }) => sum + advance, 0) };
  };
  for (const source of text.split('\n')) {
    const isRightToLeft = getDirection(source) === 'rtl';
    let line: Token[] = [];
    let used = 0;
    for (const [word] of source.replaceAll('\t', '    ').normalize('NFC').matchAll(TOKENS)) {
      for (const token of splitToFit(createToken, word, limit)) {
        const isSpace = /^[ \u00a0]/.test(token.text);
        if (used + token.width > limit && line.length > 0) {
          yield toVisualOrder(line, isRightToLeft);
          line = [];
          used = 0;
          if (isSpace) continue;
        }
        line.push(token);
        used += token.width;
      }
    }
    yield toVisualOrder(line, isRightToLeft);
  }
}

function splitToFit(createToken: (text: string) => Token, word: string, limit: number): Token[] {
  const whole = createToken(word);
  if (whole.width <= limit) return [whole];
  const characters = [...word];
  const size = Math.max(1, Math.floor((characters.length * limit) / whole.width) - 1);
  if (size >= characters.length) return [whole];
  const pieces: Token[] = [];
  for (let at = 0; at < characters.length; at += size) {
    pieces.push(createToken(characters.slice(at, at + size).join('')));
  }
  return pieces;
}

type Direction = 'rtl' | 'ltr' | undefined;

/**
 * Returns the writing direction of a text, which its first letter or digit determines. Returns `undefined` if
 * the text has neither.
 */
function getDirection(text: string): Direction {
  for (const character of text) {
    if (RIGHT_TO_LEFT_LETTER.test(character)) return 'rtl';
    if (LEFT_TO_RIGHT_CHARACTER.test(character)) return 'ltr';
  }
  return undefined;
}

/**
 * Returns the glyphs of a line in visual order from left to right. Reorders words in right-to-left scripts.
 */
function toVisualOrder(tokens: readonly Token[], isRightToLeft: boolean): Line {
  const own = tokens.map(({ text }) => getDirection(text));
  if (!own.includes('rtl')) return tokens.flatMap(({ glyphs }) => glyphs);
  const base: Direction = isRightToLeft ? 'rtl' : 'ltr';
  const after: Direction[] = [];
  let next: Direction = base;
  for (let at = tokens.length - 1; at >= 0; at--) {
    after[at] = next;
    next = own[at] ?? next;
  }
  const runs: { direction: Direction; tokens: Token[] }[] = [];
  let before: Direction = base;
  for (const [at, token] of tokens.entries()) {
    const direction = own[at] ?? (before === after[at] ? before : base);
    before = own[at] ?? before;
    const run = runs.at(-1);
    if (run?.direction === direction) run.tokens.push(token);
    else runs.push({ direction, tokens: [token] });
  }
  const shown = isRightToLeft ? runs.reverse() : runs;
  return shown.flatMap((run) =>
    (run.direction === 'rtl' ? run.tokens.reverse() : run.tokens).flatMap(({ glyphs }) => glyphs),
  );
}

export const measureLine = (line: Line, size: number): number =>
  (line.reduce((sum, { advance }) => sum + advance, 0) / 1000) * size;
