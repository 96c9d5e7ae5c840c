// Makes src/builtin/word-vectors/translations-table.ts of the Unicode CLDR's names and keywords of symbols, which say the
// same of each symbol in every language: a word is translated by the English stem that stands at the symbols it stands at.
// `--check` writes nothing and fails when the committed table is not what the package gives.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { analysisFor } from '#src/builtin/terms.ts';
import { Spellings } from '#src/builtin/word-vectors/spellings.ts';
import { STEMS } from '#src/builtin/word-vectors/table.ts';
import { LEAST_COGNATE, WELL_KNOWN } from '#src/builtin/word-vectors/word-vectors.ts';
import { getCommonWords } from '#src/languages/registry.ts';
import { fold } from '#src/lib/text/words.ts';

const PACKAGE = 'cldr-annotations-full';
/** All would take 900 KiB, gzipped; the bundle has room for the ones that most texts are written in. */
const LANGUAGES =
  'nl fr de es it pt pl sv da no fi tr ro cs hu vi ru uk bg hr sk sl sr et lt lv id ja ko zh ar he el th hi bn fa ur';
/** Dice coefficient of the symbols of a word and of its translation; less is chance. */
const LEAST_LIKENESS = 0.3;
/** A word that stands in the names of both says the same a little surer than one of the keywords. */
const IN_BOTH_NAMES = 0.1;

interface Annotation {
  default?: string[];
  /** The name. */
  tts?: string[];
}
interface Read {
  words: Set<string>;
  name: Set<string>;
}

const resolve = createRequire(import.meta.url).resolve;
const output = new URL('../src/builtin/word-vectors/translations-table.ts', import.meta.url);
const stems = STEMS.split(' ');
const rows = new Map(stems.map((stem, row) => [stem, row]));
const cognates = new Spellings(stems.slice(0, WELL_KNOWN), LEAST_COGNATE);
const english = symbolsOf('en');
const { version } = JSON.parse(readFileSync(resolve(`${PACKAGE}/package.json`), 'utf8'));
const table = `// Made by scripts/build-word-translations.ts of ${PACKAGE}@${version} (Unicode-3.0, see LICENSE-unicode.txt).
/** Of each language its words by their English stem: how far that is in the table of vectors after the one before, then the words. */
export const TRANSLATIONS: Record<string, string> = {
${LANGUAGES.split(' ')
  .map((language) => `  ${language}: '${packed(translationsOf(language))}',`)
  .join('\n')}
};
`;
if (!process.argv.includes('--check')) writeFileSync(output, table);
else if (readFileSync(output, 'utf8') !== table) {
  console.error('The committed translations differ; run npm run build:word-translations');
  process.exitCode = 1;
}

function symbolsOf(language: string): Map<string, Read> {
  const path = resolve(`${PACKAGE}/annotations/${language}/annotations.json`);
  const symbols: Record<string, Annotation> = JSON.parse(readFileSync(path, 'utf8')).annotations.annotations;
  return new Map(
    Object.entries(symbols).map(([symbol, { default: keywords = [], tts = [] }]) => [
      symbol,
      { words: wordsIn([...keywords, ...tts], language), name: wordsIn(tts, language) },
    ]),
  );
}

/** As classification reads them, so that they meet. */
function wordsIn(texts: string[], language: string): Set<string> {
  const common = new Set(getCommonWords(language));
  const tokens = texts.flatMap((text) => analysisFor(language, text).tokens(text));
  const telling = tokens.filter(({ word }) => word.length > 1 && !/^\d+$/.test(word) && !common.has(word));
  // Stems of ordinals are digits ("1ος"), which the packed table has its steps in.
  const found = new Set(telling.map(({ term }) => fold(term)).filter((term) => !/^\d*$/.test(term)));
  return language === 'en' ? new Set([...found].filter((stem) => rows.has(stem))) : found;
}

/** Each word with its English stem; without those that are written so like it that they are found anyhow. */
function translationsOf(language: string): Map<string, string> {
  const often = new Map<string, number>();
  const oftenEnglish = new Map<string, number>();
  const together = new Map<string, Map<string, number>>();
  for (const [symbol, read] of symbolsOf(language)) {
    const meant = english.get(symbol);
    if (!meant) continue;
    for (const stem of meant.words) oftenEnglish.set(stem, (oftenEnglish.get(stem) ?? 0) + 1);
    for (const word of read.words) {
      often.set(word, (often.get(word) ?? 0) + 1);
      const counts = together.get(word) ?? new Map<string, number>();
      together.set(word, counts);
      for (const stem of meant.words) {
        const inNames = read.name.has(word) && meant.name.has(stem) ? IN_BOTH_NAMES : 0;
        counts.set(stem, (counts.get(stem) ?? 0) + 1 + inNames);
      }
    }
  }
  const translations = new Map<string, string>();
  for (const [word, counts] of together) {
    if (isFragment(word)) continue;
    let best = { stem: '', likeness: 0 };
    for (const [stem, count] of counts) {
      const likeness = (2 * count) / (often.get(word)! + oftenEnglish.get(stem)!);
      if (likeness > best.likeness) best = { stem, likeness };
    }
    const cognate = cognates.nearest(word);
    const isFound = word === best.stem || (cognate && stems[cognate.index] === best.stem);
    if (best.likeness >= LEAST_LIKENESS && !isFound) translations.set(word, best.stem);
  }
  return translations;
}

/** Pairs of syllables are parts of words, which mean nothing; pairs of Han letters mostly are words. */
function isFragment(word: string): boolean {
  return /[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(word);
}

function packed(translations: Map<string, string>): string {
  const byRow = new Map<number, string[]>();
  for (const [word, stem] of translations) {
    if (!/^(?!\d+$)\S+$/.test(word)) throw new Error(`"${word}" cannot be told from what parts the table`);
    const row = rows.get(stem)!;
    byRow.set(row, [...(byRow.get(row) ?? []), word]);
  }
  let before = 0;
  return [...byRow]
    .sort(([left], [right]) => left - right)
    .map(([row, words]) => {
      const step = row - before;
      before = row;
      return [step, ...words.sort()].join(' ');
    })
    .join(' ');
}
