import { detectLanguage } from '#src/languages/detect.ts';
import { sentences } from '#src/lib/text/sentences.ts';
import { buildStandaloneQuestion, getConjunctions, listContentWords } from './follow-up.ts';

/** Maximum number of parts of a question. Each part is searched for separately. */
export const MAX_PARTS = 3;
/** Minimum number of content words in a clause that counts as a separate question. */
const MIN_CONTENT_WORDS = 2;
const QUESTION_END = /[?？؟;]["'”’»)\]」』）\s]*$/u;
const CLAUSE = /[,，、،;]\s*/u;
const MAX_QUESTION_LENGTH = 1_000;

/**
 * Splits a question that asks several things. Splits between questions, at a comma before a conjunction, and
 * between two names that a conjunction joins. Every part can be understood alone. Returns only the unchanged
 * question if there is nothing to split.
 */
export function splitIntoQuestions(question: string): string[] {
  const text = question.trim();
  if (text.length > MAX_QUESTION_LENGTH) return [question];
  const questions = sentences(text.replaceAll(/([?？؟])(?=\S)/gu, '$1 '));
  const several = questions.filter((sentence) => QUESTION_END.test(sentence));
  if (several.length > 1) return completeParts(several) ?? [question];
  return completeParts(splitIntoClauses(text)) ?? splitComparison(text) ?? [question];
}

/**
 * Makes each part understandable alone by adding words of earlier parts where needed. Returns `undefined` if
 * there are fewer than two parts or a part asks nothing.
 */
function completeParts(parts: string[]): string[] | undefined {
  const asking = parts.filter(
    (part) => listContentWords(part).length >= MIN_CONTENT_WORDS || isUnspaced(part),
  );
  if (asking.length < 2 || asking.length < parts.length) return undefined;
  return asking.slice(0, MAX_PARTS).map((_, index) => buildStandaloneQuestion(asking.slice(0, index + 1)));
}

/**
 * Returns whether a text is in a script without spaces. Words cannot be counted there, so such a clause
 * always counts as a question.
 */
const isUnspaced = (text: string) =>
  (text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu)?.length ?? 0) > 3;

/**
 * Splits a question at commas before a conjunction, as in "When was it built, and who designed the arch?".
 */
function splitIntoClauses(text: string): string[] {
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

/** Matches a lower-case word of up to five letters between two names of at most five words each. */
const JOINED_NAMES =
  /(?<=\s)(\p{Lu}[\p{L}\p{M}\p{N}’'-]*(?:\s\p{Lu}[\p{L}\p{M}\p{N}’'-]*){0,4})\s(\p{Ll}{1,5})\s(\p{Lu}[\p{L}\p{M}\p{N}’'-]*(?:\s\p{Lu}[\p{L}\p{M}\p{N}’'-]*){0,4})/u;

/**
 * Splits a comparison such as "Compare the Corran and the Ardgour" into the whole text and one text for each
 * name. Returns `undefined` if no conjunction joins two names.
 */
function splitComparison(text: string): string[] | undefined {
  const match = JOINED_NAMES.exec(text);
  if (!match || !getConjunctions(detectLanguage(text)).has(match[2]!)) return undefined;
  const { 0: both, 1: one, 3: other, index } = match;
  const around = (name: string) => text.slice(0, index) + name + text.slice(index + both.length);
  return [text, around(one!), around(other!)];
}
