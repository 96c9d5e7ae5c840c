import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import { splitIntoRanges } from '#src/documents/page-selection.ts';
import { writePages } from '#src/documents/page-store.ts';
import { iteratePageWindows, iterateRanges } from '#src/services/jobs/pages.ts';
import { textPage } from '#test/extraction/pages.ts';

const PAGES = 100;
const key = { projectId: crypto.randomUUID(), contentHash: 'c', configHash: 'p' };
const document = { key, pageCount: PAGES };

async function stored(): Promise<void> {
  for (const range of splitIntoRanges(PAGES)) {
    const pages = Array.from({ length: range.to - range.from }, (_, n): Page => {
      const index = range.from + n;
      return { ...textPage(`page ${index + 1}`, [], index), words: [[`${index + 1}`, 0, 0, 1, 1]] };
    });
    await writePages(env.FILES, key, range, pages);
  }
}

async function listWindows(selection: Parameters<typeof iteratePageWindows>[2], size?: number) {
  const windows: number[][] = [];
  for await (const pages of iteratePageWindows(env.FILES, document, selection, size)) {
    for (const { index, words } of pages) expect(words[0]?.[0]).toBe(String(index + 1));
    windows.push(pages.map(({ index }) => index));
  }
  return windows;
}

it('returns all pages in order, in windows of limited size', async () => {
  await stored();
  const windows = await listWindows({}, 30);
  expect(windows.map(({ length }) => length)).toEqual([30, 30, 30, 10]);
  expect(windows.flat()).toEqual(Array.from({ length: PAGES }, (_, n) => n));
  expect(await listWindows({}, 64)).toHaveLength(2);
});

it('returns the selected pages from any range', async () => {
  await stored();
  expect(await listWindows({ target_pages: '3,40-42,99' }, 2)).toEqual([[2, 39], [40, 41], [98]]);
  expect(await listWindows({ max_pages: 2 })).toEqual([[0, 1]]);
  const plain: string[] = [];
  for await (const range of iterateRanges(env.FILES, document, { target_pages: '33-34' })) {
    plain.push(...range.map(({ text }) => text));
  }
  expect(plain).toEqual(['page 33', 'page 34']);
});

it('fails if no page is selected or if the pages were deleted', async () => {
  await expect(listWindows({ target_pages: '101' })).rejects.toThrow(/target_pages/);
  const gone = { ...document, key: { ...key, configHash: 'another' } };
  await expect(iteratePageWindows(env.FILES, gone, {}).next()).rejects.toThrow('were deleted');
});

it('counts max_pages among the pages that were parsed', async () => {
  const selected = { ...document, key: { ...key, configHash: 'selected' } };
  const pages = [39, 40].map((index): Page => ({ ...textPage(`page ${index + 1}`, [], index), words: [] }));
  await writePages(env.FILES, selected.key, { from: 32, to: 64 }, pages);
  const read = async (selection: Parameters<typeof iteratePageWindows>[2]) => {
    const windows = await Array.fromAsync(iteratePageWindows(env.FILES, selected, selection));
    return windows.flat().map(({ index }) => index);
  };
  expect(await read({ max_pages: 1 })).toEqual([39]);
  expect(await read({ target_pages: '41-50', max_pages: 5 })).toEqual([40]);
  await expect(read({ target_pages: '33' })).rejects.toThrow(/target_pages has been parsed/);
});
