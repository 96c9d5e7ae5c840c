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

/** Snowball stemmer of each language that has one, and light10 for Arabic. */
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
  // The Snowball stemmer knows only the letters with a cedilla.
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

/** Stems an Arabic word with light10, as published by Larkey, Ballesteros and Connell (2007). */
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

const splitWords = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

function createNgramAnalysis(size: number): (text: string) => string[] {
  return (text) =>
    splitWords(text).flatMap((word) => {
      const letters = [...word];
      return Array.from({ length: Math.max(1, letters.length - size + 1) }, (_, at) =>
        letters.slice(at, at + size).join(''),
      );
    });
}

/** Splits a text into words with the dictionary of Node's ICU. */
function createDictionaryAnalysis(language: string): (text: string) => string[] {
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

/** Lists all usual setups for a language, so that the best one can serve as the baseline. */
export function listBaselines(language: string): Baseline[] {
  const analyses: [string, (text: string) => string[]][] = [['words', splitWords]];
  const stem = STEMMERS[language];
  if (stem) analyses.push(['stems', (text) => splitWords(text).map(stem)]);
  if (UNSPACED.includes(language))
    analyses.push(['trigrams', createNgramAnalysis(3)], ['dictionary', createDictionaryAnalysis(language)]);
  if (UNSPACED.includes(language) || language === 'ko') analyses.push(['bigrams', createNgramAnalysis(2)]);
  return analyses.flatMap(([name, analyse]) => {
    const listed = STOP_WORDS[language];
    const without = { name, analyse, stopWords: new Set<string>() };
    return listed
      ? [without, { name: `${name}, stop words`, analyse, stopWords: new Set(listed.flatMap(analyse)) }]
      : [without];
  });
}
