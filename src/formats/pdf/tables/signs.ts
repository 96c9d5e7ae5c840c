import { union } from '../geometry.ts';
import { type Line, toLine } from '../text/lines.ts';

const CURRENCY = /^\(?(?:[A-Z]{0,3}\p{Sc}|\p{Sc}[A-Z]{0,3})$/u;
const CLOSING = /^[)%]{1,2}$/;
const AMOUNT = /^[(\-−–]?[\d.,]*\d/;
const DASH = /^[-−–—]$/;
const MAX_SIGN_GAP = 8;

/**
 * Joins currency signs with the amount at their right, and percent signs and parentheses with the amount at
 * their left. Financial tables set them apart from the amount. Expects the pieces of one row from left to right.
 */
export function joinAmountSigns(segments: readonly Line[]): Line[] {
  const joined: Line[] = [];
  for (const segment of segments) {
    const before = joined.at(-1);
    const gap = before ? segment.x0 - before.x1 : 0;
    const isNear = before !== undefined && gap < MAX_SIGN_GAP * segment.size;
    const opens =
      isNear && CURRENCY.test(before.text) && (AMOUNT.test(segment.text) || DASH.test(segment.text));
    const closes = isNear && gap < 2 * segment.size && CLOSING.test(segment.text) && /\d$/.test(before.text);
    if (opens || closes) joined[joined.length - 1] = joinPieces(before, segment, closes ? '' : ' ');
    else joined.push(segment);
  }
  return joined;
}

function joinPieces(left: Line, right: Line, separator: string): Line {
  const line = toLine([...left.words, ...right.words], left.row);
  return { ...line, ...union([left, right]), text: left.text + separator + right.text };
}
