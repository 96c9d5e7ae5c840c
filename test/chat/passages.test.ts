import { expect, test } from 'vitest';
import { PROMPT_TOKENS, selectPassages } from '#src/chat/passages.ts';
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

/** Each repetition counts as one token. */
const words = (count: number, word = ' tide') => word.repeat(count);

async function countTokens(texts: string[]): Promise<number> {
  const tokenizer = await loadTokenizer();
  return texts.reduce((sum, text) => sum + tokenizer.count(text), 0);
}

test('includes short passages whole, numbered, with the metadata that the model may see', async () => {
  const chunks = [chunk('one', { file_name: 'a.txt', secret: 'x', file_id: '1' }), chunk('two')];
  expect(await selectPassages(chunks, ['secret'])).toEqual({
    texts: ['[1]\nfile_name: a.txt\none', '[2]\n\ntwo'],
    cut: [],
    omitted: 0,
  });
});

test('shares the token budget between whole files, and gives unused tokens to longer files', async () => {
  const files = [chunk(words(900_000)), chunk(words(1_000)), chunk(words(50_000, ' quay'))];
  const { texts, cut, omitted } = await selectPassages(files, []);
  expect({ cut, omitted }).toEqual({ cut: [1, 3], omitted: 0 });
  const [first, second, third] = await Promise.all(texts.map((text) => countTokens([text])));
  expect(texts[1]).toBe(`[2]\n\n${words(1_000)}`);
  expect(second).toBeLessThan(1_010);
  for (const tokens of [first!, third!]) {
    expect(tokens).toBeGreaterThan((PROMPT_TOKENS - second!) / 2 - 10);
    expect(tokens).toBeLessThan((PROMPT_TOKENS - second!) / 2 + 10);
  }
  expect(texts[0]!.startsWith('[1]\n\n tide tide')).toBe(true);
  expect(texts[0]!.endsWith(' tide […]')).toBe(true);
});

test('leaves out the last chunks instead of cutting chunks', async () => {
  const chunks = Array.from({ length: 100 }, () => chunk(words(1_000)));
  const { texts, cut, omitted } = await selectPassages(chunks, [], 10_000);
  expect(cut).toEqual([]);
  expect(texts.length + omitted).toBe(100);
  expect(texts).toHaveLength(9);
  expect(await countTokens(texts)).toBeLessThanOrEqual(10_000);
});

test('always includes at least one passage', async () => {
  const { texts, cut, omitted } = await selectPassages([chunk(words(5_000)), chunk('b')], [], 100);
  expect({ count: texts.length, cut, omitted }).toEqual({ count: 1, cut: [1], omitted: 1 });
});

test('limits the tokens of text that has no word boundaries', async () => {
  const { texts } = await selectPassages(
    [chunk('漢字'.repeat(40_000)), chunk('\u0000'.repeat(50_000))],
    [],
    2_000,
  );
  expect(await countTokens(texts)).toBeLessThanOrEqual(2_020);
});
