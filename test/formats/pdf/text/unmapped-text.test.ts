import { describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import { getPageFailure } from '#src/documents/page-store.ts';
import { readsLikeText } from '#src/formats/pdf/text/unmapped-text.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readScannedPage, wantsOcr } from '#src/parse-file/scanned-page.ts';
import type { Ocr, Recognition } from '#src/ports/ocr.ts';
import { line, paragraph, rectangle, text } from '#test/fixtures/pdf.ts';
import { FONT_KINDS, type FontKind, textIn } from '#test/fixtures/pdf-fonts.ts';
import { withDocument } from '../helpers.ts';

const UNREADABLE = FONT_KINDS['Type 3 with low codes']!;
const SENTENCE = 'The quick brown fox jumps over the lazy dog near the river bank';

function readFonts(
  content: string,
  kinds: readonly FontKind[] = [UNREADABLE],
  parameters: ParseParameters = {},
): Promise<Page> {
  return withDocument(
    { pages: [{ content }], fonts: kinds.map(({ font }) => font) },
    (document) => document.readPage(0),
    parameters,
  );
}

/** Reads a page like the parser, with an OCR engine that returns `recognition`. */
function readWithOcr(content: string, recognition: Partial<Recognition>): Promise<Page> {
  const ocr: Ocr = {
    id: 'test',
    recognise: async () => ({ text: '', format: 'plain', words: [], ...recognition }),
  };
  return withDocument({ pages: [{ content }], fonts: [UNREADABLE.font] }, async (document) => {
    const page = await document.readPage(0);
    return wantsOcr(page, resolveParsePlan({}).ocr)
      ? readScannedPage(document, page, ocr, resolveParsePlan({}).ocr)
      : page;
  });
}

const unreadable = (y: number, value = SENTENCE) => textIn(0, UNREADABLE, 50, y, value, 10);
const readable = Array.from({ length: 40 }, (_, at) => `${SENTENCE} in line ${at}`);

describe('glyph statistics of a page', () => {
  it('count drawn, extracted and unmapped glyphs', async () => {
    const { glyphs, needsOcr, omissions } = await readFonts(text(50, 700, 'Hello') + unreadable(650, 'abc'));
    expect(glyphs).toEqual({ drawn: 8, extracted: 5, withoutUnicode: 3 });
    expect(needsOcr).toBe(true);
    expect(omissions).toEqual([
      { kind: 'characters_without_unicode', message: expect.stringContaining('3 of its 8 characters') },
    ]);
  });

  it('fail a page with only unmapped text', async () => {
    const page = await readFonts(unreadable(700, 'a fox jumps'));
    expect(page).toMatchObject({ text: '', needsOcr: true });
    expect(getPageFailure(page)).toMatch(/^NEEDS_OCR: .* 9 of the page's 9 characters/);
  });

  it.each(Object.entries(FONT_KINDS))('detect whether a %s is readable', async (_, kind) => {
    const page = await readFonts(textIn(0, kind, 50, 700, SENTENCE, 10), [kind]);
    const { drawn = 0, withoutUnicode = 0 } = page.glyphs ?? {};
    expect(drawn).toBe(SENTENCE.replaceAll(' ', '').length);
    expect(withoutUnicode).toBe(kind.isReadable ? 0 : drawn);
    expect(page.needsOcr ?? false).toBe(!kind.isReadable);
    if (kind.isReadable) expect(page.text.replace(/\s/g, '')).toBe(SENTENCE.replaceAll(' ', ''));
  });

  it('accept a font that has only punctuation beside a readable font', async () => {
    const kind = FONT_KINDS['Type 3 with ASCII codes']!;
    const content = textIn(0, kind, 50, 700, SENTENCE, 10) + textIn(1, kind, 50, 680, '.. ,, -.', 10);
    const { glyphs } = await readFonts(content, [kind, kind]);
    expect(glyphs).toEqual({ drawn: 57, extracted: 57, withoutUnicode: 0 });
  });

  it('do not request OCR if few of many characters are unmapped, and report the number', async () => {
    const page = await readFonts(paragraph(50, 740, readable) + unreadable(200, 'abc'));
    expect(page.needsOcr).toBeUndefined();
    expect(page.glyphs?.withoutUnicode).toBe(3);
    expect(page.omissions).toHaveLength(1);
  });

  it.each([
    ['invisible', `3 Tr ${unreadable(700)} 0 Tr`],
    ['outside of the page', textIn(0, UNREADABLE, 700, 700, SENTENCE)],
    ['white on white', `1 1 1 rg ${unreadable(700)}`],
    ['clipped away', `q 0 0 40 40 re W n ${unreadable(700)} Q`],
  ])('exclude text that is %s', async (_, content) => {
    const page = await readFonts(text(50, 100, 'Seen') + content);
    expect(page.glyphs).toEqual({ drawn: 4, extracted: 4, withoutUnicode: 0 });
    expect(page.needsOcr).toBeUndefined();
  });

  it('evaluate clip paths up to a limit and then count text as visible', async () => {
    const zigzag = Array.from({ length: 9_000 }, (_, at) => `${at % 40} ${(at * 7) % 40} l`).join(' ');
    const texts = (count: number) =>
      `q 0 0 m ${zigzag} h W n ${Array.from({ length: count }, (_, at) => unreadable(100 + 2 * at, 'a')).join(' ')} Q`;
    expect((await readFonts(texts(100))).glyphs?.withoutUnicode).toBe(0);
    expect((await readFonts(texts(300))).glyphs?.withoutUnicode).toBeGreaterThan(0);
  });

  it('include white text on a dark background and text within a clip path', async () => {
    const white = `${rectangle(40, 690, 500, 40)} 1 1 1 rg ${unreadable(700, 'abc')} 0 0 0 rg`;
    const clipped = `q 0 500 600 200 re W n ${unreadable(600, 'abc')} Q`;
    const page = await readFonts(`${white}\n${clipped}`);
    expect(page.glyphs?.withoutUnicode).toBe(6);
  });

  it('cover only the selected area', async () => {
    const content = text(50, 700, 'Hello') + unreadable(60, 'abc');
    const page = await readFonts(content, [UNREADABLE], { bbox_bottom: 0.3 });
    expect(page.glyphs).toEqual({ drawn: 5, extracted: 5, withoutUnicode: 0 });
  });
});

describe('OCR of a page with unmapped text', () => {
  const found = (value: string, x: number, y: number) => ({
    text: value,
    // Box in pixels at 200 dpi, from the top of the page.
    box: {
      x: (x * 200) / 72,
      y: ((792 - y - 9) * 200) / 72,
      w: (value.length * 5 * 200) / 72,
      h: (9 * 200) / 72,
    },
  });

  it('replaces a mostly unmapped text layer', async () => {
    const page = await readWithOcr(text(50, 740, 'Seen') + unreadable(700), { text: `Seen\n\n${SENTENCE}` });
    expect(page.needsOcr).toBeUndefined();
    expect(page.text).toBe(`Seen\n\n${SENTENCE}`);
    expect(page.omissions).toBeUndefined();
  });

  it('completes a mostly readable text layer', async () => {
    const lines = readable.slice(0, 6);
    const content =
      paragraph(50, 740, lines) + unreadable(600, 'abcdefghij klmnopqrst uvwxyz') + text(50, 500, 'The end');
    const words = [
      found('wrong', 50, 740),
      found('missing', 50, 600),
      found('words', 122, 600),
      found('badly', 50, 500),
    ];
    const page = await readWithOcr(content, { text: 'wrong missing words badly', words });
    const before = await readFonts(paragraph(50, 740, lines) + text(50, 500, 'The end'));
    expect(page.text).toBe(before.text.replace('The end', 'missing words\n\nThe end'));
    expect(page.words.map(([word]) => word).slice(-2)).toEqual(['missing', 'words']);
    expect(page.needsOcr).toBeUndefined();
  });

  it('leaves the page marked if the engine finds nothing', async () => {
    const page = await readWithOcr(unreadable(700), {});
    expect(page.needsOcr).toBe(true);
    expect(getPageFailure(page)).toContain('NEEDS_OCR');
  });

  it('is skipped for pages with lines and readable text', async () => {
    const page = await readWithOcr(line(0, 0, 100, 100) + text(50, 700, 'Hello'), { text: 'other' });
    expect(page.text).toBe('Hello');
  });
});

describe('readsLikeText', () => {
  const codes = (value: string) => [...value].map((letter) => letter.charCodeAt(0));

  it.each([
    [SENTENCE, true],
    ['MMLU-Pro(EM)GPQA-Diamond(Pass@1)MATH500(EM)AIME2024(Pass@1)', true],
    ['0 20 40 60 80 100', true],
    ['Étude des fréquences dans les îles de la Réunion', true],
    ['!"#$%&!#$%', false],
    ['ABCDEFGBCADE', false],
    ['uif rvjdl cspxo gpy kvnqt pwfs uif mb{z eph', false],
    ['\u0001\u0002\u0003abc', false],
  ])('for %s returns %s', (value, isText) => {
    expect(readsLikeText(codes(value))).toBe(isText);
  });
});
