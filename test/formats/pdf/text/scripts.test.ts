import { describe, expect, it } from 'vitest';
import { readOne } from '../helpers.ts';

/** Draws parts of a line one after the other, each with its size and the height above the baseline. */
const line = (...parts: [value: string, size?: number, rise?: number][]) =>
  `BT 1 0 0 1 72 700 Tm ${parts.map(([value, size = 12, rise = 0]) => `/F1 ${size} Tf ${rise} Ts (${value}) Tj`).join(' ')} ET\n`;

const readMarkdown = async (content: string) => (await readOne(content)).markdown;

describe('superscripts and subscripts', () => {
  it('are marked inside of words', async () => {
    const page = await readOne(line(['Pour H'], ['2', 8, -3], ['O over it.'], ['4', 8, 5]));
    expect(page.markdown).toBe('Pour H<sub>2</sub>O over it.<sup>4</sup>');
    expect(page.text).toBe('Pour H2O over it.4');
  });

  it('are marked as words of their own', async () => {
    expect(await readMarkdown(line(['Quays of the north '], ['3', 8, 5], [' are deep.']))).toBe(
      'Quays of the north <sup>3</sup> are deep.',
    );
  });

  it('are not small letters on the baseline', async () => {
    expect(await readMarkdown(line(['Small '], ['CAPITALS', 8], [' follow.']))).toBe(
      'Small CAPITALS follow.',
    );
  });

  it('are not endings of ordinal numbers', async () => {
    expect(await readMarkdown(line(['On April 15'], ['th', 8, 5], [' it rained.']))).toBe(
      'On April 15th it rained.',
    );
  });

  it('do not hide the mark of a list item', async () => {
    expect(await readMarkdown(line(['1. Area in m'], ['2', 8, 5]))).toBe('1. Area in m<sup>2</sup>');
  });
});
