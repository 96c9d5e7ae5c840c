import { describe, expect, it } from 'vitest';
import type { PdfPage } from '#test/fixtures/pdf.ts';
import { readOne, readPages } from '../helpers.ts';

type Part = [value: string, size?: number, rise?: number];

/** Draws parts of a line one after the other, each with its size and the height above the baseline. */
const line = (y: number, ...parts: Part[]) =>
  `BT 1 0 0 1 72 ${y} Tm ${parts.map(([value, size = 11, rise = 0]) => `/F1 ${size} Tf ${rise} Ts (${value}) Tj`).join(' ')} ET\n`;

const BODY = Array.from({ length: 8 }, (_, at) =>
  line(720 - 14 * at, [`The harbour was deepened in stages, and stage ${at + 1} took most of a winter.`]),
).join('');
const mark = (value: string): Part => [value, 7, 4];
const note = (y: number, value: string, words: string) => line(y, [value, 6, 3], [words, 9]);

const readMarkdown = async (content: string) => (await readOne(BODY + content)).markdown;

describe('footnotes', () => {
  it('become footnotes of Markdown behind the text', async () => {
    const markdown = await readMarkdown(
      line(590, ['The dues'], mark('1'), [' were doubled by the council'], mark('2'), [' in May.']) +
        note(100, '1', 'Paid in silver until the reform.') +
        note(89, '2', 'Minutes of the council, book 4.'),
    );
    expect(markdown).toContain('The dues[^p1-1] were doubled by the council[^p1-2] in May.');
    expect(markdown).toMatch(
      /\[\^p1-1\]: Paid in silver until the reform\.\n\n\[\^p1-2\]: Minutes of the council, book 4\.$/,
    );
  });

  it('have different labels on different pages', async () => {
    const createPage = (words: string): PdfPage => ({
      content: BODY + line(590, ['The dues rose'], mark('1'), [' in May.']) + note(100, '1', words),
    });
    const [first, second] = await readPages([
      createPage('Paid in silver.'),
      createPage('By decree of the king.'),
    ]);
    expect(first!.markdown).toContain('[^p1-1]: Paid in silver.');
    expect(second!.markdown).toContain('rose[^p2-1] in May.');
  });

  it('may have symbols as marks', async () => {
    const markdown = await readMarkdown(
      line(590, ['The dues* were doubled in May.']) + line(100, ['* Paid in silver.', 9]),
    );
    expect(markdown).toContain('The dues[^p1-∗] were doubled');
    expect(markdown).toContain('[^p1-∗]: Paid in silver.');
  });

  it('are kept as printed if the text does not show their mark', async () => {
    const markdown = await readMarkdown(
      line(590, ['The dues were doubled in May.']) + note(100, '1', 'Paid in silver.'),
    );
    expect(markdown).toContain('<sup>1</sup>Paid in silver.');
  });

  it('are not marked by exponents', async () => {
    const markdown = await readMarkdown(
      line(590, ['The basin has an area of 90 km'], mark('2'), [' and 10'], mark('2'), [' berths.']) +
        note(100, '2', 'Paid in silver.'),
    );
    expect(markdown).toContain('90 km<sup>2</sup> and 10<sup>2</sup> berths');
    expect(markdown).toContain('<sup>2</sup>Paid in silver.');
  });

  it('are not marked by exponents of brackets, or by the asterisk of a variable', async () => {
    const markdown = await readMarkdown(
      line(590, ['The sum is the square of \\(a + b\\)'], mark('2'), [' here.']) +
        line(576, ['The search with A* is shorter.']) +
        note(100, '2', 'Paid in silver.') +
        line(89, ['* Paid in gold.', 9]),
    );
    expect(markdown).not.toContain('[^');
  });

  it('are kept as printed if two notes have the same mark', async () => {
    const markdown = await readMarkdown(
      line(590, ['The dues rose'], mark('1'), [' in May.']) +
        note(100, '1', 'Paid in silver.') +
        note(89, '1', 'Paid in gold.'),
    );
    expect(markdown).not.toContain('[^');
  });

  it('may share one mark in the text, divided by a comma', async () => {
    const markdown = await readMarkdown(
      line(590, ['The dues rose'], mark('1,2'), [' in May.']) +
        note(100, '1', 'Paid in silver.') +
        note(89, '2', 'Paid in gold.'),
    );
    expect(markdown).toContain('rose[^p1-1][^p1-2] in May.');
  });

  it('keep signs of Markdown at their beginning as text', async () => {
    const markdown = await readMarkdown(
      line(590, ['The dues rose'], mark('1'), [' in May.']) + note(100, '1', '> 5 per cent of the dues.'),
    );
    expect(markdown).toContain('[^p1-1]: \\> 5 per cent of the dues.');
  });

  it('stand at the foot of the page', async () => {
    const markdown = await readMarkdown(
      line(590, ['The dues rose'], mark('1'), [' in May.']) +
        note(570, '1', 'Paid in silver.') +
        line(540, ['The harbour was then deepened once more, and the quay was built anew.']),
    );
    expect(markdown).toContain('The dues rose<sup>1</sup> in May.');
  });
});
