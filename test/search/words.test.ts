import { describe, expect, test } from 'vitest';
import { gramsOf, shareOf, words } from '#src/search/words.ts';

describe('words', () => {
  test('are lower-cased, without punctuation, in normal form', () => {
    expect(words('The quick-brown FOX, 3.5 times!')).toEqual([
      'the',
      'quick',
      'brown',
      'fox',
      '3',
      '5',
      'times',
    ]);
    expect(words('ﬁnance ＡＢＣ Straße')).toEqual(['finance', 'abc', 'straße']);
    expect(words('')).toEqual([]);
  });

  test('are letters and pairs of letters in scripts without spaces', () => {
    expect(words('向量搜索')).toEqual(['向', '向量', '量', '量搜', '搜', '搜索', '索']);
    expect(words('第3章PDF')).toEqual(['第', '3', '章', 'pdf']);
    expect(words('データ')).toContain('ター'.slice(0, 1));
  });

  test('are pairs and triples of letters in alphabets without spaces', () => {
    expect(words('กาแฟ')).toEqual(['กา', 'กาแ', 'าแ', 'าแฟ', 'แฟ']);
    expect(words('งู')).toEqual(['งู']);
    expect(words('ก')).toEqual(['ก']);
    expect(words('PDF ภาษาไทย')).toEqual(['pdf', ...words('ภาษาไทย')]);
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
  ])('are the same for %s', (_, text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  test('of a flood of marks take no longer than others of its length', () => {
    // Left as they are, these would be put into order mark by mark: minutes.
    const flood = `a${'\u0301\u0323'.repeat(500_000)} b`;
    expect(words(flood)).toEqual([expect.stringMatching(/^.{2,31}$/u), 'b']);
    expect(words('\u0591'.repeat(1_000_000))).toEqual([]);
    expect(words(`${'א"'.repeat(500_000)}`)).toEqual([]);
    expect(words('\u200c'.repeat(1_000_000))).toEqual([]);
  });

  test('are without the vowel points and strokes that most writers leave out', () => {
    expect(words('كِتَابٌ كتـــاب')).toEqual(['كتاب', 'كتاب']);
    expect(words('שָׁלוֹם')).toEqual(words('שלום'));
    expect(words('İstanbul')).toEqual(['istanbul']);
    // In Hindi the same kind of mark is a vowel.
    expect(words('किताब')).toEqual(['किताब']);
  });

  test('are not encoded data', () => {
    expect(words(`before ${'a'.repeat(100)} after`)).toEqual(['before', 'after']);
  });
});

test('parts of a word are its overlapping fours of letters, of numbers and short words none', () => {
  expect(gramsOf('kitabu')).toEqual(['_kit', 'kita', 'itab', 'tabu']);
  expect(['kit', 'ab12cd', '20240101', '向量搜索', 'ภาษาไทย'].flatMap(gramsOf)).toEqual([]);
});

test('one syllable of Hangul and two letters of Thai say less than a word', () => {
  expect(['물', 'ภา'].every((word) => shareOf(word) < 0.5)).toBe(true);
  expect(['물리', 'ภาษ', '水', 'ab'].map(shareOf)).toEqual([1, 1, 1, 1]);
});
