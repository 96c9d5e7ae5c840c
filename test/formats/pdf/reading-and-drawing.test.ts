import { beforeEach, describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import { getEngine } from '#src/formats/pdf/engine/engine.ts';
import { buildPdf, text } from '#test/fixtures/pdf.ts';
import { withDocument } from './helpers.ts';

/** Text in a font that is not embedded, so the reader measures a scaled substitute font. */
const page = (lines: string[]) => ({
  content: lines.map((line, at) => text(72, 700 - at * 14, line, 11, 'F6')).join(''),
});
const notice = buildPdf({
  pages: [
    page(['Thirteen notices of taking down,', 'each of which names a work.']),
    page(['A second page.']),
  ],
});
const other = buildPdf({ pages: [page(['WIDE CAPITALS & narrow iiillliii, 0123456789'])] });

const readAllPages = (bytes: Uint8Array): Promise<Page[]> =>
  withDocument(bytes, async (document) =>
    Promise.all(Array.from({ length: document.pageCount }, (_, index) => document.readPage(index))),
  );
const draw = (bytes: Uint8Array) =>
  withDocument(bytes, async (document) => {
    for (let index = 0; index < document.pageCount; index++) await document.renderPage!(index, { dpi: 150 });
  });

describe('same bytes give the same pages', () => {
  // Engine instances keep what other tests have drawn.
  beforeEach(async () => {
    for (const purpose of ['reading', 'drawing'] as const) (await getEngine(purpose)).dead = true;
  });

  it('after the document was drawn', async () => {
    const before = await readAllPages(notice);
    expect(before[0]!.words.length).toBe(11);
    await draw(notice);
    expect(await readAllPages(notice)).toEqual(before);
  });

  it('after other documents were drawn and read', async () => {
    const before = await readAllPages(notice);
    await draw(other);
    await readAllPages(other);
    await draw(notice);
    await draw(other);
    expect(await readAllPages(notice)).toEqual(before);
  });

  it('when drawing and reading alternate', async () => {
    const before = await readAllPages(notice);
    await withDocument(notice, async (document) => {
      await document.renderPage!(1);
      const first = await document.readPage(0);
      await document.renderPage!(0);
      expect([first, await document.readPage(1)]).toEqual(before);
    });
  });
});
