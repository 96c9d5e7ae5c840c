import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { type ParseRequest, parseFile } from '#src/parse-file/parse-file.ts';
import { type Ocr, Unreadable } from '#src/ports/ocr.ts';
import { buildPdf, image, type PdfDescription, paragraph, solidImage, text } from '#test/fixtures/pdf.ts';
import { docx, drawing, run, paragraph as wordParagraph } from '#test/formats/fixtures/word.ts';

const typed = { content: paragraph(72, 720, ['Typed words.']) };

/**
 * Returns the error of the parse or the text of the pages. Every page may fail unless a strict mode forbids
 * it.
 */
async function outcome(bytes: Uint8Array, parameters: ParseParameters, ocr?: Ocr): Promise<string> {
  const contentHash = crypto.randomUUID();
  await env.FILES.put(contentHash, bytes);
  const request: ParseRequest = {
    ...{ projectId: 'p', contentHash, configHash: 'h', storageKey: contentHash },
    ...{
      name: 'a',
      size: bytes.length,
      plan: resolveParsePlan({ page_error_tolerance: 1, ...parameters }),
      ocr,
    },
  };
  try {
    const { pages = [] } = await parseFile(env.FILES, request, async () => {});
    return pages.map((page) => page.text).join('|');
  } catch (error) {
    return String(error);
  }
}

const pdf = (description: Partial<PdfDescription>) => buildPdf({ pages: [typed], ...description });

describe('strict_mode_image_ocr', () => {
  const scan = pdf({
    pages: [{ content: image(0, 72, 300, 200, 120), images: [solidImage(200, 120, [9, 9, 9])] }, typed],
  });
  const engine = (text?: string): Ocr => ({
    id: 'test',
    async recognise() {
      if (text === undefined) throw new Unreadable('cannot');
      return { text, format: 'plain', words: [] };
    },
  });
  const strict = { strict_mode_image_ocr: true };

  it('fails a file with a page that stays unread', async () => {
    const failure = expect.stringMatching(/NEEDS_OCR: page 1 .*\(strict_mode_image_ocr\)/);
    expect(await outcome(scan, strict)).toEqual(failure);
    expect(await outcome(scan, strict, engine())).toEqual(failure);
    expect(await outcome(scan, {}, engine())).toBe('|Typed words.');
  });

  it('accepts a file whose pages are read, or for which OCR is disabled', async () => {
    expect(await outcome(scan, strict, engine('Read words.'))).toBe('Read words.|Typed words.');
    expect(await outcome(scan, { ...strict, disable_ocr: true }, engine())).toBe('|Typed words.');
  });
});

describe('strict_mode_image_extraction', () => {
  const strict = { strict_mode_image_extraction: true };

  it('fails a PDF with a picture that cannot be decoded', async () => {
    const damaged = {
      ...solidImage(40, 30, [1, 2, 3]),
      filter: 'DCTDecode' as const,
      data: new Uint8Array(9),
    };
    const bytes = pdf({
      pages: [{ content: typed.content + image(0, 72, 300, 200, 120), images: [damaged] }],
    });
    expect(await outcome(bytes, {})).toBe('Typed words.');
    expect(await outcome(bytes, strict)).toMatch(
      /PDF_IS_BROKEN: 1 of the pictures on page 1 .*\(strict_mode_image/,
    );
    expect(await outcome(bytes, { ...strict, disable_image_extraction: true })).toBe('Typed words.');
  });

  it('fails an office file with a picture of an unsupported type', async () => {
    const bytes = docx(
      wordParagraph(run('Typed words.') + drawing('image1', 'A')),
      new TextEncoder().encode('none'),
    );
    expect(await outcome(bytes, {})).toContain('Typed words.');
    expect(await outcome(bytes, strict)).toMatch(
      /FILE_IS_BROKEN: a picture in the file .*\(strict_mode_image/,
    );
  });

  it('accepts pictures that can be extracted', async () => {
    const images = [solidImage(200, 120, [9, 9, 9])];
    const bytes = pdf({ pages: [{ content: typed.content + image(0, 72, 300, 200, 120), images }] });
    expect(await outcome(bytes, strict)).toBe('Typed words.');
  });
});

describe('strict_mode_buggy_font', () => {
  const strict = { strict_mode_buggy_font: true };
  const pages = [typed, { content: text(72, 700, 'BAB', 12, 'F4') }];

  it('fails a PDF whose fonts do not map to characters', async () => {
    const bytes = pdf({ pages, toUnicode: { '41': 'FFFD', '42': '0042' } });
    expect(await outcome(bytes, {})).toMatch(/^Typed words\.\|/);
    expect(await outcome(bytes, strict)).toMatch(
      /PDF_IS_BROKEN: on page 2, .* 1 of the characters \(strict_mode_buggy_font\)/,
    );
  });

  it('accepts fonts that map to characters', async () => {
    const bytes = pdf({ pages, toUnicode: { '41': '0041', '42': '0042' } });
    expect(await outcome(bytes, strict)).toBe('Typed words.|BAB');
  });
});
