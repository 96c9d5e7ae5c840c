/**
 * One letter for what is written in several ways: other code points of the same letter, marks that most writers leave
 * out, invisible signs. The rules go by the letter's script and not by a language, so that a text and a query meet
 * whatever either was taken for. Each is linear.
 */

const MOST_MARKS = 30;
/** Sorting a flood of marks on one letter into normal form takes the square of its length; no word has so many. */
const FLOOD = new RegExp(`(\\p{M}{${MOST_MARKS}})\\p{M}+`, 'gu');

/** Shown as nothing: the soft hyphen, joiners, signs of direction, and breaks between letters that have no spaces. */
const INVISIBLE =
  /\u200d|[\u00ad\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\u200b(?=[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])|(?<![\p{sc=Arabic}])\u200c/gu;
const OTHER_DIGIT = /[^\P{Nd}0-9]/gu;
const DIGIT = /\p{Nd}/u;

/** The digits of a script stand in one row; where it begins is nought. */
function digitOf(digit: string): string {
  const code = digit.codePointAt(0)!;
  let value = 0;
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}

interface Script {
  letters: RegExp;
  /** Taken out. */
  dropped: RegExp;
  /** Each of the first is written as the one at its place in the second. */
  alike?: [from: string, to: string];
  written?: [RegExp, string][];
}

const SCRIPTS: Script[] = [
  {
    letters: /\p{sc=Arabic}/u,
    // Vowel points, and the stroke that only stretches a word.
    dropped: /[\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]/g,
    // Letters that Persian, Urdu and Kurdish keyboards have for the same sound, and the dotless end of a word.
    alike: ['ىیېےکݣہھەۀۂ', 'ييييككههههه'],
  },
  {
    letters: /\p{sc=Hebrew}/u,
    // Vowel points, and the signs inside acronyms and borrowed words.
    dropped:
      /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]|(?<=\p{sc=Hebrew})["״'׳’](?=\p{sc=Hebrew})/gu,
    alike: ['ךםןףץ', 'כמנפצ'],
  },
  {
    letters: /\p{sc=Cyrillic}/u,
    // The stress, and the apostrophe of Ukrainian and Belarusian in each of its forms.
    dropped: /(?<=\p{sc=Cyrillic})(?:[\u0300\u0301]|['’ʼ`](?=\p{sc=Cyrillic}))/gu,
    alike: ['ё', 'е'],
  },
  {
    letters: /\p{sc=Devanagari}/u,
    dropped: /\u093c/g,
    // A nasal before a consonant is written as a letter or as a dot, and the dot with or without its bow.
    written: [
      [/\u0901/g, '\u0902'],
      [/[ङञणनम]\u094d(?=[क-ह])/g, '\u0902'],
    ],
  },
  {
    letters: /\p{sc=Armenian}/u,
    dropped: /\u055a/g,
    // A ligature, and what its capitals become.
    written: [[/եւ/g, 'եվ']],
  },
  {
    letters: /[\u09ce\u0d7a-\u0d7f]/,
    dropped: /\u200c/g,
    // Consonants without a vowel that have a letter of their own: of Bengali, and those of Malayalam.
    written: [
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
    // The dot of a small İ is lost elsewhere too.
    dropped: /(?<=i)\u0307/g,
    // The comma of Romanian was long typed as a cedilla.
    alike: ['șț', 'şţ'],
  },
];

const FOLDS = SCRIPTS.map(({ letters, dropped, alike = ['', ''], written = [] }) => {
  const [from, to] = alike.map((list) => [...list]) as [string[], string[]];
  const letterFor = new Map(from.map((letter, at) => [letter, to[at]!]));
  const any = from.length > 0 ? new RegExp(`[${from.join('')}]`, 'gu') : undefined;
  return (text: string): string => {
    if (!letters.test(text)) return text;
    let folded = text.replace(dropped, '');
    if (any) folded = folded.replace(any, (letter) => letterFor.get(letter)!);
    for (const [pattern, letter] of written) folded = folded.replace(pattern, letter);
    return folded;
  };
});

/** `lower`: how the language that the text is in makes capitals small. */
export function foldLetters(text: string, lower: (text: string) => string): string {
  const plain = lower(text.replace(FLOOD, '$1').replace(INVISIBLE, '').normalize('NFKC'));
  return FOLDS.reduce((folded, fold) => fold(folded), plain).replace(OTHER_DIGIT, digitOf);
}

/**
 * Letters that have no mark to take off and are left out or replaced all the same: those with a stroke, two in one, the
 * dotless ı; in Arabic the seats of the hamza and the letters that a word only ends with. Stemmers need them.
 */
const PLAIN: Record<string, string> = {
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
const UNMARKABLE = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g');
const MARKED = /[\p{sc=Latin}\p{sc=Greek}]/u;
const ARABIC = /\p{sc=Arabic}/u;
const PLAIN_LATIN = /^[a-z0-9]*$/;

/** "cafe" for "café", "Lodz" for "Łódź": what whoever has another keyboard types. */
export function withoutMarks(stem: string): string {
  if (PLAIN_LATIN.test(stem)) return stem;
  const isMarked = MARKED.test(stem);
  if (!isMarked && !ARABIC.test(stem)) return stem;
  const plain = isMarked ? stem.normalize('NFD').replace(/\p{M}/gu, '') : stem;
  return plain.replace(UNMARKABLE, (letter) => PLAIN[letter]!);
}
