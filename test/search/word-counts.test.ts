import { describe, expect, it } from 'vitest';
import { countWords } from '#src/search/word-counts.ts';

describe('word counts', () => {
  it('adds up the chunks of all languages and leaves out words that are in no chunk', () => {
    const documentFrequency = { 'en:tower': 3, 'de:tower': 2, 'en:run': 4 };
    const statistics = { documentCount: 10, totalLength: 100, documentFrequency };
    expect(countWords('Towers tower running Ardgour', statistics)).toEqual({
      chunks: 10,
      containing: { towers: 3, tower: 5, running: 4 },
    });
  });

  it('counts no more chunks than the index has', () => {
    const documentFrequency = { 'en:tower': 3, 'de:tower': 3 };
    const statistics = { documentCount: 4, totalLength: 40, documentFrequency };
    expect(countWords('tower', statistics).containing).toEqual({ tower: 4 });
  });
});
