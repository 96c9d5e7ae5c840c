import { describe, expect, test } from 'vitest';
import { analyseChunk, analyseTitle, type TermCounts } from '#src/search/analysis.ts';
import { getLanguage, resolveLanguage } from '#src/search/languages.ts';

test('English stemmer follows Porter2', () => {
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
    generate: 'generat',
    communities: 'communiti',
    arsenal: 'arsenal',
    news: 'news',
    inning: 'inning',
    biology: 'biolog',
    controlled: 'control',
  };
  const { stem } = getLanguage('en');
  expect(Object.fromEntries(Object.keys(stems).map((word) => [word, stem(word)]))).toEqual(stems);
});

test('English words with a digit or accent are not stemmed', () => {
  const { stem } = getLanguage('en');
  const words = ['b2b', '4runners', 'naïves', 'cafés'];
  expect(words.map(stem)).toEqual(words);
});

describe('language resolution', () => {
  test('prefers the declared language and otherwise detects the script', () => {
    expect(resolveLanguage('de-AT', 'text')).toBe('de');
    expect(resolveLanguage('nb', 'text')).toBe('no');
    expect(resolveLanguage('xx', 'text')).toBe('und');
    expect(resolveLanguage('zh', '文字')).toBe('und');
    expect(resolveLanguage(undefined, 'plain words')).toBe('en');
    expect(resolveLanguage(undefined, 'простые слова (plain)')).toBe('ru');
    expect(resolveLanguage(undefined, '纯文本')).toBe('und');
    expect(resolveLanguage(undefined, '2024 …')).toBe('en');
  });

  test('applies to the stemming of chunks', () => {
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
    ['tr', 'ISPARTA', 'ısparta'],
    ['tr', 'İSTANBUL', 'istanbul'],
    ['uk', 'книгами', 'книгах'],
    ['uk', "п'ять", 'пʼять'],
    ['ru', 'Моско́ва', 'москова'],
    ['ru', 'ёлка', 'елка'],
    ['ar', 'الإنسان', 'الانسان'],
    ['ar', 'مستشفى', 'مستشفي'],
    ['hi', 'हिन्दी', 'हिंदी'],
    ['hi', 'ज़मीन', 'जमीन'],
    ['ro', 'știință', 'ştiinţă'],
    ['de', 'STRASSE', 'Straße'],
    ['de', 'Ma\u0308rkte', 'Märkte'],
    ['vi', 'tiếng', 'tiếng'.normalize('NFD')],
    ['el', 'ΑΘΉΝΑ', 'Αθήνα'],
  ])('%s stems "%s" and "%s" to the same term', (language, one, other) => {
    const listTerms = (text: string) => analyseChunk({ text, language }).terms;
    expect(listTerms(one)).toHaveLength(1);
    expect(listTerms(one)).toEqual(listTerms(other));
  });

  test('keeps Vietnamese tones as distinct words', () => {
    expect(analyseChunk({ text: 'ma má mạ', language: 'vi' }).terms).toEqual(['vi:ma', 'vi:má', 'vi:mạ']);
    expect(analyseChunk({ text: 'cafe café', language: 'fr' }).terms).toEqual(['fr:caf']);
  });

  test('indexes languages without stemmer by words and four-letter n-grams', () => {
    expect(analyseChunk({ text: 'Łódź miasto 2024', language: 'pl' }).terms).toEqual([
      'und:lodz',
      'und:~_lod',
      'und:~lodz',
      'und:miasto',
      'und:~_mia',
      'und:~mias',
      'und:~iast',
      'und:~asto',
      'und:2024',
    ]);
    const shared = (one: string, other: string) => {
      const [a, b] = [one, other].map((text) => analyseChunk({ text, language: 'xx' }).terms);
      return a!.filter((term) => b!.includes(term)).length;
    };
    expect(shared('kitabu', 'vitabu')).toBe(2);
    expect(shared('বাংলাদেশের', 'বাংলাদেশে')).toBeGreaterThan(4);
    expect(shared('city', 'velocity')).toBe(1);
    // N-grams do not count toward the length.
    expect(analyseChunk({ text: 'miasto miasta', language: 'pl' }).length).toBe(2);
    expect(analyseChunk({ text: '向量搜索', language: 'zh' }).terms.join('')).not.toContain('~');
  });

  test('detects a language by script', () => {
    const guessed = ['نص عادي', 'απλό κείμενο', 'सादा पाठ', 'טקסט', 'ข้อความ'];
    expect(guessed.map((text) => resolveLanguage(undefined, text))).toEqual(['ar', 'el', 'hi', 'und', 'und']);
  });
});

const counted = ({ terms, frequencies }: TermCounts) =>
  Object.fromEntries(terms.map((term, i) => [term, frequencies[i]]));

test('words with the same stem share a term, and each text is counted separately', () => {
  const text = { text: 'running runs, run on', language: 'en' };
  expect(counted(analyseChunk(text))).toEqual({ 'en:run': 3, 'en:on': 1 });
  expect(counted(analyseChunk({ ...text, text: 'run '.repeat(300) }))).toEqual({ 'en:run': 255 });
  expect(counted(analyseChunk(text))).toEqual({ 'en:run': 3, 'en:on': 1 });
});

describe('fields', () => {
  test('headings count twice in term frequency but not in length', () => {
    const analysed = analyseChunk({ text: 'search shards', headings: ['Search'], language: 'en' });
    expect(counted(analysed)).toEqual({ 'en:search': 3, 'en:shard': 1 });
    expect(analysed.length).toBe(3);
  });

  test('file extensions are removed from titles', () => {
    expect(counted(analyseTitle('Annual_report-2024.final.pdf', 'en'))).toEqual({
      'en:annual': 2,
      'en:report': 2,
      'en:2024': 2,
      'en:final': 2,
    });
  });
});
