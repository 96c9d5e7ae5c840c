import { describe, expect, it } from 'vitest';
import type { DrawingLimits } from '#src/formats/pdf/drawing/limit.ts';
import { renderPage } from '#src/formats/pdf/drawing/render.ts';
import { PdfSession } from '#src/formats/pdf/engine/session.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readScannedPage } from '#src/parse-file/scanned-page.ts';
import type { Ocr } from '#src/ports/ocr.ts';
import { paintingPdfs } from '#test/support/hostile-documents/pdf/painting.ts';
import { patternPdfs, tiling } from '#test/support/hostile-documents/pdf/patterns.ts';
import { LEGIBLE, onePage } from '#test/support/hostile-documents/pdf/write.ts';
import { withDocument } from './helpers.ts';

/** Draws the first page of a file several times. */
async function draw(bytes: Uint8Array, limits: Partial<DrawingLimits> = {}, times = 1) {
  const session = new PdfSession(bytes, 'drawing');
  const outcomes: string[] = [];
  for (let at = 0; at < times; at++) {
    await renderPage(session, 0, 72, limits).then(
      ({ mimeType }) => outcomes.push(mimeType),
      (error: Error) => outcomes.push(error.message),
    );
  }
  session.close();
  return outcomes;
}

/** So many objects that PDFium checks whether to pause. */
const manyLines = onePage({ content: '0 0 m 60 70 l S\n'.repeat(2_000) });
/** Rectangles that PDFium draws by copying the background. */
const blended = onePage({
  content: '/G gs 1 0 0 rg 0 0 600 700 re f\n'.repeat(20),
  resources: '/ExtGState << /G << /BM /Multiply /ca 0.5 >> >>',
});

describe('drawing a page', () => {
  it('stops after too many pause checks and draws the next file', async () => {
    expect(await draw(manyLines, { pauseChecks: 3 })).toEqual(['TIMEOUT: Page 1 takes too long to draw.']);
    expect(await draw(manyLines)).toEqual(['image/png']);
  });

  it('stops when an object copies too many bytes, and draws the next file', async () => {
    expect(await draw(blended, { copiedBytes: 100_000 })).toEqual([
      'TIMEOUT: Page 1 takes too long to draw.',
    ]);
    expect(await draw(blended)).toEqual(['image/png']);
  });

  it('is refused after three pages of a file timed out', async () => {
    const [, , third, fourth] = await draw(manyLines, { pauseChecks: 3 }, 4);
    expect(third).toBe('TIMEOUT: Page 1 takes too long to draw.');
    expect(fourth).toBe('TIMEOUT: Page 1 is not drawn because 3 pages of the file took too long to draw.');
  });
});

describe('page that PDFium would draw for minutes', () => {
  const named = [...patternPdfs, ...paintingPdfs].filter(({ name }) =>
    [
      'steps of 0.01 on a page',
      'overlap ten thousand times',
      'turned and skewed',
      'negative steps',
      'patterns in patterns',
      'a fill of 300,000 lines',
      'dashes of 0.0001 points',
      'a clip path of 300,000 lines',
      '10,000 clip paths inside',
    ].some((part) => name.includes(part)),
  );

  it('has nine test cases', () => {
    expect(named).toHaveLength(9);
  });

  it.each(named)('is not drawn, but its text is read: $name', async ({ bytes }) => {
    await withDocument(bytes(), async (document) => {
      expect((await document.readPage(0)).text).toContain(LEGIBLE);
      await expect(document.renderPage!(0)).rejects.toMatchObject({
        reason: 'DOCUMENT_TOO_LARGE',
        message: expect.stringContaining('Page 1 is not drawn because'),
      });
    });
  });

  it('keeps its text when OCR is requested and reports why it was not drawn', async () => {
    const bytes = patternPdfs[0]!.bytes();
    await withDocument(bytes, async (document) => {
      const page = { ...(await document.readPage(0)), needsOcr: true };
      const unasked: Ocr = {
        id: 'unasked',
        recognise: async () => {
          throw new Error('there is no picture to read');
        },
      };
      const read = await readScannedPage(document, page, unasked, resolveParsePlan({}).ocr);
      expect(read).toMatchObject({
        text: page.text,
        needsOcr: true,
        notDrawn: expect.stringContaining('tiling pattern'),
      });
    });
  });
});

it('draws hatched areas', async () => {
  const hatched = onePage({
    content: '/Pattern cs /P scn 0 0 612 792 re f\n',
    resources: '/Pattern << /P 5 0 R >>',
    objects: [tiling({ box: '0 0 8 8', step: 8, matrix: '0.06 0 0 0.06 0 0' })],
  });
  expect(await draw(hatched)).toEqual(['image/png']);
});
