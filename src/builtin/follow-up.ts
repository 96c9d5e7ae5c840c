import { detectLanguage } from '#src/languages/detect.ts';
import { getCommonWords, languages } from '#src/languages/registry.ts';
import { languageOf, resolveLanguage } from '#src/search/languages.ts';
import { words } from '#src/search/words.ts';

/** A question of more characters says itself what it is about. */
const LONGEST_FOLLOW_UP = 200;
/** So few words that tell something are too few to find anything by. */
const FEW_WORDS = 1;
/** With a word that points back, a question that tells this much is still about what was said before. */
const SEVERAL_WORDS = 3;
/** Letters of a question in a script without spaces. */
const FEW_LETTERS = 6;
const MOST_CARRIED = 12;
const MOST_BACK = 3;
const LONGEST_WORD = 64;

const entries = Object.entries(languages);
const conjunctions = new Map(entries.map(([code, each]) => [code, readWords(each.conjunctions)]));
const pronouns = new Map(entries.map(([code, each]) => [code, readWords(each.pronouns)]));
const FOLLOW_UPS = entries.flatMap(([, { followUp }]) => followUp ?? []);

/** Returns the words that join two questions, by default those of English. */
export const getConjunctions = (language = 'en'): ReadonlySet<string> =>
  conjunctions.get(language) ?? new Set();

/** The words of a question that tell something. */
export const tellingWords = (question: string): string[] => telling(question, readingOf(question));

const PAIRED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/gu;

/** Returns each word of a list as it is written, and as the words of a question are read. */
function readWords(list = ''): ReadonlySet<string> {
  const all = list.split(' ').filter((word) => word !== '');
  return new Set(all.flatMap((word) => [word, words(word).join(' ')]));
}

const startsLikeFollowUp = (question: string): boolean =>
  FOLLOW_UPS.some((pattern) => pattern.test(question));

/**
 * What to search for when `questions`, all that were asked, the last one just now, are one conversation. A question
 * that is too short to be found by, or that points back, is given the words that told something in those before it.
 */
export function standaloneQuestion(questions: readonly string[]): string {
  const last = questions.at(-1) ?? '';
  const carried: string[] = [];
  for (let at = questions.length - 1; at > 0 && questions.length - at <= MOST_BACK; at -= 1) {
    const [before, question] = [questions[at - 1]!, questions[at]!];
    if (!isFollowUp(question, before)) break;
    for (const each of telling(before, readingOf(before))) carried.push(each);
  }
  const known = new Set(words(last));
  const added = [...new Set(carried)]
    .filter((word) => !words(word).every((each) => known.has(each)))
    .slice(0, MOST_CARRIED);
  return added.length === 0 ? last : `${last} ${added.join(' ')}`;
}

interface Reading {
  joining: ReadonlySet<string> | undefined;
  pointing: ReadonlySet<string> | undefined;
  /** Words that tell nothing. */
  ignored: ReadonlySet<string>;
}

/** Of one short question alone the language may not show; then it is that of the one before. */
function readingOf(question: string, before = ''): Reading {
  const both = `${before.slice(-LONGEST_FOLLOW_UP)}\n${question}`;
  const code = detectLanguage(question) ?? detectLanguage(both) ?? resolveLanguage(undefined, both);
  const joining = conjunctions.get(code);
  const pointing = pronouns.get(code);
  const { stopWords } = languageOf(resolveLanguage(code, both));
  const ignored = new Set([...stopWords, ...getCommonWords(code), ...(joining ?? []), ...(pointing ?? [])]);
  return { joining, pointing, ignored };
}

function isFollowUp(question: string, before: string): boolean {
  const trimmed = question.trim();
  if (trimmed.length > LONGEST_FOLLOW_UP) return false;
  const letters = trimmed.match(PAIRED)?.length ?? 0;
  if (letters > 0) return letters <= FEW_LETTERS || startsLikeFollowUp(trimmed);
  const reading = readingOf(trimmed, before);
  const { joining, pointing } = reading;
  const told = telling(trimmed, reading).length;
  const all = words(trimmed);
  const [first = ''] = all;
  if (told <= FEW_WORDS || startsLikeFollowUp(trimmed) || joining?.has(first) || pointing?.has(first))
    return true;
  return told <= SEVERAL_WORDS && all.some((word) => pointing?.has(word));
}

/** The words that tell something, as they are written; of a script without spaces, whole runs of it. */
function telling(text: string, { ignored }: Reading): string[] {
  const all = text.normalize('NFKC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return all.filter((word) => !ignored.has(word.toLowerCase())).map((word) => word.slice(0, LONGEST_WORD));
}
