import { expect, it } from 'vitest';
import type { StoredChunk } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { readWholeFile } from '#src/retrieval/modes/files.ts';

const TEXT = 'One two three. Four five six.\n\nSeven eight nine.';

/** Creates a sink with one document that is split at these ranges. */
function createSink(ranges: [number, number][], whole = TEXT): Sink {
  const chunks = ranges.map(
    ([startChar, endChar], position): StoredChunk => ({
      id: `chunk ${position}`,
      documentId: 'd',
      position,
      text: whole.slice(startChar, endChar),
      headings: ['Counting'],
      startChar,
      endChar,
      startPage: position,
      endPage: position + 1,
      hash: '',
      title: 'numbers.txt',
      metadata: {},
      previousId: 'before',
      nextId: 'after',
    }),
  );
  return {
    listChunks: async (id: string, { from, limit } = { from: 0, limit: 500 }) =>
      id === 'd' ? chunks.slice(from, from + limit) : [],
  } as unknown as Sink;
}

it.each([
  ['without overlap', [0, 15], [15, 48]],
  ['with overlap', [0, 20], [10, 31], [25, 48]],
  ['with white space left out', [0, 14], [15, 29], [31, 48]],
  ['with a chunk inside another', [0, 31], [15, 29], [31, 48]],
])('joins the chunks of a document: %s', async (_title, ...ranges) => {
  const whole = await readWholeFile(createSink(ranges as [number, number][]), 'd');
  expect(whole?.chunk.text).toBe(TEXT);
  expect(whole?.isCut).toBe(false);
});

it.each([
  ['a table', '| row 5 | value 5 |\n| row 6 | value 6 |'],
  ['a list', '- One thing.\n- Another thing.'],
  ['a heading', '# About tides\nThey rise and fall.'],
  ['code', 'let a = 1;\nlet b = 2;'],
  ['records', 'alice,thirty\nbob,forty'],
  ['the sentence after a list', '- One thing.\nWhat follows it.'],
  ['verse', 'Half a league, half a league\nHalf a league onward'],
  ['sentences', 'They rise. They fall.'],
  ['a sentence', 'They rise and, later, fall'],
])('preserves line breaks and spaces between chunks: %s', async (_title, text) => {
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const cuts =
    breaks.length > 0 ? breaks : [text.indexOf('.') > 0 ? text.indexOf('.') + 1 : text.indexOf(' ')];
  const ranges: [number, number][] = [
    [0, cuts[0]!],
    [cuts[0]! + 1, text.length],
  ];
  expect((await readWholeFile(createSink(ranges, text), 'd'))?.chunk.text).toBe(text);
});

it('covers all pages of the document and has no neighbouring chunks', async () => {
  const { chunk } = (await readWholeFile(
    createSink([
      [0, 20],
      [20, 48],
    ]),
    'd',
  ))!;
  expect(chunk).toMatchObject({ id: 'd', startChar: 0, endChar: 48, startPage: 0, endPage: 2 });
  expect(chunk.previousId ?? chunk.nextId).toBeUndefined();
});

it('returns undefined for a document that does not exist', async () => {
  expect(await readWholeFile(createSink([[0, 5]]), 'gone')).toBeUndefined();
});
