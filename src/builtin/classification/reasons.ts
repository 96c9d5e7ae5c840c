import type { WordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import type { ClassifyDocument } from '#src/classification/document.ts';
import { type Found, type ReadDocument, saying } from './read-document.ts';
import type { ReadRule } from './read-rules.ts';

/** Near enough to be shown as a reason. */
const NEAR = 0.45;
/** The word after a quoted one, and how far it is looked for. */
const NEXT = /^[ -]([\p{L}\p{M}\p{N}]+)/u;
const LONGEST = 60;
const MOST_WORDS = 5;
const MOST_LOOKS = 20;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/**
 * The words of the document that speak for a rule, weightiest first, each as it is printed and with its page: those
 * that the rule has too, and those that are near one of the rule's in what they mean.
 */
export function reasonsFor(
  rule: ReadRule,
  document: ReadDocument,
  { pages }: ClassifyDocument,
  vectors: WordVectors,
  most: number,
): string {
  const shared = rule.wanted.flatMap(({ key, weight }) => {
    const found = document.get(key);
    return found ? [{ found, weight: weight * saying(found) }] : [];
  });
  const same = printed(shared, pages, most);
  const near = same.length < most ? printed(nearTo(rule, document, vectors), pages, most - same.length) : [];
  const told = [same.join(', '), near.length > 0 ? `near in meaning ${near.join(', ')}` : ''];
  return told.filter((part) => part !== '').join('; ') || 'what its words mean together';
}

interface Reason {
  found: Found;
  weight: number;
}

function nearTo({ wanted }: ReadRule, document: ReadDocument, vectors: WordVectors): Reason[] {
  const keys = new Set(wanted.map(({ key }) => key));
  const candidates = [...document.values()]
    .filter(({ key, meaning }) => meaning && !keys.has(key))
    .sort((left, right) => saying(right) - saying(left))
    .slice(0, 100);
  return candidates.flatMap((found) => {
    let likeness = 0;
    for (const { meaning, weight } of wanted) {
      if (!meaning) continue;
      const near = vectors.likeness(meaning.vector, found.meaning!.vector) * meaning.sureness * weight;
      likeness = Math.max(likeness, near);
    }
    likeness *= found.meaning!.sureness;
    return likeness > NEAR ? [{ found, weight: likeness * saying(found) }] : [];
  });
}

function printed(reasons: Reason[], pages: ClassifyDocument['pages'], most: number): string[] {
  const sorted = reasons.sort((left, right) => right.weight - left.weight).map(({ found }) => found.word);
  const quotable = new Set(sorted);
  const told = new Set<string>();
  const texts: string[] = [];
  for (const word of sorted) {
    if (texts.length >= most) break;
    if (told.has(word)) continue;
    const place = locate(word, pages, quotable);
    for (const each of place?.words ?? [word]) told.add(each);
    // Words of the file's name and shape stand on no page.
    texts.push(place ? `"${place.text}" on page ${place.page}` : `"${word}"`);
  }
  return texts;
}

interface Quote {
  text: string;
  words: string[];
  /** 1-based. */
  page: number;
}

/** A word as the first page that has it prints it: where most of the words after it are reasons too. */
function locate(word: string, pages: ClassifyDocument['pages'], quotable: Set<string>): Quote | undefined {
  for (const { text, index } of pages) {
    const lower = text.toLowerCase();
    let best: Quote | undefined;
    let looks = 0;
    for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
      const end = at + word.length;
      if (LETTER.test(text[at - 1] ?? '') || LETTER.test(text[end] ?? '')) continue;
      const quote = quoteAt(text, lower, at, word, quotable);
      if (quote.words.length > (best?.words.length ?? 0)) best = { ...quote, page: index + 1 };
      if (++looks === MOST_LOOKS) break;
    }
    if (best) return best;
  }
  return undefined;
}

function quoteAt(text: string, lower: string, at: number, word: string, quotable: Set<string>) {
  let end = at + word.length;
  const words = [word];
  while (words.length < MOST_WORDS) {
    const next = NEXT.exec(lower.slice(end, end + LONGEST));
    if (!next || !quotable.has(next[1]!)) break;
    words.push(next[1]!);
    end += next[0].length;
  }
  return { text: text.slice(at, end), words };
}
