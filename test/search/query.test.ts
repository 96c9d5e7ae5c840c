import { describe, expect, test } from 'vitest';
import { analyseQuery } from '#src/search/query.ts';

const whole = (text: string) => ({ text, idfShare: 1, isStopWord: false });
const common = (text: string) => ({ text, idfShare: 1, isStopWord: true });

describe('analyseQuery', () => {
  test('analyzes a query in every language and marks stop words of each language', () => {
    expect(analyseQuery('die Verträge', ['de', 'en'])).toEqual([
      { terms: [common('de:die'), whole('en:die')], variants: ['de:die', 'en:die'] },
      { terms: [whole('de:vertrag'), whole('en:vertrage')], variants: ['de:vertrag', 'en:vertrage'] },
    ]);
  });

  test('lower-cases by the rules of each language', () => {
    const [word] = analyseQuery('ISPARTA', ['en', 'tr']);
    expect(word!.variants).toEqual(['en:isparta', analyseQuery('ısparta', ['tr'])[0]!.variants[0]]);
    expect(analyseQuery('İI', ['tr', 'en'])).toHaveLength(1);
  });

  test('adds n-grams for languages without stemmer without changing the total weight', () => {
    const read = analyseQuery('vitabu na 2024', ['und']);
    expect(read.map(({ variants }) => variants[0])).toEqual([
      'und:vitabu',
      'und:~_vit',
      'und:~vita',
      'und:~itab',
      'und:~tabu',
      'und:na',
      'und:2024',
    ]);
    expect(read.map(({ wordVariants }) => wordVariants?.[0])).toEqual([
      undefined,
      ...Array(4).fill('und:vitabu'),
      undefined,
      undefined,
    ]);
    const shares = read.map(({ terms }) => terms[0]!.idfShare);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(3, 10);
    // The n-grams of a word together weigh more than the whole word.
    expect(shares[0]!).toBeLessThan(4 * shares[1]!);
    expect(shares[0]!).toBeLessThan(shares[5]!);
  });

  test('uses only the first 256 distinct words', () => {
    const text = Array.from({ length: 1_000 }, (_, i) => `w${i} w0`).join(' ');
    const terms = analyseQuery(text, ['en']).flatMap(({ variants }) => variants);
    expect(new Set(terms).size).toBe(256);
    expect(terms.filter((term) => term === 'en:w0')).toHaveLength(1_001);
    expect(terms).not.toContain('en:w256');
  });

  test('uses at most 512 distinct n-grams', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const text = letters.flatMap((a) => letters.slice(0, 9).map((b) => `${a}${b}q${b}${a}z`)).join(' ');
    const terms = analyseQuery(text, ['und']).flatMap(({ variants }) => variants);
    expect(new Set(terms.filter((term) => term.startsWith('und:~'))).size).toBe(512);
    expect(terms.filter((term) => !term.startsWith('und:~'))).toHaveLength(234);
  });

  test('keeps stop words if the query has nothing else', () => {
    const read = analyseQuery('to be or not to be', ['en']);
    expect(read).toHaveLength(6);
    expect(read.every(({ terms }) => terms[0]!.idfShare === 1 && !terms[0]!.isStopWord)).toBe(true);
  });
});
