import { stemmer as da } from '@orama/stemmers/danish';
import { stemmer as nl } from '@orama/stemmers/dutch';
import { stemmer as fi } from '@orama/stemmers/finnish';
import { stemmer as fr } from '@orama/stemmers/french';
import { stemmer as de } from '@orama/stemmers/german';
import { stemmer as hu } from '@orama/stemmers/hungarian';
import { stemmer as it } from '@orama/stemmers/italian';
import { stemmer as no } from '@orama/stemmers/norwegian';
import { stemmer as pt } from '@orama/stemmers/portuguese';
import { stemmer as ro } from '@orama/stemmers/romanian';
import { stemmer as ru } from '@orama/stemmers/russian';
import { stemmer as es } from '@orama/stemmers/spanish';
import { stemmer as sv } from '@orama/stemmers/swedish';
import { stemmer as tr } from '@orama/stemmers/turkish';
import { stopwords as daStop } from '@orama/stopwords/danish';
import { stopwords as nlStop } from '@orama/stopwords/dutch';
import { stopwords as enStop } from '@orama/stopwords/english';
import { stopwords as fiStop } from '@orama/stopwords/finnish';
import { stopwords as frStop } from '@orama/stopwords/french';
import { stopwords as deStop } from '@orama/stopwords/german';
import { stopwords as huStop } from '@orama/stopwords/hungarian';
import { stopwords as itStop } from '@orama/stopwords/italian';
import { stopwords as noStop } from '@orama/stopwords/norwegian';
import { stopwords as ptStop } from '@orama/stopwords/portuguese';
import { stopwords as roStop } from '@orama/stopwords/romanian';
import { stopwords as ruStop } from '@orama/stopwords/russian';
import { stopwords as esStop } from '@orama/stopwords/spanish';
import { stopwords as svStop } from '@orama/stopwords/swedish';
import { stopwords as trStop } from '@orama/stopwords/turkish';
import { stemEnglish as en } from './english-stemmer.ts';

export interface Language {
  stem: (word: string) => string;
  stopWords: string[];
}

const LANGUAGES = {
  da: { stem: da, stopWords: daStop },
  de: { stem: de, stopWords: deStop },
  en: { stem: en, stopWords: enStop },
  es: { stem: es, stopWords: esStop },
  fi: { stem: fi, stopWords: fiStop },
  fr: { stem: fr, stopWords: frStop },
  hu: { stem: hu, stopWords: huStop },
  it: { stem: it, stopWords: itStop },
  nl: { stem: nl, stopWords: nlStop },
  no: { stem: no, stopWords: noStop },
  pt: { stem: pt, stopWords: ptStop },
  ro: { stem: ro, stopWords: roStop },
  ru: { stem: ru, stopWords: ruStop },
  sv: { stem: sv, stopWords: svStop },
  tr: { stem: tr, stopWords: trStop },
  // Every other language, and those whose words are bigrams: words as they are.
  und: { stem: (word) => word, stopWords: [] },
} satisfies Record<string, Language>;

export type LanguageCode = keyof typeof LANGUAGES;

export const LANGUAGE_CODES = Object.keys(LANGUAGES) as LanguageCode[];

export function languageOf(code: LanguageCode): Language {
  return LANGUAGES[code];
}

const ALIASES: Record<string, LanguageCode> = { nb: 'no', nn: 'no' };

const CYRILLIC = /\p{sc=Cyrillic}/gu;
const LATIN = /\p{sc=Latin}/gu;
const OTHER_LETTER = /[^\P{L}\p{sc=Latin}\p{sc=Cyrillic}]/gu;

/** The language whose rules apply to a text: the one it declares, or the usual one of its script. */
export function resolveLanguage(declared: string | undefined, text: string): LanguageCode {
  if (declared !== undefined && declared !== '') {
    const code = declared.toLowerCase().split(/[-_]/)[0]!;
    return code in LANGUAGES ? (code as LanguageCode) : (ALIASES[code] ?? 'und');
  }
  const sample = text.slice(0, 2_000);
  const count = (letters: RegExp) => sample.match(letters)?.length ?? 0;
  const cyrillic = count(CYRILLIC);
  const latin = count(LATIN);
  if (count(OTHER_LETTER) > Math.max(cyrillic, latin)) return 'und';
  return cyrillic > latin ? 'ru' : 'en';
}
