import { stemmer as snowballAr } from '@orama/stemmers/arabic';
import { stemmer as da } from '@orama/stemmers/danish';
import { stemmer as nl } from '@orama/stemmers/dutch';
import { stemmer as fi } from '@orama/stemmers/finnish';
import { stemmer as fr } from '@orama/stemmers/french';
import { stemmer as de } from '@orama/stemmers/german';
import { stemmer as el } from '@orama/stemmers/greek';
import { stemmer as hu } from '@orama/stemmers/hungarian';
import { stemmer as hi } from '@orama/stemmers/indian';
import { stemmer as it } from '@orama/stemmers/italian';
import { stemmer as no } from '@orama/stemmers/norwegian';
import { stemmer as pt } from '@orama/stemmers/portuguese';
import { stemmer as ro } from '@orama/stemmers/romanian';
import { stemmer as ru } from '@orama/stemmers/russian';
import { stemmer as es } from '@orama/stemmers/spanish';
import { stemmer as sv } from '@orama/stemmers/swedish';
import { stemmer as tr } from '@orama/stemmers/turkish';
import { stemmer as uk } from '@orama/stemmers/ukrainian';
import { stopwords as arStop } from '@orama/stopwords/arabic';
import { stopwords as daStop } from '@orama/stopwords/danish';
import { stopwords as nlStop } from '@orama/stopwords/dutch';
import { stopwords as enStop } from '@orama/stopwords/english';
import { stopwords as fiStop } from '@orama/stopwords/finnish';
import { stopwords as frStop } from '@orama/stopwords/french';
import { stopwords as deStop } from '@orama/stopwords/german';
import { stopwords as elStop } from '@orama/stopwords/greek';
import { stopwords as huStop } from '@orama/stopwords/hungarian';
import { stopwords as hiStop } from '@orama/stopwords/indian';
import { stopwords as itStop } from '@orama/stopwords/italian';
import { stopwords as noStop } from '@orama/stopwords/norwegian';
import { stopwords as ptStop } from '@orama/stopwords/portuguese';
import { stopwords as roStop } from '@orama/stopwords/romanian';
import { stopwords as ruStop } from '@orama/stopwords/russian';
import { stopwords as esStop } from '@orama/stopwords/spanish';
import { stopwords as svStop } from '@orama/stopwords/swedish';
import { stopwords as trStop } from '@orama/stopwords/turkish';
import { stopwords as ukStop } from '@orama/stopwords/ukrainian';
import { stem as porter2 } from 'porter2';

export interface Language {
  stem: (word: string) => string;
  stopWords: string[];
  /**
   * True if diacritics stay in terms because they distinguish words, as in Vietnamese. Other languages drop
   * diacritics, because many writers omit them.
   */
  keepsMarks?: boolean;
  /** Lower-cases text by the language's own rules, if they differ from Unicode's default. */
  lower?: (text: string) => string;
  /** True if words are also indexed as n-grams of letters, because the language has no stemmer here. */
  usesNgrams?: boolean;
}

/**
 * Stems Arabic words. The prefixes و ("and") and ف ("so") before an article are removed first, because the
 * stemmer leaves them in place.
 */
const ar = (word: string) => snowballAr(word.replace(/^[وف](?=(?:ال|لل)\p{L}{3})/u, ''));
/** Stems words of the letters a to z. Other words, such as "b2b" and "naïve", are indexed unchanged. */
const en = (word: string) => (/^[a-z]+$/.test(word) ? porter2(word) : word);
const keepWord = (word: string) => word;
/** Lower-cases Turkish text: I becomes the dotless ı, and İ becomes i. */
const turkishLower = (text: string) => text.replaceAll('I', 'ı').replaceAll('İ', 'i').toLowerCase();

const LANGUAGES = {
  ar: { stem: ar, stopWords: arStop },
  da: { stem: da, stopWords: daStop },
  de: { stem: de, stopWords: deStop },
  el: { stem: el, stopWords: elStop },
  en: { stem: en, stopWords: enStop },
  es: { stem: es, stopWords: esStop },
  fi: { stem: fi, stopWords: fiStop },
  fr: { stem: fr, stopWords: frStop },
  hi: { stem: hi, stopWords: hiStop },
  hu: { stem: hu, stopWords: huStop },
  it: { stem: it, stopWords: itStop },
  nl: { stem: nl, stopWords: nlStop },
  no: { stem: no, stopWords: noStop },
  pt: { stem: pt, stopWords: ptStop },
  ro: { stem: ro, stopWords: roStop },
  ru: { stem: ru, stopWords: ruStop },
  sv: { stem: sv, stopWords: svStop },
  tr: { stem: tr, stopWords: trStop, lower: turkishLower },
  uk: { stem: uk, stopWords: ukStop },
  vi: { stem: keepWord, stopWords: [], keepsMarks: true },
  // Rules for all languages without an entry.
  und: { stem: keepWord, stopWords: [], usesNgrams: true },
} satisfies Record<string, Language>;

export type LanguageCode = keyof typeof LANGUAGES;

export const LANGUAGE_CODES = Object.keys(LANGUAGES) as LanguageCode[];

export function getLanguage(code: LanguageCode): Language {
  return LANGUAGES[code];
}

const ALIASES: Record<string, LanguageCode> = { nb: 'no', nn: 'no' };

/** Language assumed for a text that declares none, by the script of most of its letters. */
const DEFAULT_LANGUAGES: [RegExp, LanguageCode][] = [
  [/\p{sc=Latin}/gu, 'en'],
  [/\p{sc=Cyrillic}/gu, 'ru'],
  [/\p{sc=Arabic}/gu, 'ar'],
  [/\p{sc=Greek}/gu, 'el'],
  [/\p{sc=Devanagari}/gu, 'hi'],
  [/[^\P{L}\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Greek}\p{sc=Devanagari}]/gu, 'und'],
];

/**
 * Returns the language whose rules apply to a text: the declared language, or the default language of its
 * script. Declared languages without rules become `und`.
 */
export function resolveLanguage(declared: string | undefined, text: string): LanguageCode {
  if (declared !== undefined && declared !== '') {
    const code = declared.toLowerCase().split(/[-_]/)[0]!;
    return code in LANGUAGES ? (code as LanguageCode) : (ALIASES[code] ?? 'und');
  }
  const sample = text.slice(0, 2_000);
  let usual: LanguageCode = 'en';
  let most = 0;
  for (const [letters, code] of DEFAULT_LANGUAGES) {
    const count = sample.match(letters)?.length ?? 0;
    if (count > most) [usual, most] = [code, count];
  }
  return usual;
}
