import { detectLanguage } from '#src/languages/detect.ts';
import type { Support } from './support.ts';
import type { TokenIndex } from './text/token-index.ts';
import type { Token } from './text/tokens.ts';

/** Shorter stretches are judged word by word. */
const SHORTEST = 4;
/** A stretch with fewer of its words on the page, or fewer in the page's order, is not the page's. */
const LEAST_WORDS = 0.6;
const LEAST_PAIRS = 0.3;
/** As many words show a language. */
const SHOWS_LANGUAGE = 8;

export interface Invented {
  first: number;
  end: number;
  kind: 'text' | 'language';
}

/** Sentences, lines and cells that the page does not say, though it may use some of their words. */
export function inventedIn(
  text: string,
  tokens: readonly Token[],
  support: readonly Support[],
  page: TokenIndex,
  pageLanguage: string | undefined,
): Invented[] {
  const invented: Invented[] = [];
  for (const [first, end] of sentencesOf(text, tokens)) {
    if (!isInvented(tokens, support, page, first, end)) continue;
    const last = invented.at(-1);
    if (last?.end === first) last.end = end;
    else invented.push({ first, end, kind: 'text' });
  }
  for (const stretch of invented) {
    if (stretch.end - stretch.first < SHOWS_LANGUAGE || pageLanguage === undefined) continue;
    const said = text.slice(tokens[stretch.first]!.start, tokens[stretch.end - 1]!.end);
    const language = detectLanguage(said);
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
    if (support[index] !== 'not at all') found++;
    if (index + 1 >= end || tokens[index + 1]!.kind === 'number') continue;
    pairs++;
    const isKnown = support[index] === 'otherwise' || support[index + 1] === 'otherwise';
    if (isKnown || isBeside(tokens[index]!, tokens[index + 1]!, page)) paired++;
  }
  if (words < SHORTEST) return false;
  return found < words * LEAST_WORDS || paired < pairs * LEAST_PAIRS;
}

/** Also where the page sets no blank between the two, or one within them. */
const isBeside = (left: Token, right: Token, page: TokenIndex) =>
  page.hasPair(left, right) || page.hasRun(left.letters + right.letters);

/** First token and the one after the last of each. */
function* sentencesOf(text: string, tokens: readonly Token[]): Generator<[number, number]> {
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
