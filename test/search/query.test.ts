import { describe, expect, test } from 'vitest';
import { analyseQuery } from '#src/search/query.ts';

const whole = (text: string) => ({ text, share: 1, isStopWord: false });
const common = (text: string) => ({ text, share: 0.3, isStopWord: true });

describe('a query', () => {
  test('is read in every language, a stop word of one counting little in it', () => {
    expect(analyseQuery('die Verträge', ['de', 'en'])).toEqual([
      { terms: [common('de:die'), whole('en:die')], variants: ['de:die', 'en:die'] },
      { terms: [whole('de:vertrag'), whole('en:vertrage')], variants: ['de:vertrag', 'en:vertrage'] },
    ]);
  });

  test('has the capitals of each language', () => {
    const [word] = analyseQuery('ISPARTA', ['en', 'tr']);
    expect(word!.variants).toEqual(['en:isparta', analyseQuery('ısparta', ['tr'])[0]!.variants[0]]);
    expect(analyseQuery('İI', ['tr', 'en'])).toHaveLength(1);
  });

  test('is looked for by parts of its words where there is no stemmer, and counts as much as by words', () => {
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
    const shares = read.map(({ terms }) => terms[0]!.share);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(3, 10);
    // Parts of one word together more than the whole of it.
    expect(shares[0]!).toBeLessThan(4 * shares[1]!);
    expect(shares[0]!).toBeLessThan(shares[5]!);
  });

  test('is cut after its first 256 different words', () => {
    const text = Array.from({ length: 1_000 }, (_, i) => `w${i} w0`).join(' ');
    const terms = analyseQuery(text, ['en']).flatMap(({ variants }) => variants);
    expect(new Set(terms).size).toBe(256);
    expect(terms.filter((term) => term === 'en:w0')).toHaveLength(1_001);
    expect(terms).not.toContain('en:w256');
  });

  test('is looked for by 512 different parts of words at most', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const text = letters.flatMap((a) => letters.slice(0, 9).map((b) => `${a}${b}q${b}${a}z`)).join(' ');
    const terms = analyseQuery(text, ['und']).flatMap(({ variants }) => variants);
    expect(new Set(terms.filter((term) => term.startsWith('und:~'))).size).toBe(512);
    expect(terms.filter((term) => !term.startsWith('und:~'))).toHaveLength(234);
  });

  test('of stop words alone keeps them', () => {
    const read = analyseQuery('to be or not to be', ['en']);
    expect(read).toHaveLength(6);
    expect(read.every(({ terms }) => terms[0]!.share === 1 && !terms[0]!.isStopWord)).toBe(true);
  });
});
