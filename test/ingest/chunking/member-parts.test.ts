import { expect, it } from 'vitest';
import type { StoredPage } from '#src/documents/page-store.ts';
import { chunkDocument } from '#src/ingest/chunking/index.ts';
import { joinPages } from '#src/ingest/join-pages.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { configured, tools } from './helpers.ts';

const page = (index: number, text: string, member?: StoredPage['member']): StoredPage => ({
  index,
  label: String(index + 1),
  width: 612,
  height: 792,
  text,
  markdown: text,
  blocks: [],
  links: [],
  figures: [],
  ...(member && { member }),
});

it('each chunk covers one file of an archive and reports its path, pages and headings', async () => {
  const document = joinPages(
    [
      page(0, 'A letter.'),
      page(1, '# a/one.txt\n\nFirst words.', { path: 'a/one.txt', pageIndex: 0 }),
      page(2, '# Part\n\nSecond words.', { path: 'a/one.txt', pageIndex: 1 }),
      page(3, 'Third words.', { path: 'two.txt', pageIndex: 0 }),
    ],
    resolveParsePlan({}),
  );
  const chunks = await chunkDocument(document, configured({ mode: 'auto' }), tools);
  expect(
    chunks.map(({ member, startPage, endPage, headings }) => [member, startPage, endPage, headings]),
  ).toEqual([
    [undefined, 0, 0, []],
    ['a/one.txt', 1, 2, ['a/one.txt']],
    ['two.txt', 3, 3, ['two.txt']],
  ]);
  for (const { text, startChar, endChar } of chunks) {
    expect(document.text.slice(startChar, endChar)).toBe(text);
  }
});
