import { describe, expect, test } from 'vitest';
import { analyseChunk, analyseQuery, analyseTitle, type TermCounts, words } from '#src/search/analysis.ts';
import { stemEnglish } from '#src/search/english-stemmer.ts';
import { resolveLanguage } from '#src/search/languages.ts';

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

  test('are without the vowel points and strokes that most writers leave out', () => {
    expect(words('كِتَابٌ كتـــاب')).toEqual(['كتاب', 'كتاب']);
    expect(words('שָׁלוֹם')).toEqual(['שלום']);
    expect(words('İstanbul')).toEqual(['istanbul']);
    // In Hindi the same kind of mark is a vowel.
    expect(words('किताब')).toEqual(['किताब']);
  });

  test('are not encoded data', () => {
    expect(words(`before ${'a'.repeat(100)} after`)).toEqual(['before', 'after']);
  });
});

test('the English stemmer follows Porter2', () => {
  const stems = {
    consistency: 'consist',
    generously: 'generous',
    dying: 'die',
    hopping: 'hop',
    hoping: 'hope',
    cries: 'cri',
    ties: 'tie',
    relational: 'relat',
    happy: 'happi',
    say: 'say',
    youth: 'youth',
    exceedingly: 'exceed',
    sensational: 'sensat',
    b2b: 'b2b',
  };
  expect(Object.fromEntries(Object.keys(stems).map((word) => [word, stemEnglish(word)]))).toEqual(stems);
});

describe('languages', () => {
  test('declared ones count, others are guessed from the script', () => {
    expect(resolveLanguage('de-AT', 'text')).toBe('de');
    expect(resolveLanguage('nb', 'text')).toBe('no');
    expect(resolveLanguage('xx', 'text')).toBe('und');
    expect(resolveLanguage('zh', '文字')).toBe('und');
    expect(resolveLanguage(undefined, 'plain words')).toBe('en');
    expect(resolveLanguage(undefined, 'простые слова (plain)')).toBe('ru');
    expect(resolveLanguage(undefined, '纯文本')).toBe('und');
    expect(resolveLanguage(undefined, '2024 …')).toBe('en');
  });

  test('a chunk is indexed by the rules of its language', () => {
    expect(analyseChunk({ text: 'Häuser und Gärten', language: 'de' }).terms).toEqual([
      'de:haus',
      'de:und',
      'de:gart',
    ]);
    expect(analyseChunk({ text: 'большие дома', language: 'ru' }).terms).toEqual(['ru:больш', 'ru:дом']);
  });

  test.each([
    ['ar', 'الكتاب', 'كتاب'],
    ['ar', 'والمدرسة', 'المدرسة'],
    ['ar', 'أحمد', 'احمد'],
    ['ar', 'مُهَنْدِس', 'مهندس'],
    ['el', 'ΔΡΟΜΟΣ', 'δρόμος'],
    ['el', 'δρόμους', 'δρόμοι'],
    ['hi', 'लड़कियों', 'लड़कियाँ'],
    ['tr', 'kitapları', 'kitaplar'],
    ['tr', 'ışık', 'isik'],
    ['uk', 'книгами', 'книгах'],
  ])('%s reads "%s" and "%s" as one word', (language, one, other) => {
    const termsOf = (text: string) => analyseChunk({ text, language }).terms;
    expect(termsOf(one)).toHaveLength(1);
    expect(termsOf(one)).toEqual(termsOf(other));
  });

  test('the tones of Vietnamese tell words apart', () => {
    expect(analyseChunk({ text: 'ma má mạ', language: 'vi' }).terms).toEqual(['vi:ma', 'vi:má', 'vi:mạ']);
    expect(analyseChunk({ text: 'cafe café', language: 'fr' }).terms).toEqual(['fr:caf']);
  });

  test('are guessed from the script', () => {
    const guessed = ['نص عادي', 'απλό κείμενο', 'सादा पाठ', 'טקסט', 'ข้อความ'];
    expect(guessed.map((text) => resolveLanguage(undefined, text))).toEqual(['ar', 'el', 'hi', 'und', 'und']);
  });
});

const counted = ({ terms, frequencies }: TermCounts) =>
  Object.fromEntries(terms.map((term, i) => [term, frequencies[i]]));

test('words of one stem are one term, and every text is counted by itself', () => {
  const text = { text: 'running runs, run on', language: 'en' };
  expect(counted(analyseChunk(text))).toEqual({ 'en:run': 3, 'en:on': 1 });
  expect(counted(analyseChunk({ ...text, text: 'run '.repeat(300) }))).toEqual({ 'en:run': 255 });
  expect(counted(analyseChunk(text))).toEqual({ 'en:run': 3, 'en:on': 1 });
});

describe('fields', () => {
  test('headings count twice, in frequency and not in length', () => {
    const analysed = analyseChunk({ text: 'search shards', headings: ['Search'], language: 'en' });
    expect(counted(analysed)).toEqual({ 'en:search': 3, 'en:shard': 1 });
    expect(analysed.length).toBe(3);
  });

  test('a title loses its extension', () => {
    expect(counted(analyseTitle('Annual_report-2024.final.pdf', 'en'))).toEqual({
      'en:annual': 2,
      'en:report': 2,
      'en:2024': 2,
      'en:final': 2,
    });
  });
});

describe('queries', () => {
  test('are read in every language, without stop words', () => {
    expect(analyseQuery('die Verträge', ['de', 'en'])).toEqual([
      { terms: ['en:die'], variants: ['de:die', 'en:die'] },
      { terms: ['de:vertrag', 'en:vertrage'], variants: ['de:vertrag', 'en:vertrage'] },
    ]);
  });

  test('are cut after their first 256 different words', () => {
    const text = Array.from({ length: 1_000 }, (_, i) => `w${i} w0`).join(' ');
    const terms = analyseQuery(text, ['en']).flatMap((word) => word.terms);
    expect(new Set(terms).size).toBe(256);
    expect(terms.filter((term) => term === 'en:w0')).toHaveLength(1_001);
    expect(terms).not.toContain('en:w256');
  });

  test('of stop words alone keep them', () => {
    expect(analyseQuery('to be or not to be', ['en'])).toHaveLength(6);
  });
});
