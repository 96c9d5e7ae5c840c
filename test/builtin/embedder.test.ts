import { describe, expect, it } from 'vitest';
import { createBuiltinEmbedder, hasWord } from '#src/builtin/embedder.ts';

const embedder = createBuiltinEmbedder();
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
async function likeness(query: string, ...texts: string[]) {
  const [vector] = await embedder.embed([query], 'query');
  const vectors = await embedder.embed(texts, 'document');
  return vectors.map((each) => dot(vector!, each));
}

describe('built-in embedder', () => {
  it('returns the same unit vector of the configured dimension for the same text', async () => {
    const texts = ['Some text', '', '!!!', '数据', 'x'.repeat(100_000), 'a', '\ud800'];
    for (const dimension of [384, 64, 1536]) {
      const first = await createBuiltinEmbedder(dimension).embed(texts, 'document');
      const second = await createBuiltinEmbedder(dimension).embed(texts, 'query');
      expect(first).toEqual(second);
      for (const vector of first) {
        expect(vector).toHaveLength(dimension);
        expect(dot(vector, vector)).toBeCloseTo(1, 5);
      }
    }
  });

  it('keeps the vector space of a model id stable', async () => {
    const [vector] = await embedder.embed(['The quick brown fox', 'x'], 'document');
    expect(embedder.modelId).toBe('builtin/hashed-words-1-384');
    expect([...vector!.slice(0, 6)].map((value) => Number(value.toFixed(4)))).toEqual([
      0, 0, 0, -0.0549, 0, -0.0549,
    ]);
  });

  it('places related texts closer to the query than unrelated texts', async () => {
    const [about, other] = await likeness(
      'How tall is the lighthouse?',
      'The lighthouses along this coast are up to forty metres tall.',
      'Quarterly revenue is how the board of the company is judged.',
    );
    expect(about).toBeGreaterThan(other! + 0.1);
  });

  it.each([
    [
      'Сколько стоит новый мост?',
      'Стоимость нового моста составила миллион.',
      'Кошка спит на старом диване.',
    ],
    ['桥梁的成本是多少？', '新桥梁的成本为一百万元。', '猫在沙发上睡觉。'],
    [
      'Wie hoch sind die Brückenkosten?',
      'Die Kosten der Brücke betrugen eine Million.',
      'Die Katze schläft auf dem Sofa.',
    ],
  ])('%s', async (query, about, other) => {
    const [near, far] = await likeness(query, about, other);
    expect(near).toBeGreaterThan(far!);
  });

  it.each([
    ['tide', true],
    ['数据', true],
    ['C++', true],
    ['???', false],
    ['🚀 ', false],
  ])('detects whether a text contains a word: %s', (text, expected) => {
    expect(hasWord(text)).toBe(expected);
  });

  it('gives function words little weight', async () => {
    const [rare, common] = await likeness('the osmosis of it', 'osmosis', 'the of it');
    expect(rare).toBeGreaterThan(common!);
  });
});
