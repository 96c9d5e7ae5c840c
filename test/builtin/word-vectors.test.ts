import { beforeAll, describe, expect, it } from 'vitest';
import { loadWordVectors, type WordVectors } from '#src/builtin/word-vectors/word-vectors.ts';

let vectors: WordVectors;
beforeAll(async () => {
  vectors = await loadWordVectors();
});

const english = (word: string) => vectors.meaningOf(word, 'en')!.vector;

describe('meanings of words', () => {
  it.each([
    ['de', 'krankenhaus', 'hospital'],
    ['fr', 'hôpital', 'hospital'],
    ['pl', 'szpital', 'hospital'],
    ['ja', '病院', 'hospital'],
    ['ru', 'футбол', 'football'],
    ['tr', 'yağmur', 'rain'],
    ['el', 'τράπεζα', 'bank'],
    ['el', 'νοσοκομείο', 'hospital'],
  ])('are those of the English word: %s %s', (language, word, meant) => {
    expect(vectors.meaningOf(word, language)).toEqual({ vector: english(meant), sureness: 1 });
  });

  it.each([
    ['another form', 'cs', 'zemědělci', 'farmer'],
    ['a compound, by what it ends in', 'de', 'kinderkrankenhaus', 'hospital'],
    ['a compound, by what it begins with', 'de', 'krankenhausverwaltung', 'hospital'],
  ])('are less sure for %s', (_, language, word, meant) => {
    const meaning = vectors.meaningOf(word, language)!;
    expect(meaning.vector).toBe(english(meant));
    expect(meaning.sureness).toBeGreaterThan(0.3);
    expect(meaning.sureness).toBeLessThan(1);
  });

  it('are those of a word that is written much as in English', () => {
    expect(vectors.meaningOf('politik', 'de')!.vector).toBe(english('politics'));
    expect(vectors.meaningOf('politik', 'de')!.sureness).toBeLessThan(0.8);
  });

  it('are not known of words that no table has, nor of a language by the words of another', () => {
    expect(vectors.meaningOf('zorbanel', 'de')).toBeUndefined();
    expect(vectors.meaningOf('szpital', 'de')).toBeUndefined();
    expect(vectors.meaningOf('szpital', 'en')).toBeUndefined();
    expect(vectors.meaningOf('hospital', 'xx')?.vector).toBe(english('hospital'));
  });

  it('are never those of a very long word', () => {
    expect(vectors.meaningOf(`${'x'.repeat(60)}krankenhaus`, 'de')).toBeUndefined();
  });
});
