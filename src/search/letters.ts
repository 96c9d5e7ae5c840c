/**
 * Maps different spellings of a letter to one spelling: equivalent code points, optional marks and invisible
 * characters. The rules depend on the script and not on the language, so a text and a query match even if
 * different languages were assumed for them. Every rule runs in linear time.
 */

const MAX_MARKS = 30;
/**
 * Matches the combining marks of a letter beyond the first 30. Unicode normalization sorts marks in quadratic
 * time, and no real word has so many.
 */
const EXCESS_MARKS = new RegExp(`(\\p{M}{${MAX_MARKS}})\\p{M}+`, 'gu');

/**
 * Matches invisible characters: soft hyphens, joiners, direction marks, and zero-width spaces in scripts that
 * are written without spaces.
 */
const INVISIBLE =
  /\u200d|[\u00ad\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\u200b(?=[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])|(?<![\p{sc=Arabic}])\u200c/gu;
const OTHER_DIGIT = /[^\P{Nd}0-9]/gu;
const DIGIT = /\p{Nd}/u;

/**
 * Converts a decimal digit of any script to ASCII. The digits 0 to 9 of a script have consecutive code
 * points.
 */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  let value = 0;
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}

interface Script {
  letters: RegExp;
  /** Matches characters that are removed before indexing, such as vowel points. */
  removed: RegExp;
  /** Each letter in `from` is replaced by the letter at the same index in `to`. */
  equivalents?: [from: string, to: string];
  respellings?: [RegExp, string][];
}

const SCRIPTS: Script[] = [
  {
    letters: /\p{sc=Arabic}/u,
    // Removes Arabic vowel points and the tatweel, which only stretches a word.
    removed: /[\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]/g,
    // Unifies letters that Persian, Urdu and Kurdish keyboards produce for the same sound, and the dotless ى
    // at the end of words.
    equivalents: ['ىیېےکݣہھەۀۂ', 'ييييككههههه'],
  },
  {
    letters: /\p{sc=Hebrew}/u,
    // Removes Hebrew vowel points, and the punctuation inside acronyms and loan words.
    removed:
      /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]|(?<=\p{sc=Hebrew})["״'׳’](?=\p{sc=Hebrew})/gu,
    equivalents: ['ךםןףץ', 'כמנפצ'],
  },
  {
    letters: /\p{sc=Cyrillic}/u,
    // Removes Cyrillic stress marks and every form of the Ukrainian and Belarusian apostrophe.
    removed: /(?<=\p{sc=Cyrillic})(?:[\u0300\u0301]|['’ʼ`](?=\p{sc=Cyrillic}))/gu,
    equivalents: ['ё', 'е'],
  },
  {
    letters: /\p{sc=Devanagari}/u,
    removed: /\u093c/g,
    // In Devanagari, a nasal before a consonant is written as a letter, a dot, or a dot with a crescent. All
    // spellings become the dot (U+0902).
    respellings: [
      [/\u0901/g, '\u0902'],
      [/[ङञणनम]\u094d(?=[क-ह])/g, '\u0902'],
    ],
  },
  {
    letters: /\p{sc=Armenian}/u,
    removed: /\u055a/g,
    // NFKC splits the ligature և into եւ. In capitals the ligature is written ԵՎ, so both spellings become
    // եվ.
    respellings: [[/եւ/g, 'եվ']],
  },
  {
    letters: /[\u09ce\u0d7a-\u0d7f]/,
    removed: /\u200c/g,
    // Some consonants without a vowel have code points of their own: one in Bengali, the others in Malayalam.
    // They become the plain consonant and the virama, the sign for a missing vowel.
    respellings: [
      [/\u09ce/g, '\u09a4\u09cd'],
      [/\u0d7a/g, '\u0d23\u0d4d'],
      [/\u0d7b/g, '\u0d28\u0d4d'],
      [/\u0d7c/g, '\u0d30\u0d4d'],
      [/\u0d7d/g, '\u0d32\u0d4d'],
      [/\u0d7e/g, '\u0d33\u0d4d'],
      [/\u0d7f/g, '\u0d15\u0d4d'],
    ],
  },
  {
    letters: /[șț]|\u0307/,
    // Removes the combining dot that lower-casing İ leaves after the i in languages other than Turkish.
    removed: /(?<=i)\u0307/g,
    // Unifies Romanian ș and ț with ş and ţ, which were typed with a cedilla for a long time.
    equivalents: ['șț', 'şţ'],
  },
];

const FOLDS = SCRIPTS.map(({ letters, removed, equivalents = ['', ''], respellings = [] }) => {
  const [from, to] = equivalents.map((list) => [...list]) as [string[], string[]];
  const letterFor = new Map(from.map((letter, at) => [letter, to[at]!]));
  const any = from.length > 0 ? new RegExp(`[${from.join('')}]`, 'gu') : undefined;
  return (text: string): string => {
    if (!letters.test(text)) return text;
    let folded = text.replace(removed, '');
    if (any) folded = folded.replace(any, (letter) => letterFor.get(letter)!);
    for (const [pattern, letter] of respellings) folded = folded.replace(pattern, letter);
    return folded;
  };
});

/** Normalizes the letters of a text for search. `lower` lower-cases by the rules of the text's language. */
export function foldLetters(text: string, lower: (text: string) => string): string {
  const plain = lower(text.replace(EXCESS_MARKS, '$1').replace(INVISIBLE, '').normalize('NFKC'));
  return FOLDS.reduce((folded, fold) => fold(folded), plain).replace(OTHER_DIGIT, toAsciiDigit);
}

/**
 * Plain spellings of letters without a removable mark, such as ligatures, letters with a stroke and the
 * dotless ı. For Arabic, these are the letters that carry a hamza and the final ة. Letters are replaced after
 * stemming, because stemmers need the original letters.
 */
const PLAIN_SPELLINGS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  þ: 'th',
  ŧ: 't',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ئ: 'ي',
  ؤ: 'و',
  ة: 'ه',
};
const HAS_PLAIN_SPELLING = new RegExp(`[${Object.keys(PLAIN_SPELLINGS).join('')}]`, 'g');
const MARKED = /[\p{sc=Latin}\p{sc=Greek}]/u;
const ARABIC = /\p{sc=Arabic}/u;
const PLAIN_LATIN = /^[a-z0-9]*$/;

/**
 * Returns a stem without diacritics ("cafe" for "café", "Lodz" for "Łódź"), as people with other keyboards
 * type it.
 */
export function stripMarks(stem: string): string {
  if (PLAIN_LATIN.test(stem)) return stem;
  const isMarked = MARKED.test(stem);
  if (!isMarked && !ARABIC.test(stem)) return stem;
  const plain = isMarked ? stem.normalize('NFD').replace(/\p{M}/gu, '') : stem;
  return plain.replace(HAS_PLAIN_SPELLING, (letter) => PLAIN_SPELLINGS[letter]!);
}
