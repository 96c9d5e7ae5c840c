import { generalPhrases, generalWords } from '#src/languages/general-questions.ts';
import { splitIntoWords } from '#src/search/words.ts';

/** Longer questions ask for more than what a document is about. */
const MAX_CHARACTERS = 200;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;
const LETTER = /[\p{L}\p{N}]/u;

interface Entries {
  words: ReadonlySet<string>;
  beginnings: readonly string[];
}

/** Entries of the columns of a language, normalized as words of a question are. */
const languages = [...generalWords.values()].map(({ nouns, abouts, summaries, others }) => ({
  all: toEntries([...nouns, ...abouts, ...summaries, ...others]),
  nouns: toEntries(nouns),
  abouts: toEntries(abouts),
  summaries: toEntries(summaries),
}));

/**
 * Returns whether a question is about a whole document, such as "What is this document about?" or "Summarize this".
 * Every word must belong to such questions of one language. Short questions rarely show their language, so all
 * languages are tried.
 */
export function asksForWholeDocument(question: string): boolean {
  if (question.length > MAX_CHARACTERS) return false;
  if (UNSPACED.test(question)) return asksInPhrases(question.normalize('NFC').toLowerCase());
  const words = splitIntoWords(question);
  if (words.length === 0) return false;
  return languages.some(({ all, nouns, abouts, summaries }) => {
    const has = (entries: Entries) => words.some((word) => matches(word, entries));
    return (has(summaries) || (has(nouns) && has(abouts))) && words.every((word) => matches(word, all));
  });
}

function asksInPhrases(question: string): boolean {
  if (!generalPhrases.essential.some((phrase) => question.includes(phrase))) return false;
  return !LETTER.test(generalPhrases.all.reduce((rest, phrase) => rest.replaceAll(phrase, ' '), question));
}

const matches = (word: string, { words, beginnings }: Entries) =>
  words.has(word) || beginnings.some((beginning) => word.startsWith(beginning));

function toEntries(listed: readonly string[]): Entries {
  const normalize = (word: string) => splitIntoWords(word).join('');
  return {
    words: new Set(listed.filter((entry) => !entry.endsWith('*')).map(normalize)),
    beginnings: listed
      .filter((entry) => entry.endsWith('*'))
      .map(normalize)
      .filter((beginning) => beginning !== ''),
  };
}
