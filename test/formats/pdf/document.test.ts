import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParseError } from '#src/documents/errors.ts';
import { MAX_PDF_BYTES } from '#src/formats/pdf/engine/session.ts';
import { pdfParser } from '#src/formats/pdf/index.ts';
import { pdfDateToIso } from '#src/formats/pdf/metadata.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { buildPdf, grid, image, LOCKED, solidImage, text } from '#test/fixtures/pdf.ts';
import { runs } from '#test/support/seed.ts';
import { readOne, readPages, withDocument } from './helpers.ts';

const open = (bytes: Uint8Array) =>
  pdfParser.open({ bytes, name: 'test.pdf', plan: resolveParsePlan({}), budget: new WorkBudget() });
const sample = () => buildPdf({ pages: [{ content: text(72, 700, 'Still works') }] });

describe('unreadable files', () => {
  const cases: [name: string, bytes: () => Uint8Array, reason: string, message: RegExp][] = [
    ['an empty file', () => new Uint8Array(), 'NO_DATA_FOUND_IN_FILE', /empty/],
    ['no pages', () => buildPdf({ pages: [] }), 'NO_DATA_FOUND_IN_FILE', /no pages/],
    ['garbage', () => new Uint8Array(2000).fill(65), 'PDF_IS_BROKEN', /damaged/],
    ['a cut-off file', () => sample().subarray(0, 150), 'PDF_IS_BROKEN', /cut off/],
    [
      'a locked file',
      () => buildPdf({ pages: [{ content: '' }], encrypt: LOCKED }),
      'PDF_IS_PROTECTED',
      /password/,
    ],
    ['a file beyond the limit', () => new Uint8Array(MAX_PDF_BYTES + 1), 'DOCUMENT_TOO_LARGE', /32 MiB/],
  ];
  it.each(cases)(
    'reports %s with its reason and still reads other files',
    async (_name, bytes, reason, message) => {
      const failure = await open(bytes()).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ParseError);
      expect(failure).toMatchObject({ reason, message: expect.stringMatching(message) });
      await withDocument(sample(), async (document) =>
        expect((await document.readPage(0)).text).toBe('Still works'),
      );
    },
  );

  it('throws RangeError for a page that does not exist', async () => {
    await withDocument(sample(), async (document) => {
      await expect(document.readPage(1)).rejects.toThrow(RangeError);
      await expect(document.readPage(-1)).rejects.toThrow(RangeError);
    });
  });

  it('survives any damage to the file', async () => {
    const whole = buildPdf({
      pages: [
        {
          content:
            text(72, 700, 'Fuzzed') +
            grid([72, 200, 300], [600, 580, 560]) +
            text(80, 585, 'cell') +
            image(0, 72, 300, 90, 90),
          images: [solidImage(4, 4, [200, 30, 30])],
          links: [{ rect: [72, 690, 120, 712], url: 'https://example.com/' }],
        },
      ],
      info: { Title: 'Fuzz' },
      outline: [{ title: 'Fuzzed', page: 0 }],
    });
    const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(damage, async (changes) => {
        const bytes = whole.slice();
        for (const [at, value] of changes) bytes[at] = value;
        try {
          await withDocument(bytes, async (document) => {
            for (let index = 0; index < Math.min(document.pageCount, 3); index++) {
              await document.readPage(index);
              await document.renderPage!(index, { dpi: 20 });
            }
          });
        } catch (error) {
          if (!(error instanceof ParseError)) throw error;
        }
      }),
      { numRuns: runs(150) },
    );
    await withDocument(sample(), async (document) =>
      expect((await document.readPage(0)).text).toBe('Still works'),
    );
  });
});

describe('metadata', () => {
  it('reads title, author and dates', async () => {
    const info = { Title: 'A title', Author: 'Someone', CreationDate: "D:20240131120000+02'00'" };
    await withDocument({ pages: [{ content: '' }], info }, async (document) =>
      expect(document.metadata).toEqual({
        title: 'A title',
        author: 'Someone',
        createdAt: '2024-01-31T10:00:00.000Z',
      }),
    );
  });

  it.each([
    ['D:2024', '2024-01-01T00:00:00.000Z'],
    ['D:20240229', '2024-02-29T00:00:00.000Z'],
    ["D:20201231235959-05'30'", '2021-01-01T05:29:59.000Z'],
    ['20200102030405Z', '2020-01-02T03:04:05.000Z'],
    ['yesterday', undefined],
    ['D:20241399', undefined],
  ])('converts %s to %s', (date, iso) => expect(pdfDateToIso(date)).toBe(iso));

  it('uses the page labels of the document, or page numbers', async () => {
    const pages = [{ content: '' }, { content: '' }];
    const labels = (pageLabels?: string) =>
      withDocument({ pages, ...(pageLabels ? { pageLabels } : {}) }, async (document) => [
        (await document.readPage(0)).label,
        (await document.readPage(1)).label,
      ]);
    expect(await labels('<< /Nums [0 << /S /r /St 4 >>] >>')).toEqual(['iv', 'v']);
    expect(await labels()).toEqual(['1', '2']);
  });

  it('lists links with their boxes and writes them into the Markdown on request', async () => {
    const pages = [
      {
        content: text(72, 700, 'See the manual for more', 10),
        links: [
          {
            rect: [95, 697, 145, 712] as [number, number, number, number],
            url: 'https://example.com/manual',
          },
        ],
      },
    ];
    const [page] = await readPages(pages, { annotate_links: true });
    expect(page!.links).toEqual([
      { text: 'the manual', url: 'https://example.com/manual', box: { x: 95, y: 80, w: 50, h: 15 } },
    ]);
    expect(page!.markdown).toBe('See [the manual](https://example.com/manual) for more');
    expect((await readPages(pages))[0]!.markdown).toBe('See the manual for more');
  });

  it('requests OCR for a page with graphics but no text', async () => {
    const [scanned] = await readPages([
      { content: image(0, 0, 0, 612, 792), images: [solidImage(8, 8, [9, 9, 9])] },
    ]);
    expect(scanned).toMatchObject({ text: '', needsOcr: true });
    expect((await readOne('')).needsOcr).toBeUndefined();
    expect((await readOne(text(72, 700, 'words'))).needsOcr).toBeUndefined();
  });

  it('requests OCR for a scan whose only text is a stamp', async () => {
    const scan = image(0, 0, 0, 612, 792);
    const over = async (content: string) =>
      (await readPages([{ content: scan + content, images: [solidImage(8, 8, [9, 9, 9])] }]))[0]!;
    expect(await over(text(520, 20, 'ABC000123', 8))).toMatchObject({ text: 'ABC000123', needsOcr: true });
    // Text in the middle of a photograph is regular content.
    expect((await over(text(250, 400, 'A title on a picture', 30))).needsOcr).toBeUndefined();
    // Another engine has read this scan and found only its page number.
    expect((await over(`3 Tr ${text(300, 20, '12', 8)}0 Tr\n`)).needsOcr).toBeUndefined();
    const small = { content: image(0, 100, 300, 400, 300) + text(520, 20, 'Figure', 8) };
    const [page] = await readPages([{ ...small, images: [solidImage(8, 8, [9, 9, 9])] }]);
    expect(page!.needsOcr).toBeUndefined();
  });
});

describe('document language', () => {
  const german = ['Die Schiffe liegen am Kai und warten auf den Wind,', 'der nicht aus dem Westen kommt.'];
  const detectFileLanguage = async (lines: string[]) => {
    const content = lines.map((line, at) => text(72, 700 - at * 14, line)).join('');
    const document = await open(buildPdf({ pages: [{ content }] }));
    document.close();
    return document.metadata.language;
  };

  it('is detected from the text if the file does not declare a language', async () => {
    expect(await detectFileLanguage(german)).toBe('de');
    expect(await detectFileLanguage(['42'])).toBeUndefined();
  });
});
