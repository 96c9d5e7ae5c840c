import { stemmer as bulgarian } from '@orama/stemmers/bulgarian';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as indonesian } from '@orama/stemmers/indonesian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as tamil } from '@orama/stemmers/tamil';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian';
import { stopwords as arabicStop } from '@orama/stopwords/arabic';
import { stopwords as englishStop } from '@orama/stopwords/english';
import { stopwords as finnishStop } from '@orama/stopwords/finnish';
import { stopwords as frenchStop } from '@orama/stopwords/french';
import { stopwords as germanStop } from '@orama/stopwords/german';
import { stopwords as greekStop } from '@orama/stopwords/greek';
import { stopwords as hindiStop } from '@orama/stopwords/indian';
import { stopwords as indonesianStop } from '@orama/stopwords/indonesian';
import { stopwords as italianStop } from '@orama/stopwords/italian';
import { stopwords as romanianStop } from '@orama/stopwords/romanian';
import { stopwords as russianStop } from '@orama/stopwords/russian';
import { stopwords as spanishStop } from '@orama/stopwords/spanish';
import { stopwords as turkishStop } from '@orama/stopwords/turkish';
import { stopwords as ukrainianStop } from '@orama/stopwords/ukrainian';

export type Stem = (word: string) => string;

/** Snowball's stemmer of each language that has one, and light10 for Arabic beside it. */
export const STEMMERS: Record<string, Stem> = {
  bg: bulgarian,
  da: danish,
  de: german,
  el: greek,
  en: english,
  es: spanish,
  fi: finnish,
  fr: french,
  hi: hindi,
  hu: hungarian,
  id: indonesian,
  it: italian,
  nl: dutch,
  no: norwegian,
  pt: portuguese,
  // Snowball's knows the letters with a cedilla only.
  ro: (word) => romanian(word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ')),
  ru: russian,
  sv: swedish,
  ta: tamil,
  tr: turkish,
  uk: ukrainian,
  ar: light10,
};

export const STOP_WORDS: Record<string, string[]> = {
  ar: arabicStop,
  de: germanStop,
  el: greekStop,
  en: englishStop,
  es: spanishStop,
  fi: finnishStop,
  fr: frenchStop,
  hi: hindiStop,
  id: indonesianStop,
  it: italianStop,
  ro: romanianStop,
  ru: russianStop,
  tr: turkishStop,
  uk: ukrainianStop,
};

const ARTICLES = ['وال', 'بال', 'كال', 'فال', 'لل', 'ال'];
const ENDINGS = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ية', 'ه', 'ة', 'ي'];

/** Larkey, Ballesteros and Connell (2007), read literally. */
function light10(word: string): string {
  let stem = word
    .replace(/[\u064b-\u0652\u0640]/g, '')
    .replace(/[أإآ]/g, 'ا')
    .replace(/ى$/, 'ي')
    .replace(/ة$/, 'ه');
  if (stem.startsWith('و') && stem.length > 3) stem = stem.slice(1);
  const article = ARTICLES.find((each) => stem.startsWith(each) && stem.length - each.length >= 2);
  if (article) stem = stem.slice(article.length);
  for (const ending of ENDINGS)
    if (stem.endsWith(ending) && stem.length - ending.length >= 2) stem = stem.slice(0, -ending.length);
  return stem;
}

const plainWords = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

function grams(size: number): (text: string) => string[] {
  return (text) =>
    plainWords(text).flatMap((word) => {
      const letters = [...word];
      return Array.from({ length: Math.max(1, letters.length - size + 1) }, (_, at) =>
        letters.slice(at, at + size).join(''),
      );
    });
}

/** The words of a dictionary, which the ICU that Node is built with brings. */
function segments(language: string): (text: string) => string[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  return (text) =>
    [...segmenter.segment(text.normalize('NFKC').toLowerCase())]
      .filter(({ isWordLike }) => isWordLike)
      .map(({ segment }) => segment);
}

const UNSPACED = ['zh', 'ja', 'th', 'lo', 'km', 'my'];

export interface Baseline {
  name: string;
  analyse: (text: string) => string[];
  stopWords: Set<string>;
}

/** What somebody would set up who knows the language: every usual way, so that the best of them counts. */
export function baselinesOf(language: string): Baseline[] {
  const ways: [string, (text: string) => string[]][] = [['words', plainWords]];
  const stem = STEMMERS[language];
  if (stem) ways.push(['stems', (text) => plainWords(text).map(stem)]);
  if (UNSPACED.includes(language)) ways.push(['trigrams', grams(3)], ['dictionary', segments(language)]);
  if (UNSPACED.includes(language) || language === 'ko') ways.push(['bigrams', grams(2)]);
  return ways.flatMap(([name, analyse]) => {
    const listed = STOP_WORDS[language];
    const without = { name, analyse, stopWords: new Set<string>() };
    return listed
      ? [without, { name: `${name}, stop words`, analyse, stopWords: new Set(listed.flatMap(analyse)) }]
      : [without];
  });
}
