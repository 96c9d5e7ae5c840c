import { expect, it } from 'vitest';
import { text } from '#test/fixtures/pdf.ts';
import { withDocument } from './helpers.ts';

const pages = ['First', 'Second', 'Third', 'Fourth'].map((word) => ({ content: text(72, 700, word) }));

it.each([
  [
    [0, 2, 3],
    ['First', 'Third', 'Fourth'],
  ],
  [
    [3, 1],
    ['Fourth', 'Second'],
  ],
])('copies the pages %j in the given order', async (indexes, words) => {
  const copy = await withDocument({ pages }, (document) => document.copyPages!(indexes));
  const read = await withDocument(copy, (document) =>
    Promise.all(Array.from({ length: document.pageCount }, (_, at) => document.readPage(at))),
  );
  expect(read.map((page) => page.text)).toEqual(words);
});

it('copies pages of a protected PDF into a PDF without password', async () => {
  const copy = await withDocument({ pages, password: 'Grüße 42!' }, (document) => document.copyPages!([1]), {
    password: 'Grüße 42!',
  });
  await withDocument(copy, async (document) => {
    expect((await document.readPage(0)).text).toBe('Second');
    expect(document.unlocked).not.toBe(true);
  });
});
