import { encode } from 'gpt-tokenizer/encoding/r50k_base';
import { describe, expect, it, vi } from 'vitest';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';

describe('tokenizer', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['antidisestablishmentarianism', 5],
    ["I'm sure they've gone  home.\n\n", 10],
  ])('%j', async (text, count) => {
    const tokenizer = await loadTokenizer();
    expect(tokenizer.count(text)).toBe(encode(text).length);
    expect(tokenizer.count(text)).toBe(count);
  });

  it.each(['数据库中的文件', 'Привет, мир!', '😀👩‍👩‍👧', '| a | b |\n|---|---|', '\ud800 lone'])(
    'matches the reference encoding of %j',
    async (text) => expect((await loadTokenizer()).count(text)).toBe(encode(text).length),
  );

  it('caches each word once', async () => {
    const { count } = await loadTokenizer();
    const words = Array.from(
      { length: 200 },
      (_, index) => ` Xq${'zjvkw'[index % 5]}Qx${'abcdefghij'[index % 10]}`,
    );
    const distinct = new Set(words.map((word) => `${word}Zt`));
    const kept = vi.spyOn(Map.prototype, 'set');
    try {
      for (const word of distinct) count(word);
      // A second cache takes quadratic time once it is full.
      expect(kept.mock.calls.filter(([key]) => distinct.has(String(key)))).toHaveLength(distinct.size);
    } finally {
      kept.mockRestore();
    }
  });

  it('counts special tokens as plain text', async () => {
    expect((await loadTokenizer()).count('<|endoftext|>')).toBeGreaterThan(1);
  });
});
