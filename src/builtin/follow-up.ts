import { detectLanguage } from '#src/languages/detect.ts';
import { getCommonWords, languages } from '#src/languages/registry.ts';
import { getLanguage, resolveLanguage } from '#src/search/languages.ts';
import { splitIntoWords } from '#src/search/words.ts';

/**
 * Maximum length of a follow-up question in characters. Longer questions are assumed to state their topic
 * themselves.
 */
const MAX_FOLLOW_UP_LENGTH = 200;
/** A question with at most this many content words is too short to search for on its own. */
const FEW_CONTENT_WORDS = 1;
/**
 * Maximum number of content words in a question with a pronoun that still counts as a follow-up to the
 * previous question.
 */
const SEVERAL_CONTENT_WORDS = 3;
/** Maximum number of letters of a follow-up question in a script without spaces. */
const MAX_FOLLOW_UP_LETTERS = 6;
const MAX_CARRIED_WORDS = 12;
const MAX_PREVIOUS_QUESTIONS = 3;
const MAX_WORD_LENGTH = 64;

const entries = Object.entries(languages);
const conjunctions = new Map(entries.map(([code, each]) => [code, parseWordList(each.conjunctions)]));
const pronouns = new Map(entries.map(([code, each]) => [code, parseWordList(each.pronouns)]));
const FOLLOW_UPS = entries.flatMap(([, { followUp }]) => followUp ?? []);

/** Returns the conjunctions that join two questions in a language. Defaults to English. */
export const getConjunctions = (language = 'en'): ReadonlySet<string> =>
  conjunctions.get(language) ?? new Set();

/**
 * Returns the words of a question that carry its content. Stop words, conjunctions and pronouns are left out.
 */
export const listContentWords = (question: string): string[] =>
  findContentWords(question, getLanguageWords(question));

const UNSPACED_LETTER = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/gu;

/**
 * Parses words separated by spaces into a set. Each word is included as written and as `splitIntoWords`
 * returns it.
 */
function parseWordList(list = ''): ReadonlySet<string> {
  const all = list.split(' ').filter((word) => word !== '');
  return new Set(all.flatMap((word) => [word, splitIntoWords(word).join(' ')]));
}

const startsLikeFollowUp = (question: string): boolean =>
  FOLLOW_UPS.some((pattern) => pattern.test(question));

/**
 * Returns the text to search for, given all questions of a conversation in order. If the last question is too
 * short or refers back, the content words of the previous questions are appended.
 */
export function buildStandaloneQuestion(questions: readonly string[]): string {
  const last = questions.at(-1) ?? '';
  const carried: string[] = [];
  for (let at = questions.length - 1; at > 0 && questions.length - at <= MAX_PREVIOUS_QUESTIONS; at -= 1) {
    const [before, question] = [questions[at - 1]!, questions[at]!];
    if (!isFollowUp(question, before)) break;
    for (const each of findContentWords(before, getLanguageWords(before))) carried.push(each);
  }
  const known = new Set(splitIntoWords(last));
  const added = [...new Set(carried)]
    .filter((word) => !splitIntoWords(word).every((each) => known.has(each)))
    .slice(0, MAX_CARRIED_WORDS);
  return added.length === 0 ? last : `${last} ${added.join(' ')}`;
}

interface LanguageWords {
  joiningWords: ReadonlySet<string> | undefined;
  pointingWords: ReadonlySet<string> | undefined;
  /** Words that carry no content, such as stop words. */
  ignored: ReadonlySet<string>;
}

/**
 * Returns the conjunctions, pronouns and other words without content of a question's language. If the
 * question is too short to detect its language, the previous question is used too.
 */
function getLanguageWords(question: string, before = ''): LanguageWords {
  const both = `${before.slice(-MAX_FOLLOW_UP_LENGTH)}\n${question}`;
  const code = detectLanguage(question) ?? detectLanguage(both) ?? resolveLanguage(undefined, both);
  const joiningWords = conjunctions.get(code);
  const pointingWords = pronouns.get(code);
  const { stopWords } = getLanguage(resolveLanguage(code, both));
  const ignored = new Set([
    ...stopWords,
    ...getCommonWords(code),
    ...(joiningWords ?? []),
    ...(pointingWords ?? []),
  ]);
  return { joiningWords, pointingWords, ignored };
}

function isFollowUp(question: string, before: string): boolean {
  const trimmed = question.trim();
  if (trimmed.length > MAX_FOLLOW_UP_LENGTH) return false;
  const letters = trimmed.match(UNSPACED_LETTER)?.length ?? 0;
  if (letters > 0) return letters <= MAX_FOLLOW_UP_LETTERS || startsLikeFollowUp(trimmed);
  const reading = getLanguageWords(trimmed, before);
  const { joiningWords, pointingWords } = reading;
  const contentWordCount = findContentWords(trimmed, reading).length;
  const all = splitIntoWords(trimmed);
  const [first = ''] = all;
  if (
    contentWordCount <= FEW_CONTENT_WORDS ||
    startsLikeFollowUp(trimmed) ||
    joiningWords?.has(first) ||
    pointingWords?.has(first)
  )
    return true;
  return contentWordCount <= SEVERAL_CONTENT_WORDS && all.some((word) => pointingWords?.has(word));
}

/**
 * Returns the content words of a text as written. In scripts without spaces, each uninterrupted run of
 * letters is returned as one word.
 */
function findContentWords(text: string, { ignored }: LanguageWords): string[] {
  const all = text.normalize('NFKC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return all.filter((word) => !ignored.has(word.toLowerCase())).map((word) => word.slice(0, MAX_WORD_LENGTH));
}
