import { describe, expect, it } from 'vitest';
import { countWords } from '#src/search/term-weights.ts';

describe('word counts', () => {
  it('adds up the chunks of all languages and counts words that are in no chunk as 0', () => {
    const documentFrequency = { 'en:radio': 3, 'de:radio': 2, 'en:run': 4 };
    const statistics = { documentCount: 10, totalLength: 100, documentFrequency };
    expect(countWords('radio running Ardgour', statistics)).toEqual({
      chunks: 10,
      containing: { radio: 5, running: 4, ardgour: 0 },
    });
  });

  it('counts no more chunks than the index has', () => {
    const documentFrequency = { 'en:radio': 3, 'de:radio': 3 };
    const statistics = { documentCount: 4, totalLength: 40, documentFrequency };
    expect(countWords('radio', statistics).containing).toEqual({ radio: 4 });
  });
});
