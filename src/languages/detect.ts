import { cyrillic } from './cyrillic.ts';
import { latin } from './latin.ts';
import { ownScript } from './own-script.ts';
import { languages } from './registry.ts';

/** The scripts in the order in which they are counted; of two that are equally frequent the first is taken. */
const SCRIPTS: readonly (readonly [code: string, letters: RegExp])[] = [
  ...Object.entries(ownScript).flatMap(([code, { script }]) => (script ? [[code, script] as const] : [])),
  ['cyrillic', /\p{sc=Cyrillic}/gu],
  ['latin', /\p{sc=Latin}/gu],
];
const CYRILLIC = Object.keys(cyrillic);
const LATIN = Object.keys(latin);

/** Characters of a text that are looked at. */
const SAMPLE = 4_000;
/** What an occurrence of a typical letter weighs beside a common word, which weighs 1. */
const LETTER_WEIGHT = 0.15;
/** The score of a language that has a larger neighbour is multiplied by this. */
const SMALLER_SHARE = 0.8;
/** Least scores: one common word is enough for most languages, and too little for some. */
const ONE_WORD = 0.5;
const SEVERAL_WORDS = 1.2;
/** In prose at least this share of the words are common words of its language. Shorter texts may have fewer. */
const COMMON_SHARE = 0.05;
const SEVERAL_LINES = 30;

/** The languages that have a word among their common words. */
const languagesOfWord = new Map<string, string[]>();
for (const code of [...LATIN, ...CYRILLIC]) {
  for (const word of new Set(languages[code]?.commonWords?.split(' '))) {
    languagesOfWord.set(word, [...(languagesOfWord.get(word) ?? []), code]);
  }
}

/** Returns the ISO 639-1 code of the language in which most of the beginning of a text is written, or undefined if that does not show. */
export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, SAMPLE).normalize('NFC').toLowerCase();
  const counts = SCRIPTS.map(([code, letters]) => ({ code, count: sample.match(letters)?.length ?? 0 }));
  const countOf = (code: string) => counts.find((entry) => entry.code === code)?.count ?? 0;
  const kana = countOf('ja');
  const han = countOf('zh');
  // Japanese mixes kana with more Han than kana.
  if (kana > 0 && kana * 8 > han && kana + han > countOf('latin') / 4) return 'ja';
  // A Han letter or Hangul syllable says as much as several alphabetic letters.
  for (const entry of counts) if (['ko', 'zh'].includes(entry.code)) entry.count *= 3;
  const script = counts.reduce((best, entry) => (entry.count > best.count ? entry : best));
  if (script.count === 0) return undefined;
  if (script.code === 'cyrillic') return detectByWords(sample, CYRILLIC) ?? 'ru';
  if (script.code === 'latin') return detectByWords(sample, LATIN);
  return script.code === 'ar' ? detectByArabicLetters(sample, script.count) : script.code;
}

/** Tells Arabic, Persian and Urdu apart. Persian and Urdu often use letters that Arabic does not have. */
function detectByArabicLetters(sample: string, letters: number): string {
  const isFrequent = (own: RegExp) => (sample.match(own)?.length ?? 0) > letters / 25;
  if (isFrequent(/[ٹڈڑںےھہ]/g)) return 'ur';
  return isFrequent(/[پچژگکی]/g) ? 'fa' : 'ar';
}

function detectByWords(sample: string, among: string[]): string | undefined {
  const scores = new Map<string, number>(among.map((code) => [code, 0]));
  const add = (code: string, weight: number) => {
    const score = scores.get(code);
    if (score !== undefined) scores.set(code, score + weight);
  };
  const words = sample.match(/[\p{L}\p{M}]+/gu) ?? [];
  for (const word of words) {
    const codes = languagesOfWord.get(word);
    if (codes) for (const code of codes) add(code, 1 / Math.sqrt(codes.length));
  }
  for (const code of among) {
    const pattern = languages[code]?.letters;
    if (pattern) add(code, (sample.match(pattern)?.length ?? 0) * LETTER_WEIGHT);
  }
  for (const code of among.filter((each) => languages[each]?.isSmaller))
    add(code, (SMALLER_SHARE - 1) * (scores.get(code) ?? 0));
  const [best, second] = [...scores].sort((a, b) => b[1] - a[1]);
  if (!best || best[1] === second?.[1]) return undefined;
  const { isSmaller, needsSeveralWords } = languages[best[0]] ?? {};
  if (best[1] < (isSmaller || needsSeveralWords ? SEVERAL_WORDS : ONE_WORD)) return undefined;
  if (words.length >= SEVERAL_LINES && best[1] < COMMON_SHARE * words.length) return undefined;
  return best[0];
}
