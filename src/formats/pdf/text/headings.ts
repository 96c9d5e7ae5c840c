import { largest } from '#src/lib/extremes.ts';
import type { BlockContext } from './blocks.ts';
import type { Line } from './lines.ts';

const MAX_LINES = 4;
const MAX_LENGTH = 220;
const MAX_BOLD_LINES = 2;
const MAX_BOLD_LENGTH = 120;
/** Maximum length of a heading that reads like a sentence, if its letters are only a little larger. */
const MAX_SENTENCE_LENGTH = 80;
const NUMBERED_HEADING = /^(\d{1,2}(?:\.\d{1,2})*)\.?\s+\p{Lu}/u;
const SENTENCE_END = /[.!?;,。！？]["'”’)\]]?$/u;
const MID_SENTENCE_END = /[\p{Ll},\-–]$/u;
const ADDRESS = /^(?:(?:https?:\/\/|www\.|file:)\S+|[^\s@]+@[^\s@]+)$/;
const CAPTION = /^(?:fig(?:ure|\.)?|table|abb(?:ildung|\.)|tab(?:elle|\.))\s?\d/i;

export const outlineKey = (text: string) => text.replace(/\s+/g, '').toLowerCase();

export const countLetters = (line: Line) => line.words.reduce((sum, word) => sum + word.text.length, 0);
export const isBold = (line: Line) =>
  line.words.reduce((sum, word) => sum + (word.style.bold ? word.text.length : 0), 0) >
  countLetters(line) * 0.8;

/**
 * Returns the level of a heading, or `undefined` for other text. `before` is the text of the block above in the
 * same column. `isFollowed` tells whether another block follows.
 */
export function findHeadingLevel(
  lines: readonly Line[],
  text: string,
  context: BlockContext,
  isFollowed: boolean,
  before: string,
): number | undefined {
  if (lines.length > MAX_LINES || text.length > MAX_LENGTH || !/\p{L}/u.test(text)) return undefined;
  const outlined = context.outline.get(outlineKey(text));
  if (outlined !== undefined) return Math.min(6, outlined);
  const ratio = largest(lines.map((line) => line.size)) / context.bodySize;
  if (ratio < 1.12 && !(ratio > 0.94 && isFollowed && lines.every(isBold))) return undefined;
  if (!canBeHeading(text, ratio, before)) return undefined;
  if (ratio >= 1.7) return 1;
  if (ratio >= 1.35) return 2;
  const numbered = NUMBERED_HEADING.exec(text);
  const depth = numbered ? Math.min(6, numbered[1]!.split('.').length + 1) : undefined;
  if (ratio >= 1.12) return depth ?? 3;
  const isShort = lines.length <= MAX_BOLD_LINES && text.length <= MAX_BOLD_LENGTH;
  return isShort && !/[.,;]$/.test(text) ? (depth ?? 4) : undefined;
}

/** Returns whether the words of a text, and the text before it, allow that it is a heading. */
function canBeHeading(text: string, ratio: number, before: string): boolean {
  const startsLow = /^["“‘'(]?\p{Ll}{2}/u.test(text);
  if (startsLow && MID_SENTENCE_END.test(before.slice(-1))) return false;
  if (CAPTION.test(text) || ADDRESS.test(text)) return false;
  if (ratio >= 1.7) return true;
  if (startsLow && ratio < 1.35) return false;
  return ratio >= 1.35 || text.length <= MAX_SENTENCE_LENGTH || !SENTENCE_END.test(text);
}
