import { detectLanguage } from '#src/languages/detect.ts';
import { type AnswerKind, interrogatives } from '#src/languages/interrogatives.ts';
import { createFinder } from './find-pieces.ts';

/** Kinds in the order in which they are tested: "hvor mange" asks for a number, and "hvor" for a place. */
const KINDS: readonly AnswerKind[] = ['number', 'time', 'person', 'place'];
/** Scripts without spaces between words. A question word may then stand between other letters. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;
const WORD = /[\p{L}\p{M}\p{N}'’-]+/gu;

/**
 * Returns a test for sentences that contain something of the kind that the question asks for and that is not in
 * the question. Returns `undefined` if no question word names a kind, or if the language does not mark that
 * kind. `language` is the language of the passages, if it is known.
 */
export function findAnswerTest(
  question: string,
  language: string | undefined,
): ((sentence: string) => boolean) | undefined {
  const lower = question.normalize('NFC').toLowerCase();
  for (const code of [language, detectLanguage(question)]) {
    const kind = findKind(lower, code ?? '');
    if (!kind) continue;
    const find = createFinder(kind, code ?? '');
    if (!find) return undefined;
    const known = new Set([...find(lower), ...find(question), ...(lower.match(WORD) ?? [])].map(toLower));
    return (sentence) => find(sentence).some((piece) => !known.has(toLower(piece)));
  }
  return undefined;
}

/** Returns the kind that a question in lower case asks for, or `undefined` if no question word names one. */
export function findKind(question: string, language: string): AnswerKind | undefined {
  const words = interrogatives.get(language);
  return words && KINDS.find((each) => words[each].some((word) => containsWord(question, word)));
}

const toLower = (text: string) => text.toLowerCase();

function containsWord(text: string, word: string): boolean {
  const isFree = (index: number) => !LETTER.test(text[index] ?? ' ');
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (UNSPACED.test(word) || (isFree(at - 1) && isFree(at + word.length))) return true;
  }
  return false;
}
