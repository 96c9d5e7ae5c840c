import { describe, expect, it } from 'vitest';
import type { Block, EncodedImage, Page } from '#src/documents/document.ts';
import { imagePage } from '#src/formats/image/index.ts';
import { inMemoryDocument } from '#src/formats/shared/flow/in-memory.ts';
import type { DrawingOptions } from '#src/formats/shared/open-document.ts';
import { encodePng } from '#src/images/png.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readScannedPage, wantsOcr } from '#src/parse-file/scanned-page.ts';
import { type Ocr, type Recognition, Unreadable } from '#src/ports/ocr.ts';

const picture: EncodedImage = { bytes: Uint8Array.of(1), mimeType: 'image/png', width: 200, height: 100 };
const page = imagePage(0, 'image-1.png', picture, 0.5);
const document = inMemoryDocument([page], {}, new Map([['image-1.png', picture]]));
const reading = (recognition: Partial<Recognition>): Ocr => ({
  id: 'test',
  recognise: async () => ({ text: '', format: 'plain', words: [], ...recognition }),
});

describe('scanned page', () => {
  it('has its OCR text before its picture, with boxes in points', async () => {
    const words = [{ text: 'Hello', box: { x: 20, y: 10, w: 50, h: 12 } }];
    const read = await readScannedPage(
      document,
      page,
      reading({ text: 'Hello <b>\n\n# no', words }),
      resolveParsePlan({}).ocr,
    );
    expect(read.needsOcr).toBeUndefined();
    expect(read.text).toBe('Hello <b>\n\n# no');
    expect(read.markdown).toBe('Hello \\<b>\n\n\\# no\n\n![](image-1.png)');
    expect(read.blocks.map((block) => block.type)).toEqual(['paragraph', 'paragraph', 'figure']);
    expect(read.words).toEqual([['Hello', 10, 5, 25, 6]]);
    expect(read.figures).toEqual(page.figures);
  });

  it('is read only in the requested area, with words at their page positions', async () => {
    const whole = { width: 20, height: 10, channels: 3 as const, data: new Uint8Array(600) };
    const drawn: EncodedImage = { ...whole, bytes: await encodePng(whole), mimeType: 'image/png' };
    const area = { x: 60, y: 30, w: 40, h: 20 };
    const seen: { width: number; height: number }[] = [];
    const words = [{ text: 'Hello', box: { x: 2, y: 1, w: 4, h: 2 } }];
    const ocr = reading({ text: 'Hello', words });
    const recognise: Ocr['recognise'] = (image, languages) => {
      seen.push(image);
      return ocr.recognise(image, languages);
    };
    const pages = { ...document, renderPage: async () => drawn };
    const read = await readScannedPage(
      pages,
      { ...page, area },
      { ...ocr, recognise },
      resolveParsePlan({}).ocr,
    );
    expect(seen).toMatchObject([{ width: 8, height: 4 }]);
    expect(read.words).toEqual([['Hello', 70, 35, 20, 10]]);
  });

  it('keeps the OCR confidence of the page and of each word', async () => {
    const words = [{ text: 'Hello', box: { x: 20, y: 10, w: 50, h: 12 }, confidence: 0.917 }];
    const read = await readScannedPage(
      document,
      page,
      reading({ text: 'Hello', words, confidence: 0.8 }),
      resolveParsePlan({}).ocr,
    );
    expect(read.words).toEqual([['Hello', 10, 5, 25, 6, 0.92]]);
    expect(read.ocr).toEqual({ confidence: 0.8 });
    expect(
      (await readScannedPage(document, page, reading({ text: 'Hello' }), resolveParsePlan({}).ocr)).ocr,
    ).toEqual({});
  });

  it('keeps headings and tables from the engine', async () => {
    const text = '## Ports\n\n| a | b |\n|---|---|\n| 1 | 2 |';
    const read = await readScannedPage(
      document,
      page,
      reading({ text, format: 'markdown' }),
      resolveParsePlan({}).ocr,
    );
    expect(read.blocks.map((block) => block.type)).toEqual(['heading', 'table', 'figure']);
  });

  it('keeps existing words beside OCR words, without duplicates', async () => {
    const block = (text: string): Block => ({ type: 'paragraph', text, markdown: text });
    const stamped: Page = {
      ...page,
      text: 'ABC 123\n\nunseen',
      blocks: [block('ABC 123'), block('unseen'), ...page.blocks],
      words: [['ABC', 80, 40, 8, 5]],
    };
    const words = [
      { text: 'Dear', box: { x: 10, y: 10, w: 20, h: 8 } },
      { text: 'ABC', box: { x: 160, y: 80, w: 16, h: 10 } },
    ];
    const read = await readScannedPage(
      document,
      stamped,
      reading({ text: 'Dear all\n\nABC\n123', words }),
      resolveParsePlan({}).ocr,
    );
    expect(read.text).toBe('Dear all\n\nABC\n123\n\nunseen');
    expect(read.words).toEqual([
      ['Dear', 5, 5, 10, 4],
      ['ABC', 80, 40, 8, 5],
    ]);
  });

  it('reports text that the engine left out, except for specks', async () => {
    const read = (doubtful: number) =>
      readScannedPage(document, page, reading({ text: 'Hello', doubtful }), resolveParsePlan({}).ocr);
    expect((await read(40)).omissions).toMatchObject([{ kind: 'doubtful_text' }]);
    expect((await read(3)).omissions).toBeUndefined();
  });

  it('reports that there was no time for further ways of reading', async () => {
    const ocr = reading({ text: 'Hello', isCutShort: true });
    const read = await readScannedPage(document, page, ocr, resolveParsePlan({}).ocr);
    expect(read.omissions).toMatchObject([
      { kind: 'doubtful_text', message: expect.stringContaining('took too long') },
    ]);
  });

  it('reports that the model of another language was used', async () => {
    const ocr = reading({ text: 'Hello', advice: 'Install a model.' });
    const read = await readScannedPage(document, page, ocr, resolveParsePlan({}).ocr);
    expect(read.omissions).toEqual([{ kind: 'language_without_model', message: 'Install a model.' }]);
  });

  it('is empty if the engine finds nothing', async () => {
    const read = await readScannedPage(document, page, reading({}), resolveParsePlan({}).ocr);
    expect(read).toMatchObject({ text: '', words: [] });
    expect(read.needsOcr).toBeUndefined();
  });

  it('stays marked for OCR if the engine cannot read the page, and fails if the engine fails', async () => {
    const rejecting = (error: Error): Ocr => ({ id: 'test', recognise: () => Promise.reject(error) });
    expect(
      await readScannedPage(document, page, rejecting(new Unreadable('no')), resolveParsePlan({}).ocr),
    ).toEqual({ ...page, notRead: 'no' });
    await expect(
      readScannedPage(document, page, rejecting(new Error('out')), resolveParsePlan({}).ocr),
    ).rejects.toThrow('out');
  });

  it('is rendered at a higher resolution on request, and the languages are passed on', async () => {
    const asked: unknown[] = [];
    const drawing = {
      ...document,
      renderPage: async (_: number, options?: { dpi?: number }) => {
        asked.push(options?.dpi);
        return picture;
      },
    };
    const ocr: Ocr = {
      id: 'test',
      recognise: async (_, languages) => {
        asked.push(languages);
        return { text: '', format: 'plain', words: [] };
      },
    };
    await readScannedPage(drawing, page, ocr, resolveParsePlan({}).ocr);
    await readScannedPage(
      drawing,
      page,
      ocr,
      resolveParsePlan({ high_res_ocr: true, languages: ['de', 'fr'] }).ocr,
    );
    expect(asked).toEqual([200, [], 300, ['de', 'fr']]);
  });

  it('is rendered at the picture size that the engine supports', async () => {
    const asked: unknown[] = [];
    const drawing = {
      ...document,
      renderPage: async (_: number, options?: DrawingOptions) => {
        asked.push(options?.reading);
        return picture;
      },
    };
    const ocr: Ocr = { ...reading({}), maxPixels: 500 * 1000 };
    await readScannedPage(drawing, page, ocr, resolveParsePlan({}).ocr);
    await readScannedPage(drawing, page, ocr, resolveParsePlan({ high_res_ocr: true }).ocr);
    expect(asked).toEqual([
      { fine: false, maxPixels: 500_000 },
      { fine: true, maxPixels: 500_000 },
    ]);
  });

  it('is skipped if it has text or OCR is disabled', () => {
    expect(wantsOcr(page, resolveParsePlan({}).ocr)).toBe(true);
    expect(wantsOcr(page, resolveParsePlan({ disable_ocr: true }).ocr)).toBe(false);
    expect(wantsOcr({ ...page, needsOcr: false }, resolveParsePlan({}).ocr)).toBe(false);
  });
});
