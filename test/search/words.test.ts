import { describe, expect, test } from 'vitest';
import { getIdfShare, splitIntoNgrams, splitIntoWords } from '#src/search/words.ts';

describe('splitIntoWords', () => {
  test('joins subscripts with their word and keeps superscripts apart', () => {
    expect(splitIntoWords('H<sub>2</sub>O, 10<sup>6</sup> and CO<sub>2</sub> größer')).toEqual([
      ...['h2o', '10', '6', 'and', 'co2', 'größer'],
    ]);
  });

  test('returns normalized lower-case words without punctuation', () => {
    expect(splitIntoWords('The quick-brown FOX, 3.5 times!')).toEqual([
      'the',
      'quick',
      'brown',
      'fox',
      '3',
      '5',
      'times',
    ]);
    expect(splitIntoWords('ﬁnance ＡＢＣ Straße')).toEqual(['finance', 'abc', 'straße']);
    expect(splitIntoWords('')).toEqual([]);
  });

  test('returns characters and bigrams for scripts without spaces', () => {
    expect(splitIntoWords('向量搜索')).toEqual(['向', '向量', '量', '量搜', '搜', '搜索', '索']);
    expect(splitIntoWords('第3章PDF')).toEqual(['第', '3', '章', 'pdf']);
    expect(splitIntoWords('データ')).toContain('ター'.slice(0, 1));
  });

  test('returns bigrams and trigrams for alphabets without spaces', () => {
    expect(splitIntoWords('กาแฟ')).toEqual(['กา', 'กาแ', 'าแ', 'าแฟ', 'แฟ']);
    expect(splitIntoWords('งู')).toEqual(['งู']);
    expect(splitIntoWords('ก')).toEqual(['ก']);
    expect(splitIntoWords('PDF ภาษาไทย')).toEqual(['pdf', ...splitIntoWords('ภาษาไทย')]);
  });

  test.each([
    ['Persian keyboards', 'کتاب‌های ایرانی', ['كتاب', 'هاي', 'ايراني']],
    ['the digits of any script', '٢٠٢٤ ۱۳۹۹ १९४७ ๒๕', ['2024', '1399', '1947', '25']],
    ['Hebrew acronyms and final letters', 'צה״ל צה"ל מלך', ['צהל', 'צהל', 'מלכ']],
    ['apostrophes between Cyrillic letters', "п’ять м'ята", ['пять', 'мята']],
    ['quotes around them', '"слово" \'слово\'', ['слово', 'слово']],
    ['marks inside Indic words', 'বিশ্ববিদ্যালয় క్షేత్రం தமிழ்', ['বিশ্ববিদ্যালয়', 'క్షేత్రం', 'தமிழ்']],
    ['joiners', 'क्\u200dष क्\u200cष നന്\u200d നൻ', ['क्ष', 'क्ष', 'നന്', 'നന്']],
    ['soft hyphens and signs of direction', 'mes\u00adsage \u200fكتاب\u200e', ['message', 'كتاب']],
    ['Khmer with and without marked breaks', 'កខ\u200bគ', ['កខ', 'កខគ', 'ខគ']],
    ['Georgian and Armenian capitals', 'ᲡᲐᲥᲐᲠᲗᲕᲔᲚᲝ ԵՐԵՎԱՆ երևան', ['საქართველო', 'երեվան', 'երեվան']],
  ])('normalizes %s', (_, text, expected) => {
    expect(splitIntoWords(text)).toEqual(expected);
  });

  test('handles floods of combining marks quickly', () => {
    // Normalizing these marks one by one would take minutes.
    const flood = `a${'\u0301\u0323'.repeat(500_000)} b`;
    expect(splitIntoWords(flood)).toEqual([expect.stringMatching(/^.{2,31}$/u), 'b']);
    expect(splitIntoWords('\u0591'.repeat(1_000_000))).toEqual([]);
    expect(splitIntoWords(`${'א"'.repeat(500_000)}`)).toEqual([]);
    expect(splitIntoWords('\u200c'.repeat(1_000_000))).toEqual([]);
  });

  test('removes optional vowel points and strokes', () => {
    expect(splitIntoWords('كِتَابٌ كتـــاب')).toEqual(['كتاب', 'كتاب']);
    expect(splitIntoWords('שָׁלוֹם')).toEqual(splitIntoWords('שלום'));
    expect(splitIntoWords('İstanbul')).toEqual(['istanbul']);
    // In Hindi, this kind of mark is a vowel and is kept.
    expect(splitIntoWords('किताब')).toEqual(['किताब']);
  });

  test('skips encoded data', () => {
    expect(splitIntoWords(`before ${'a'.repeat(100)} after`)).toEqual(['before', 'after']);
  });
});

test('splitIntoNgrams returns four-letter n-grams of words, but none for numbers and short words', () => {
  expect(splitIntoNgrams('kitabu')).toEqual(['_kit', 'kita', 'itab', 'tabu']);
  expect(['kit', 'ab12cd', '20240101', '向量搜索', 'ภาษาไทย'].flatMap(splitIntoNgrams)).toEqual([]);
});

test('getIdfShare is below one half for a single Hangul syllable and two Thai letters', () => {
  expect(['물', 'ภา'].every((word) => getIdfShare(word) < 0.5)).toBe(true);
  expect(['물리', 'ภาษ', '水', 'ab'].map(getIdfShare)).toEqual([1, 1, 1, 1]);
});
