import { zlibSync } from 'fflate';
import { describe, expect, it, vi } from 'vitest';
import { PdfSession } from '#src/formats/pdf/engine/session.ts';
import { scanPage } from '#src/formats/pdf/scan.ts';
import { buildPdf, image, rectangle, solidImage, text } from '#test/fixtures/pdf.ts';
import { decodePng, readPages, withDocument } from './helpers.ts';

const RED = solidImage(40, 30, [255, 0, 0]);
const LOGO = solidImage(20, 20, [0, 90, 0]);

/** JPEG frame header with three components, which is enough to be passed on. */
const JPEG = {
  width: 16,
  height: 16,
  filter: 'DCTDecode' as const,
  data: Uint8Array.of(
    ...[0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0, 16, 0, 16, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0],
    ...[0xff, 0xd9],
  ),
};

describe('figures', () => {
  it('returns pictures with box, pixels and stable names', async () => {
    const pages = [{ content: text(72, 750, 'Above') + image(0, 100, 300, 200, 150), images: [RED] }];
    await withDocument({ pages }, async (document) => {
      const page = await document.readPage(0);
      expect(page.figures).toHaveLength(1);
      const figure = page.figures[0]!;
      expect(figure).toMatchObject({
        name: 'page_1_figure_1.png',
        pageIndex: 0,
        box: { x: 100, y: 342, w: 200, h: 150 },
        width: 40,
        height: 30,
        mimeType: 'image/png',
        isLikelyNoise: false,
      });
      const stored = (await document.readFigure(0, figure.name))!;
      expect(stored.bytes.byteLength).toBe(figure.byteSize);
      const png = await decodePng(stored.bytes);
      expect([png.width, png.height]).toEqual([40, 30]);
      expect(png.at(20, 15)).toEqual([255, 0, 0]);
      expect(page.markdown).toBe('Above\n\n![page_1_figure_1.png](page_1_figure_1.png)');
      expect(await document.readFigure(0, 'page_1_figure_2.png')).toBeUndefined();
      expect(await document.readFigure(0, 'page_2_figure_1.png')).toBeUndefined();
    });
  });

  it('reads a figure without reading its page first', async () => {
    const pages = [{ content: image(0, 100, 300, 200, 150), images: [RED] }];
    const stored = await withDocument({ pages }, (document) => document.readFigure(0, 'page_1_figure_1.png'));
    expect(stored).toMatchObject({ width: 40, height: 30, mimeType: 'image/png' });
  });

  it('returns a plain JPEG unchanged', async () => {
    const pages = [{ content: image(0, 100, 300, 200, 150), images: [JPEG] }];
    const stored = await withDocument({ pages }, (document) => document.readFigure(0, 'page_1_figure_1.jpg'));
    expect(stored?.mimeType).toBe('image/jpeg');
    expect(stored?.bytes).toEqual(JPEG.data);
  });

  it('marks repeated logos and tiny pictures as noise', async () => {
    const pages = [0, 1, 2].map((number) => ({
      content:
        image(0, 40, 700, 60, 60) +
        (number === 1 ? image(1, 100, 300, 200, 150) + image(2, 20, 20, 5, 5) : ''),
      images: [LOGO, RED, solidImage(2, 2, [1, 2, 3])],
    }));
    const [, page] = await readPages(pages);
    expect(page!.figures.map(({ isLikelyNoise }) => isLikelyNoise)).toEqual([true, false, true]);
    expect(page!.blocks.filter(({ type }) => type === 'figure')).toHaveLength(1);
  });

  it('reads the data of pictures during the scan only if signatures are requested', async () => {
    const content = image(0, 40, 700, 60, 60);
    const session = new PdfSession(buildPdf({ pages: [{ content, images: [LOGO] }] }));
    const scan = (signatures: boolean) =>
      session.onPage(0, (...visit) => scanPage(...visit, { measured: false, signatures }));
    const [unsigned, signed] = [await scan(false), await scan(true)];
    session.close();
    expect(unsigned.images.map(({ signature }) => signature)).toEqual(['']);
    expect(signed.images[0]!.signature).toMatch(/^20x20:/);
  });

  it('visits a page with many pictures only twice', async () => {
    const content = Array.from({ length: 40 }, (_, at) => image(0, 10 * at, 300, 9, 9)).join('');
    const visits = vi.spyOn(PdfSession.prototype, 'onPage');
    try {
      const [page] = await readPages([{ content, images: [LOGO] }]);
      expect(page!.figures).toHaveLength(40);
      expect(visits).toHaveBeenCalledTimes(2);
    } finally {
      visits.mockRestore();
    }
  });

  it('reads pictures of a page that do not fit into memory together', async () => {
    const images = [1200, 1201].map((width) => ({
      ...{ width, height: 1200, filter: 'FlateDecode' as const },
      data: zlibSync(new Uint8Array(width * 1200 * 3).fill(9)),
    }));
    const content = images.map((_, at) => image(at, 10, 250 * at, 200, 200)).join('');
    const [page] = await readPages([{ content, images }]);
    expect(page!.figures.map(({ width }) => width)).toEqual([1200, 1201]);
  });

  it('returns no figures if extraction is disabled', async () => {
    const [page] = await readPages([{ content: image(0, 100, 300, 200, 150), images: [RED] }], {
      disable_image_extraction: true,
    });
    expect(page!.figures).toEqual([]);
    expect(page!.needsOcr).toBe(true);
  });
});

describe('screenshots', () => {
  it('draws the page at the requested resolution', async () => {
    const pages = [{ content: rectangle(0, 396, 306, 396, '0 0 1'), width: 612, height: 792 }];
    await withDocument({ pages }, async (document) => {
      const drawn = await document.renderPage!(0, { dpi: 72 });
      expect(drawn).toMatchObject({ mimeType: 'image/png', width: 612, height: 792 });
      const png = await decodePng(drawn.bytes);
      expect(png.channels).toBe(3);
      expect(png.at(10, 10)).toEqual([0, 0, 255]);
      expect(png.at(600, 780)).toEqual([255, 255, 255]);
      expect(await document.renderPage!(0)).toMatchObject({ width: 1275, height: 1650 });
    });
  });

  it('draws a page without color in grayscale', async () => {
    const pages = [{ content: rectangle(0, 0, 306, 792) }];
    const drawn = await withDocument({ pages }, (document) => document.renderPage!(0, { dpi: 36 }));
    const png = await decodePng(drawn.bytes);
    expect(png.channels).toBe(1);
    expect([png.at(5, 5), png.at(300, 5)]).toEqual([[0], [255]]);
  });

  it('draws a rotated page as displayed', async () => {
    const pages = [{ content: rectangle(0, 0, 612, 100, '1 0 0'), rotate: 90 }];
    const drawn = await withDocument({ pages }, (document) => document.renderPage!(0, { dpi: 72 }));
    const png = await decodePng(drawn.bytes);
    expect([png.width, png.height]).toEqual([792, 612]);
    expect(png.at(10, 300)).toEqual([255, 0, 0]);
    expect(png.at(700, 300)).toEqual([255, 255, 255]);
  });

  it('reduces the resolution of huge pages', async () => {
    const pages = [{ content: '', width: 7200, height: 7200 }];
    const drawn = await withDocument({ pages }, (document) => document.renderPage!(0, { dpi: 300 }));
    expect(drawn.width * drawn.height).toBeLessThanOrEqual(5_100_000);
    expect(drawn.width).toBe(drawn.height);
  });
});
