import { detectLanguage } from '#src/languages/detect.ts';
import type { Support } from './support.ts';
import type { TokenIndex } from './text/token-index.ts';
import type { Token } from './text/tokens.ts';

/**
 * Minimum number of words of a passage that is judged as a whole. Shorter passages are judged word by word.
 */
const MIN_WORDS = 4;
/**
 * Minimum share, from 0 to 1, of a passage's words that the page must contain. `MIN_PAIR_SHARE` is the
 * minimum share of its pairs of neighbouring words.
 */
const MIN_WORD_SHARE = 0.6;
const MIN_PAIR_SHARE = 0.3;
const MIN_LANGUAGE_WORDS = 8;

export interface Invented {
  first: number;
  end: number;
  kind: 'text' | 'language';
}

/**
 * Returns the sentences, lines and cells of the output that the page does not contain. The page may contain
 * some of their words.
 */
export function findInvented(
  text: string,
  tokens: readonly Token[],
  support: readonly Support[],
  page: TokenIndex,
  pageLanguage: string | undefined,
): Invented[] {
  const invented: Invented[] = [];
  for (const [first, end] of splitIntoSentences(text, tokens)) {
    if (!isInvented(tokens, support, page, first, end)) continue;
    const last = invented.at(-1);
    if (last?.end === first) last.end = end;
    else invented.push({ first, end, kind: 'text' });
  }
  for (const stretch of invented) {
    if (stretch.end - stretch.first < MIN_LANGUAGE_WORDS || pageLanguage === undefined) continue;
    const stretchText = text.slice(tokens[stretch.first]!.start, tokens[stretch.end - 1]!.end);
    const language = detectLanguage(stretchText);
    if (language !== undefined && language !== pageLanguage) stretch.kind = 'language';
  }
  return invented;
}

function isInvented(
  tokens: readonly Token[],
  support: readonly Support[],
  page: TokenIndex,
  first: number,
  end: number,
): boolean {
  let words = 0;
  let found = 0;
  let pairs = 0;
  let paired = 0;
  for (let index = first; index < end; index++) {
    if (tokens[index]!.kind === 'number') continue;
    words++;
    if (support[index] !== 'absent') found++;
    if (index + 1 >= end || tokens[index + 1]!.kind === 'number') continue;
    pairs++;
    const isKnown = support[index] === 'variant' || support[index + 1] === 'variant';
    if (isKnown || areNeighbours(tokens[index]!, tokens[index + 1]!, page)) paired++;
  }
  if (words < MIN_WORDS) return false;
  return found < words * MIN_WORD_SHARE || paired < pairs * MIN_PAIR_SHARE;
}

/**
 * Returns whether two words are neighbours on the page, regardless of the spaces that the page puts between
 * or inside them.
 */
const areNeighbours = (left: Token, right: Token, page: TokenIndex) =>
  page.hasPair(left, right) || page.hasRun(left.letters + right.letters);

/**
 * Yields the sentences of a text. Each sentence is the index of its first token and the index after its last
 * token.
 */
function* splitIntoSentences(text: string, tokens: readonly Token[]): Generator<[number, number]> {
  let first = 0;
  for (let index = 1; index <= tokens.length; index++) {
    const token = tokens[index];
    const isEnd = !token || token.isFirst || endsSentence(text, tokens[index - 1]!.end, token.start);
    if (!isEnd) continue;
    yield [first, index];
    first = index;
  }
}

const endsSentence = (text: string, from: number, to: number) =>
  /[.!?:;。！？：；।؟]\s|[。！？]/.test(text.slice(from, Math.min(to, from + 20)));
