import type { OcrConfusions } from './ocr-confusions.ts';
import { findSpacedRuns } from './text/spaced-runs.ts';
import { canJoin, joinTokens, type TokenIndex } from './text/token-index.ts';
import type { Token } from './text/tokens.ts';

/**
 * How a token of one text occurs in another text: in the same spelling (`exact`), in another spelling
 * (`variant`), or not at all (`absent`).
 */
export type Support = 'exact' | 'variant' | 'absent';

/** Returns, for each token of a text, how it occurs in another text. */
export function findSupport(
  tokens: readonly Token[],
  other: TokenIndex,
  recognition?: OcrConfusions,
): Support[] {
  const support = tokens.map((token, index): Support => {
    if (token.kind === 'unspaced') return findUnspacedSupport(tokens, index, other);
    if (other.has(token)) return 'exact';
    return isVariantPresent(token, other) || recognition?.isPossibleMisreading(token) ? 'variant' : 'absent';
  });
  markSpaced(tokens, other, support);
  for (let index = 0; index < tokens.length; index++) {
    if (isPartOfNumber(tokens, index, other)) support[index] = support[index - 1] = 'variant';
    else if (support[index] === 'absent') markJoined(tokens, index, other, support);
  }
  return support;
}

/**
 * Returns how a character of a script without spaces occurs in the other text. A neighbour must match too,
 * because a single character occurs on most pages.
 */
function findUnspacedSupport(tokens: readonly Token[], index: number, other: TokenIndex): Support {
  const token = tokens[index]!;
  if (!other.has(token)) return 'absent';
  const before = tokens[index - 1];
  const after = tokens[index + 1];
  const hasBefore = before?.kind === 'unspaced' && token.isTouching;
  const hasAfter = after?.kind === 'unspaced' && after.isTouching;
  if (!hasBefore && !hasAfter) return 'exact';
  const isNear = (hasBefore && other.hasPair(before, token)) || (hasAfter && other.hasPair(token, after));
  return isNear ? 'exact' : 'absent';
}

function isVariantPresent(token: Token, other: TokenIndex): boolean {
  // Numbers are only compared with joined numbers. Comparing digits alone would accept a decimal point in any
  // position.
  if (token.kind === 'number') return other.hasJoined(token.letters);
  return other.hasLetters(token.letters) || other.hasRun(token.letters) || other.hasSpaced(token.letters);
}

/**
 * Returns whether two tokens are one token in the other text, such as "40 000" for "40,000" or "note 12" for
 * "note12". The other text may also contain the parts elsewhere.
 */
function isPartOfNumber(tokens: readonly Token[], index: number, other: TokenIndex): boolean {
  const [left, right] = [tokens[index - 1], tokens[index]!];
  if (!left || (left.kind !== 'number' && right.kind !== 'number')) return false;
  if (left.kind === 'unspaced' || right.kind === 'unspaced' || !canJoin(left, right)) return false;
  return !other.hasPair(left, right) && other.hasLetters(joinTokens([left, right]));
}

/** Marks consecutive tokens as supported if, joined, they are one token of the other text. */
function markJoined(tokens: readonly Token[], index: number, other: TokenIndex, support: Support[]) {
  for (let first = Math.max(0, index - 2); first <= index; first++) {
    for (let end = first + 1; end < tokens.length && end < first + 3; end++) {
      if (!canJoin(tokens[end - 1]!, tokens[end]!)) break;
      if (end < index || !other.hasLetters(joinTokens(tokens.slice(first, end + 1)))) continue;
      for (let at = first; at <= end; at++) if (support[at] === 'absent') support[at] = 'variant';
      return;
    }
  }
}

/** Minimum number of letters of words that are recognized regardless of spaces. */
const PIECE_LETTERS = 5;

/**
 * Marks the letters of letter-spaced words as supported if the other text contains the words. As single
 * letters they would occur in any text.
 */
function markSpaced(tokens: readonly Token[], other: TokenIndex, support: Support[]) {
  for (const { first, end, letters } of findSpacedRuns(tokens)) {
    if (other.hasLetters(letters)) support.fill('variant', first, end);
    for (let at = 0; at + PIECE_LETTERS <= letters.length; at++) {
      if (other.hasRun(letters.slice(at, at + PIECE_LETTERS))) {
        support.fill('variant', first + at, first + at + PIECE_LETTERS);
      }
    }
  }
}
