import { describe, expect, it } from 'vitest';
import { decodeFontCode } from '#src/formats/pdf/math/tex-encodings.ts';
import { composeLetter } from '#src/formats/pdf/text/accents.ts';
import { text } from '#test/fixtures/pdf.ts';
import { texFont } from '#test/fixtures/pdf-formulas.ts';
import { withDocument } from '../helpers.ts';

const show = (font: number, x: number, codes: readonly number[]) =>
  `BT /X${font} 12 Tf 1 0 0 1 ${x} 700 Tm <${codes.map((code) => code.toString(16).padStart(2, '0')).join('')}> Tj ET\n`;

/** Reads the text of a page with a font that has no Unicode values. */
async function read(font: string, codes: readonly number[]): Promise<string> {
  const page = await withDocument(
    { pages: [{ content: text(50, 700, 'Set') + show(0, 100, codes) }], fonts: [texFont(font, codes)] },
    (document) => document.readPage(0),
  );
  expect(page.needsOcr).toBeUndefined();
  return page.text;
}

describe('fonts of TeX without Unicode values', () => {
  it('are read by their encoding', async () => {
    expect(await read('ABCDEF+CMSY10', [0x68, 0x32, 0x69])).toBe('Set ⟨∈⟩');
    expect(await read('CMMI10', [0x0b, 0x78])).toBe('Set αx');
    expect(await read('CMR10', [0x0c, 0x78])).toBe('Set fix');
    expect(await read('MSBM10', [0x52])).toBe('Set R');
  });

  it('have ligatures only if they are text fonts', async () => {
    expect(await read('CMEX10', [0x0c])).toBe('Set |');
    expect(decodeFontCode('CMEX10', 0x0c)).toBe('|');
    expect(decodeFontCode('CMBX12', 0x0c)).toBe('fi');
  });

  it('stay unknown if the name of the font tells nothing', () => {
    expect(decodeFontCode('Garamond', 0x0c)).toBeUndefined();
    expect(decodeFontCode('CMSY10', 0x25)).toBe('↗');
    expect(decodeFontCode('MSAM10', 0x7f)).toBeUndefined();
  });

  it('include the Symbol font and its private codes', () => {
    expect(decodeFontCode('SymbolMT', 0xf061)).toBe('α');
    expect(decodeFontCode('Symbol', 0xe5)).toBe('∑');
    expect(decodeFontCode('Symbol', 0xf0)).toBeUndefined();
  });
});

/** Draws text so that an accent stands over the letter after it, as TeX does. */
async function readAccented(accent: string, letter: string, shift = 0.5): Promise<string> {
  const accentAt = 100 + shift;
  const content =
    text(85.3, 700, 'No') + text(accentAt, 700, accent) + text(100, 700, letter) + text(100 + 6.7, 700, 'k');
  return withDocument({ pages: [{ content }] }, async (document) => (await document.readPage(0)).text);
}

describe('accents drawn over letters', () => {
  it('become one character with their letter', async () => {
    expect(await readAccented('\u00b4', 'a', 1.3)).toBe('Noák');
    expect(await readAccented('\u00a8', 'a', 1.3)).toBe('Noäk');
  });

  it('stay characters of their own beside a letter', async () => {
    expect(await readAccented('\u00b4', 'a', -6)).not.toContain('á');
  });

  it('compose dotless letters and letters with marks below', () => {
    expect(composeLetter('´', 'ı')).toBe('í');
    expect(composeLetter('¸', 'c')).toBe('ç');
    expect(composeLetter('˝', 'o')).toBe('ő');
    expect(composeLetter('\u0338', '=')).toBe('≠');
    expect(composeLetter('´', '5')).toBeUndefined();
  });
});
