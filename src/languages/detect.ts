import { cyrillicLanguages } from './cyrillic.ts';
import { latinLanguages } from './latin.ts';
import { ownScriptLanguages } from './own-script.ts';
import { languages } from './registry.ts';

/**
 * Scripts in the order in which they are counted. If two scripts are equally frequent, the first one wins.
 */
const SCRIPTS: readonly (readonly [code: string, letters: RegExp])[] = [
  ...Object.entries(ownScriptLanguages).flatMap(([code, { script }]) =>
    script ? [[code, script] as const] : [],
  ),
  ['cyrillic', /\p{sc=Cyrillic}/gu],
  ['latin', /\p{sc=Latin}/gu],
];
const CYRILLIC = Object.keys(cyrillicLanguages);
const LATIN = Object.keys(latinLanguages);
/** Texts of ASCII characters only, which need fewer and faster steps than others. */
const ASCII = /^\p{ASCII}*$/u;
/** Sources of regular expressions that match no ASCII character. */
const NOT_ASCII = /^\[[^\p{ASCII}]+\]$/u;
const WORD = /[\p{L}\p{M}]+/gu;
const ASCII_WORD = /[a-z]+/g;

/** Number of characters at the beginning of a text that are examined to detect its language. */
const SAMPLE_CHARACTERS = 4_000;
/**
 * Weight of one occurrence of a letter or ending that is typical of a language. A common word has the weight
 * 1.
 */
const LETTER_WEIGHT = 0.15;
/**
 * Factor by which the score of a smaller language is multiplied. A smaller language shares its common words
 * with a larger one.
 */
const SMALLER_LANGUAGE_FACTOR = 0.8;
/**
 * Minimum scores for detecting a language. One common word is enough for most languages, but doubtful
 * languages need more.
 */
const MIN_SCORE = 0.5;
const MIN_SCORE_OF_DOUBTFUL = 1.2;
/**
 * Minimum share of a language's common words among the words of a text. Texts with fewer than MIN_PROSE_WORDS
 * words may have a smaller share.
 */
const MIN_COMMON_WORD_SHARE = 0.05;
const MIN_PROSE_WORDS = 30;

/** Codes of the languages to whose common words each word belongs. */
const languagesByWord = new Map<string, string[]>();
for (const code of [...LATIN, ...CYRILLIC]) {
  for (const word of new Set(languages[code]?.commonWords?.split(' '))) {
    languagesByWord.set(word, [...(languagesByWord.get(word) ?? []), code]);
  }
}

/**
 * Returns the ISO 639-1 code of the main language at the beginning of a text. Returns `undefined` if it
 * cannot be determined.
 */
export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, SAMPLE_CHARACTERS).normalize('NFC').toLowerCase();
  if (ASCII.test(sample)) return /[a-z]/.test(sample) ? detectByWords(sample, LATIN) : undefined;
  const counts = SCRIPTS.map(([code, letters]) => ({ code, count: sample.match(letters)?.length ?? 0 }));
  const getCount = (code: string) => counts.find((entry) => entry.code === code)?.count ?? 0;
  const kana = getCount('ja');
  const han = getCount('zh');
  // Japanese text contains kana, but usually fewer kana than Han characters.
  if (kana > 0 && kana * 8 > han && kana + han > getCount('latin') / 4) return 'ja';
  // One Han character or Hangul syllable carries as much text as several alphabetic letters.
  for (const entry of counts) if (['ko', 'zh'].includes(entry.code)) entry.count *= 3;
  const script = counts.reduce((best, entry) => (entry.count > best.count ? entry : best));
  if (script.count === 0) return undefined;
  if (script.code === 'cyrillic') return detectByWords(sample, CYRILLIC) ?? 'ru';
  if (script.code === 'latin') return detectByWords(sample, LATIN);
  return script.code === 'ar' ? detectByArabicLetters(sample, script.count) : script.code;
}

/** Distinguishes Arabic, Persian and Urdu. Persian and Urdu often use letters that Arabic does not have. */
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
  const isAscii = ASCII.test(sample);
  const words = sample.match(isAscii ? ASCII_WORD : WORD) ?? [];
  for (const word of words) {
    const codes = languagesByWord.get(word);
    if (codes) for (const code of codes) add(code, 1 / Math.sqrt(codes.length));
  }
  for (const code of among) {
    const pattern = languages[code]?.letters;
    const canMatch = pattern && !(isAscii && NOT_ASCII.test(pattern.source));
    if (canMatch) add(code, (sample.match(pattern)?.length ?? 0) * LETTER_WEIGHT);
  }
  for (const code of among.filter((each) => languages[each]?.isSmaller))
    add(code, (SMALLER_LANGUAGE_FACTOR - 1) * (scores.get(code) ?? 0));
  const [best, second] = [...scores].sort((a, b) => b[1] - a[1]);
  if (!best || best[1] === second?.[1]) return undefined;
  const { isSmaller, needsSeveralWords } = languages[best[0]] ?? {};
  if (best[1] < (isSmaller || needsSeveralWords ? MIN_SCORE_OF_DOUBTFUL : MIN_SCORE)) return undefined;
  if (words.length >= MIN_PROSE_WORDS && best[1] < MIN_COMMON_WORD_SHARE * words.length) return undefined;
  return best[0];
}
