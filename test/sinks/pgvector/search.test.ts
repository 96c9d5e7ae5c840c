import { describe, expect, it } from 'vitest';
import { pickRareTerms } from '#src/sinks/pgvector/search/rare-terms.ts';
import { decodeText, encodeText } from '#src/sinks/pgvector/search/storable.ts';
import { createTermHash } from '#src/sinks/pgvector/search/term-hash.ts';

describe('texts in tables', () => {
  it.each([
    'walrus',
    'a\0b',
    '\ud800',
    'x\udfff\ud83d\ude00',
    '\ue00f\ue010\ue010\ue010\ue010',
    '\ue01f',
    '',
  ])('%j is stored without characters that PostgreSQL refuses, and read unchanged', (text) => {
    const stored = encodeText(text);
    expect(stored.isWellFormed() && !stored.includes('\0')).toBe(true);
    expect(decodeText(stored)).toBe(text);
  });

  it('of two kinds never become equal', () => {
    const texts = ['\0', encodeText('\0'), encodeText(encodeText('\0'))];
    expect(new Set(texts.map(encodeText)).size).toBe(3);
    expect(encodeText('a\0b').includes(encodeText('0'))).toBe(false);
  });
});

it('hashes of terms are safe integers that differ between terms and indexes', () => {
  const [one, other] = [createTermHash('one'), createTermHash('other')];
  const terms = Array.from({ length: 20_000 }, (_, i) => `en:${i.toString(36)}`);
  const hashes = terms.flatMap((term) => [one(term), other(term)]);
  expect(new Set(hashes).size).toBe(2 * terms.length);
  expect(hashes.every((hash) => Number.isSafeInteger(hash) && hash >= 0)).toBe(true);
  expect(createTermHash('one')('en:walrus')).toBe(one('en:walrus'));
});

describe('the rare words of a query', () => {
  const statistics = {
    documentCount: 100,
    totalLength: 100,
    documentFrequency: { rare: 2, usual: 30, often: 90 },
  };
  const weights = (...terms: string[]) => ({
    finding: new Map(terms.map((term, at) => [term, at + 1])),
    ranking: new Map([['the', 0.5]]),
  });

  it('are searched first, and the bound covers every chunk without them', () => {
    expect(pickRareTerms(weights('often', 'rare', 'usual'), statistics, 40)).toEqual({
      terms: ['rare', 'usual'],
      bound: 1 + 0.5,
    });
    expect(pickRareTerms(weights('often', 'rare', 'usual'), statistics, 1)).toEqual({
      terms: ['rare'],
      bound: 1 + 3 + 0.5,
    });
  });

  it('are all words if these are rare together, or if there is one', () => {
    expect(pickRareTerms(weights('often', 'rare'), statistics, 92)).toBeUndefined();
    expect(pickRareTerms(weights('often'), statistics, 1)).toBeUndefined();
  });
});
