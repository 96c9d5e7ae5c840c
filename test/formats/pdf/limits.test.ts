import { expect, it } from 'vitest';
import { hugeBitonalImage } from '#test/fixtures/huge-image.ts';
import { image, type PdfPage, solidImage, text } from '#test/fixtures/pdf.ts';
import { withDocument } from './helpers.ts';

/** Returns a page with a picture of 900 million pixels in 111 KB. */
const huge = async (content = ''): Promise<PdfPage> => ({
  content: content + image(0, 72, 100, 400, 400),
  images: [await hugeBitonalImage(30_000)],
});

it('reads the text beside a picture that is too large to decode', async () => {
  await withDocument({ pages: [await huge(text(72, 700, 'Beside it'))] }, async (document) => {
    expect(await document.readPage(0)).toMatchObject({ text: 'Beside it', figures: [] });
    expect(await document.readFigure(0, 'page_1_figure_1.png')).toBeUndefined();
  });
});

it('refuses to draw a page with such pictures and draws the next page', async () => {
  await withDocument({ pages: [await huge(), { content: text(72, 700, 'next') }] }, async (document) => {
    await expect(document.renderPage!(0)).rejects.toMatchObject({
      reason: 'DOCUMENT_TOO_LARGE',
      message: expect.stringContaining('The pictures of page 1 have 900000000 pixels'),
    });
    expect((await document.renderPage!(1)).mimeType).toBe('image/png');
  });
});

it('refuses to draw a page with too many strokes, but reads its text', async () => {
  const strokes = Array.from({ length: 20_001 }, (_, at) => `${at % 600} 0 m ${at % 600} 780 l S\n`).join('');
  await withDocument({ pages: [{ content: text(72, 700, 'Below it') + strokes }] }, async (document) => {
    expect(await document.readPage(0)).toMatchObject({ text: 'Below it' });
    await expect(document.renderPage!(0)).rejects.toMatchObject({
      reason: 'DOCUMENT_TOO_LARGE',
      message: expect.stringContaining('Page 1 contains more than 20000 objects'),
    });
  });
});

it('decodes pictures as large as scans', async () => {
  const pages = [{ content: image(0, 72, 100, 400, 400), images: [await hugeBitonalImage(6_000)] }];
  await withDocument({ pages }, async (document) => {
    expect((await document.readPage(0)).figures).toHaveLength(1);
  });
});

it('yields between the pictures of a page and stops when the callback throws', async () => {
  const images = [1, 2, 3].map((shade) => solidImage(1_500, 1_000, [shade, 90, 200]));
  const content = images.map((_, at) => image(at, 72, 100 + at * 200, 150, 150)).join('');
  await withDocument({ pages: [{ content, images }] }, async (document) => {
    let turns = 0;
    const turn = async () => {
      turns += 1;
      if (turns === 2) throw new Error('over');
    };
    await expect(document.readPage(0, turn)).rejects.toThrow('over');
  });
});
