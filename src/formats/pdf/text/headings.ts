import { largest } from '#src/lib/extremes.ts';
import type { BlockContext } from './blocks.ts';
import { findOutlineDepth, hasMostlyLetters } from './heading-styles.ts';
import type { Line } from './lines.ts';

const MAX_LINES = 4;
const MAX_LENGTH = 220;
const MAX_BOLD_LINES = 2;
const MAX_BOLD_LENGTH = 120;
/** Maximum length of a heading that reads like a sentence, if its letters are only a little larger. */
const MAX_SENTENCE_LENGTH = 80;
const SENTENCE_END = /[.!?;,。！？]["'”’)\]]?$/u;
const MID_SENTENCE_END = /[\p{Ll},\-–]$/u;
const ADDRESS = /^(?:(?:https?:\/\/|www\.|file:)\S+|[^\s@]+@[^\s@]+)$/;
const CAPTION = /^(?:fig(?:ure|\.)?|table|abb(?:ildung|\.)|tab(?:elle|\.))\s?\d/i;

export const countLetters = (line: Line) => line.words.reduce((sum, word) => sum + word.text.length, 0);
export const isBold = (line: Line) =>
  line.words.reduce((sum, word) => sum + (word.style.bold ? word.text.length : 0), 0) >
  countLetters(line) * 0.8;

/**
 * Returns the level of a heading, or `undefined` for other text. `before` is the text of the block above in the
 * same column, and `following` is the first line of the block below.
 */
export function findHeadingLevel(
  lines: readonly Line[],
  text: string,
  context: BlockContext,
  following: Line | undefined,
  before: string,
): number | undefined {
  if (lines.length > MAX_LINES || text.length > MAX_LENGTH || !/\p{L}/u.test(text)) return undefined;
  const outlined = context.headingStyles.findOutlinedLevel(findOutlineDepth(context.outline, text));
  if (outlined !== undefined) return outlined;
  const size = largest(lines.map((line) => line.size));
  const ratio = size / context.bodySize;
  const isAllBold = lines.every(isBold);
  const leastBold = 0.94 * Math.min(context.bodySize, following?.size ?? Number.POSITIVE_INFINITY);
  if (ratio < 1.12 && !(following && size > leastBold && isAllBold)) return undefined;
  if (!canBeHeading(text, ratio, before)) return undefined;
  if (ratio < 1.12) {
    const isShort = lines.length <= MAX_BOLD_LINES && text.length <= MAX_BOLD_LENGTH;
    if (!isShort || /[.,;]$/.test(text) || !hasMostlyLetters(text)) return undefined;
  }
  return context.headingStyles.findLevel(text, size, isAllBold);
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
