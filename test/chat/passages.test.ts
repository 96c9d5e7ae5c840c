import { expect, test } from 'vitest';
import { PROMPT_TOKENS, passagesOf } from '#src/chat/passages.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';

const chunk = (text: string, metadata: StoredChunk['metadata'] = {}): StoredChunk => ({
  id: text.slice(0, 8),
  documentId: 'd',
  position: 0,
  text,
  headings: [],
  startChar: 0,
  endChar: text.length,
  hash: '',
  title: '',
  metadata,
});

/** One token a word. */
const words = (count: number, word = ' tide') => word.repeat(count);

async function tokensOf(texts: string[]): Promise<number> {
  const tokenizer = await loadTokenizer();
  return texts.reduce((sum, text) => sum + tokenizer.count(text), 0);
}

test('what fits is given whole, numbered, with the metadata that the model may see', async () => {
  const chunks = [chunk('one', { file_name: 'a.txt', secret: 'x', file_id: '1' }), chunk('two')];
  expect(await passagesOf(chunks, ['secret'])).toEqual({
    texts: ['[1]\nfile_name: a.txt\none', '[2]\n\ntwo'],
    cut: [],
    left: 0,
  });
});

test('whole files share the budget; what short ones leave goes to the long ones', async () => {
  const files = [chunk(words(900_000)), chunk(words(1_000)), chunk(words(50_000, ' quay'))];
  const { texts, cut, left } = await passagesOf(files, []);
  expect({ cut, left }).toEqual({ cut: [1, 3], left: 0 });
  const [first, second, third] = await Promise.all(texts.map((text) => tokensOf([text])));
  expect(texts[1]).toBe(`[2]\n\n${words(1_000)}`);
  expect(second).toBeLessThan(1_010);
  for (const tokens of [first!, third!]) {
    expect(tokens).toBeGreaterThan((PROMPT_TOKENS - second!) / 2 - 10);
    expect(tokens).toBeLessThan((PROMPT_TOKENS - second!) / 2 + 10);
  }
  expect(texts[0]!.startsWith('[1]\n\n tide tide')).toBe(true);
  expect(texts[0]!.endsWith(' tide […]')).toBe(true);
});

test('chunks are not cut: the last are left out', async () => {
  const chunks = Array.from({ length: 100 }, () => chunk(words(1_000)));
  const { texts, cut, left } = await passagesOf(chunks, [], 10_000);
  expect(cut).toEqual([]);
  expect(texts.length + left).toBe(100);
  expect(texts).toHaveLength(9);
  expect(await tokensOf(texts)).toBeLessThanOrEqual(10_000);
});

test('one passage is never left out', async () => {
  const { texts, cut, left } = await passagesOf([chunk(words(5_000)), chunk('b')], [], 100);
  expect({ count: texts.length, cut, left }).toEqual({ count: 1, cut: [1], left: 1 });
});

test('text that has no words is measured as well', async () => {
  const { texts } = await passagesOf(
    [chunk('漢字'.repeat(40_000)), chunk('\u0000'.repeat(50_000))],
    [],
    2_000,
  );
  expect(await tokensOf(texts)).toBeLessThanOrEqual(2_020);
});
