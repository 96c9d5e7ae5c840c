import type { Recognition } from './recognition.ts';
import { spacedRuns } from './text/spaced-runs.ts';
import { canJoin, joinOf, type TokenIndex } from './text/token-index.ts';
import type { Token } from './text/tokens.ts';

/** How a token of one text is found in another. */
export type Support = 'as it is' | 'otherwise' | 'not at all';

/** For each token of a text, whether another text holds it. */
export function supportOf(tokens: readonly Token[], other: TokenIndex, recognition?: Recognition): Support[] {
  const support = tokens.map((token, index): Support => {
    if (token.kind === 'unspaced') return unspaced(tokens, index, other);
    if (other.has(token)) return 'as it is';
    return isWrittenOtherwise(token, other) || recognition?.mayMean(token) ? 'otherwise' : 'not at all';
  });
  markSpaced(tokens, other, support);
  for (let index = 0; index < tokens.length; index++) {
    if (isPartOfNumber(tokens, index, other)) support[index] = support[index - 1] = 'otherwise';
    else if (support[index] === 'not at all') joinInto(tokens, index, other, support);
  }
  return support;
}

/** A sign of a script without blanks is known by its neighbours, where it has any: alone it stands on any page. */
function unspaced(tokens: readonly Token[], index: number, other: TokenIndex): Support {
  const token = tokens[index]!;
  if (!other.has(token)) return 'not at all';
  const before = tokens[index - 1];
  const after = tokens[index + 1];
  const hasBefore = before?.kind === 'unspaced' && token.isTouching;
  const hasAfter = after?.kind === 'unspaced' && after.isTouching;
  if (!hasBefore && !hasAfter) return 'as it is';
  const isNear = (hasBefore && other.hasPair(before, token)) || (hasAfter && other.hasPair(token, after));
  return isNear ? 'as it is' : 'not at all';
}

function isWrittenOtherwise(token: Token, other: TokenIndex): boolean {
  // The digits alone would let a decimal point stand anywhere.
  if (token.kind === 'number') return other.hasJoined(token.letters);
  return other.hasLetters(token.letters) || other.hasRun(token.letters) || other.hasSpaced(token.letters);
}

/** "40 000" for "40,000" and "note 12" for "note12", though the other text has the parts somewhere too. */
function isPartOfNumber(tokens: readonly Token[], index: number, other: TokenIndex): boolean {
  const [left, right] = [tokens[index - 1], tokens[index]!];
  if (!left || (left.kind !== 'number' && right.kind !== 'number')) return false;
  if (left.kind === 'unspaced' || right.kind === 'unspaced' || !canJoin(left, right)) return false;
  return !other.hasPair(left, right) && other.hasLetters(joinOf([left, right]));
}

/** Tokens that give one of the other text when put together. */
function joinInto(tokens: readonly Token[], index: number, other: TokenIndex, support: Support[]) {
  for (let first = Math.max(0, index - 2); first <= index; first++) {
    for (let end = first + 1; end < tokens.length && end < first + 3; end++) {
      if (!canJoin(tokens[end - 1]!, tokens[end]!)) break;
      if (end < index || !other.hasLetters(joinOf(tokens.slice(first, end + 1)))) continue;
      for (let at = first; at <= end; at++) if (support[at] === 'not at all') support[at] = 'otherwise';
      return;
    }
  }
}

/** A word of so many letters is known without the blanks between them. */
const PIECE = 5;

/** Letters of words that are set with a blank after each: as letters they stand in any text. */
function markSpaced(tokens: readonly Token[], other: TokenIndex, support: Support[]) {
  for (const { first, end, letters } of spacedRuns(tokens)) {
    if (other.hasLetters(letters)) support.fill('otherwise', first, end);
    for (let at = 0; at + PIECE <= letters.length; at++) {
      if (other.hasRun(letters.slice(at, at + PIECE))) {
        support.fill('otherwise', first + at, first + at + PIECE);
      }
    }
  }
}
