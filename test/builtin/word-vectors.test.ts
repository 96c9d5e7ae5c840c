import { beforeAll, describe, expect, it } from 'vitest';
import { loadWordVectors, type WordVectors } from '#src/builtin/word-vectors/word-vectors.ts';

let vectors: WordVectors;
beforeAll(async () => {
  vectors = await loadWordVectors();
});

const english = (word: string) => vectors.findMeaning(word, 'en')!.vector;

describe('findMeaning', () => {
  it.each([
    ['de', 'krankenhaus', 'hospital'],
    ['fr', 'hôpital', 'hospital'],
    ['pl', 'szpital', 'hospital'],
    ['ja', '病院', 'hospital'],
    ['ru', 'футбол', 'football'],
    ['tr', 'yağmur', 'rain'],
    ['el', 'τράπεζα', 'bank'],
    ['el', 'νοσοκομείο', 'hospital'],
  ])('returns the vector of the English word: %s %s', (language, word, meant) => {
    expect(vectors.findMeaning(word, language)).toEqual({ vector: english(meant), certainty: 1 });
  });

  it.each([
    ['another form', 'cs', 'zemědělci', 'farmer'],
    ['a compound, by what it ends in', 'de', 'kinderkrankenhaus', 'hospital'],
    ['a compound, by what it begins with', 'de', 'krankenhausverwaltung', 'hospital'],
  ])('is less certain for %s', (_, language, word, meant) => {
    const meaning = vectors.findMeaning(word, language)!;
    expect(meaning.vector).toBe(english(meant));
    expect(meaning.certainty).toBeGreaterThan(0.3);
    expect(meaning.certainty).toBeLessThan(1);
  });

  it('matches a word that is spelled almost like an English word', () => {
    expect(vectors.findMeaning('politik', 'de')!.vector).toBe(english('politics'));
    expect(vectors.findMeaning('politik', 'de')!.certainty).toBeLessThan(0.8);
  });

  it('returns undefined for unknown words and words of another language', () => {
    expect(vectors.findMeaning('zorbanel', 'de')).toBeUndefined();
    expect(vectors.findMeaning('szpital', 'de')).toBeUndefined();
    expect(vectors.findMeaning('szpital', 'en')).toBeUndefined();
    expect(vectors.findMeaning('hospital', 'xx')?.vector).toBe(english('hospital'));
  });

  it('returns undefined for a very long word', () => {
    expect(vectors.findMeaning(`${'x'.repeat(60)}krankenhaus`, 'de')).toBeUndefined();
  });
});
