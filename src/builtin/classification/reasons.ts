import type { WordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import type { ClassifyDocument } from '#src/classification/document.ts';
import { type DocumentTerm, getSignificance, type ReadDocument } from './read-document.ts';
import type { ReadRule } from './read-rules.ts';

/** Minimum similarity in meaning, from 0 to 1, at which a word of the document is shown as a reason. */
const MIN_SHOWN_LIKENESS = 0.45;
/**
 * Matches the word that follows a quoted word. At most `MAX_NEXT_WORD_DISTANCE` characters are searched for
 * it.
 */
const NEXT_WORD = /^[ -]([\p{L}\p{M}\p{N}]+)/u;
const MAX_NEXT_WORD_DISTANCE = 60;
const MAX_QUOTE_WORDS = 5;
const MAX_OCCURRENCES = 20;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/**
 * Describes the words of the document that support a rule, the most important first, as they are printed and
 * with their page. These are words that the rule contains, and words with a meaning similar to one of its
 * words.
 */
export function describeReasons(
  rule: ReadRule,
  document: ReadDocument,
  { pages }: ClassifyDocument,
  vectors: WordVectors,
  limit: number,
): string {
  const shared = rule.ruleTerms.flatMap(({ key, weight }) => {
    const found = document.get(key);
    return found ? [{ found, weight: weight * getSignificance(found) }] : [];
  });
  const same = quoteReasons(shared, pages, limit);
  const near =
    same.length < limit
      ? quoteReasons(findSimilarTerms(rule, document, vectors), pages, limit - same.length)
      : [];
  const descriptions = [same.join(', '), near.length > 0 ? `similar in meaning: ${near.join(', ')}` : ''];
  return descriptions.filter((part) => part !== '').join('; ') || 'a similar overall meaning';
}

interface Reason {
  found: DocumentTerm;
  weight: number;
}

function findSimilarTerms({ ruleTerms }: ReadRule, document: ReadDocument, vectors: WordVectors): Reason[] {
  const keys = new Set(ruleTerms.map(({ key }) => key));
  const candidates = [...document.values()]
    .filter(({ key, meaning }) => meaning && !keys.has(key))
    .sort((left, right) => getSignificance(right) - getSignificance(left))
    .slice(0, 100);
  return candidates.flatMap((found) => {
    let likeness = 0;
    for (const { meaning, weight } of ruleTerms) {
      if (!meaning) continue;
      const near = vectors.likeness(meaning.vector, found.meaning!.vector) * meaning.certainty * weight;
      likeness = Math.max(likeness, near);
    }
    likeness *= found.meaning!.certainty;
    return likeness > MIN_SHOWN_LIKENESS ? [{ found, weight: likeness * getSignificance(found) }] : [];
  });
}

function quoteReasons(reasons: Reason[], pages: ClassifyDocument['pages'], limit: number): string[] {
  const sorted = reasons.sort((left, right) => right.weight - left.weight).map(({ found }) => found.word);
  const quotable = new Set(sorted);
  const quoted = new Set<string>();
  const texts: string[] = [];
  for (const word of sorted) {
    if (texts.length >= limit) break;
    if (quoted.has(word)) continue;
    const place = findQuote(word, pages, quotable);
    for (const each of place?.words ?? [word]) quoted.add(each);
    // A word that comes from the file's name or layout is on no page, so no page number is given.
    texts.push(place ? `"${place.text}" on page ${place.page}` : `"${word}"`);
  }
  return texts;
}

interface Quote {
  text: string;
  words: string[];
  /** Page number, starting at 1. */
  page: number;
}

/**
 * Finds a word on the first page that contains it. Among its occurrences there, the one followed by the most
 * other reasons is quoted.
 */
function findQuote(word: string, pages: ClassifyDocument['pages'], quotable: Set<string>): Quote | undefined {
  for (const { text, index } of pages) {
    const lower = text.toLowerCase();
    let best: Quote | undefined;
    let looks = 0;
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
      const end = at + word.length;
      if (LETTER.test(text[at - 1] ?? '') || LETTER.test(text[end] ?? '')) continue;
      const quote = extendQuote(text, lower, at, word, quotable);
      if (quote.words.length > (best?.words.length ?? 0)) best = { ...quote, page: index + 1 };
      if (++looks === MAX_OCCURRENCES) break;
    }
    if (best) return best;
  }
  return undefined;
}

function extendQuote(text: string, lower: string, at: number, word: string, quotable: Set<string>) {
  let end = at + word.length;
  const words = [word];
  while (words.length < MAX_QUOTE_WORDS) {
    const next = NEXT_WORD.exec(lower.slice(end, end + MAX_NEXT_WORD_DISTANCE));
    if (!next || !quotable.has(next[1]!)) break;
    words.push(next[1]!);
    end += next[0].length;
  }
  return { text: text.slice(at, end), words };
}
