import type { Face } from './font-programs.ts';
import type { Fonts, SetGlyph } from './fonts.ts';

/** Glyphs from left to right. */
export type Line = readonly SetGlyph[];

interface Token {
  text: string;
  glyphs: SetGlyph[];
  /** Thousandths of the size. */
  width: number;
}

/** Spaces, characters that a line may break before and after, and words; of a long one a stretch at a time is held. */
const TOKENS =
  /[ \u00a0]{1,500}|[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]|[^ \u00a0\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]{1,500}/gu;
const TO_THE_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const TO_THE_RIGHT = /[\p{L}\p{N}]/u;

/** Breaks a text into lines of at most `width` points: between words, and inside those that are too long. */
export function* breakLines(
  fonts: Fonts,
  text: string,
  face: Face,
  size: number,
  width: number,
): Generator<Line> {
  const limit = (width / size) * 1000;
  const tokenOf = (token: string): Token => {
    const glyphs = fonts.set(token, face);
    return { text: token, glyphs, width: glyphs.reduce((sum, { advance }) => sum + advance, 0) };
  };
  for (const source of text.split('\n')) {
    const startsLeft = directionOf(source) === 'left';
    let line: Token[] = [];
    let used = 0;
    for (const [word] of source.replaceAll('\t', '    ').normalize('NFC').matchAll(TOKENS)) {
      for (const token of fitting(tokenOf, word, limit)) {
        const isSpace = /^[ \u00a0]/.test(token.text);
        if (used + token.width > limit && line.length > 0) {
          yield visual(line, startsLeft);
          line = [];
          used = 0;
          if (isSpace) continue;
        }
        line.push(token);
        used += token.width;
      }
    }
    yield visual(line, startsLeft);
  }
}

/** A word in as many pieces as its length takes. */
function fitting(tokenOf: (text: string) => Token, word: string, limit: number): Token[] {
  const whole = tokenOf(word);
  if (whole.width <= limit) return [whole];
  const characters = [...word];
  const size = Math.max(1, Math.floor((characters.length * limit) / whole.width) - 1);
  if (size >= characters.length) return [whole];
  const pieces: Token[] = [];
  for (let at = 0; at < characters.length; at += size) {
    pieces.push(tokenOf(characters.slice(at, at + size).join('')));
  }
  return pieces;
}

type Direction = 'left' | 'right' | undefined;

/** Where a text runs to by its first letter or digit that says so. */
function directionOf(text: string): Direction {
  for (const character of text) {
    if (TO_THE_LEFT.test(character)) return 'left';
    if (TO_THE_RIGHT.test(character)) return 'right';
  }
  return undefined;
}

/** Words in the order in which they stand on paper, where some are of scripts that run to the left. */
function visual(tokens: readonly Token[], startsLeft: boolean): Line {
  const own = tokens.map(({ text }) => directionOf(text));
  if (!own.includes('left')) return tokens.flatMap(({ glyphs }) => glyphs);
  const base: Direction = startsLeft ? 'left' : 'right';
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
  const shown = startsLeft ? runs.reverse() : runs;
  return shown.flatMap((run) =>
    (run.direction === 'left' ? run.tokens.reverse() : run.tokens).flatMap(({ glyphs }) => glyphs),
  );
}

/** Points. */
export const widthOf = (line: Line, size: number): number =>
  (line.reduce((sum, { advance }) => sum + advance, 0) / 1000) * size;
