import { detectLanguage } from '#src/languages/detect.ts';
import { sentences } from '#src/lib/text/sentences.ts';
import { getConjunctions, standaloneQuestion, tellingWords } from './follow-up.ts';

/** Each is a search of its own. */
export const MOST_PARTS = 3;
/** Below this a clause asks nothing by itself. */
const LEAST_WORDS = 2;
const ASKS = /[?？؟;]["'”’»)\]」』）\s]*$/u;
const CLAUSE = /[,，、،;]\s*/u;
const LONGEST = 1_000;

/**
 * What a question asks when it asks several things: questions side by side, clauses that a comma and a conjunction
 * join, two names joined by one. Each part is complete in itself. One part: the question as it is.
 */
export function questionParts(question: string): string[] {
  const text = question.trim();
  if (text.length > LONGEST) return [question];
  const asked = sentences(text.replaceAll(/([?？؟])(?=\S)/gu, '$1 '));
  const several = asked.filter((sentence) => ASKS.test(sentence));
  if (several.length > 1) return completed(several) ?? [question];
  return completed(clausesOf(text)) ?? comparedIn(text) ?? [question];
}

/** Parts that leave out what those before them say are given it; undefined when fewer than two ask anything. */
function completed(parts: string[]): string[] | undefined {
  const asking = parts.filter((part) => tellingWords(part).length >= LEAST_WORDS || isUnspaced(part));
  if (asking.length < 2 || asking.length < parts.length) return undefined;
  return asking.slice(0, MOST_PARTS).map((_, index) => standaloneQuestion(asking.slice(0, index + 1)));
}

/** Words of these scripts stand without blanks, so that a clause is one. */
const isUnspaced = (text: string) =>
  (text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu)?.length ?? 0) > 3;

/** "When was it built, and who designed the arch?" */
function clausesOf(text: string): string[] {
  const joining = getConjunctions(detectLanguage(text));
  const clauses: string[] = [];
  for (const clause of text.split(CLAUSE)) {
    const [first = ''] = clause.toLowerCase().split(/\s+/u, 1);
    if (clauses.length === 0 || !joining.has(first)) {
      const before = clauses.pop();
      clauses.push(before === undefined ? clause : `${before}, ${clause}`);
    } else clauses.push(clause.slice(first.length).trim());
  }
  return clauses;
}

/** A word between two names of at most five words each. */
const JOINED =
  /(?<=\s)(\p{Lu}[\p{L}\p{M}\p{N}’'-]*(?:\s\p{Lu}[\p{L}\p{M}\p{N}’'-]*){0,4})\s(\p{Ll}{1,5})\s(\p{Lu}[\p{L}\p{M}\p{N}’'-]*(?:\s\p{Lu}[\p{L}\p{M}\p{N}’'-]*){0,4})/u;

/** "Compare the Corran and the Ardgour" is looked for as a whole, and by each of the two. */
function comparedIn(text: string): string[] | undefined {
  const match = JOINED.exec(text);
  if (!match || !getConjunctions(detectLanguage(text)).has(match[2]!)) return undefined;
  const { 0: both, 1: one, 3: other, index } = match;
  const around = (name: string) => text.slice(0, index) + name + text.slice(index + both.length);
  return [text, around(one!), around(other!)];
}
