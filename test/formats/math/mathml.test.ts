import { describe, expect, it } from 'vitest';
import { readMathml } from '#src/formats/shared/math/mathml/index.ts';
import { parseXml } from '#src/text-formats/xml.ts';

const read = (content: string, attributes = '') =>
  readMathml(parseXml(`<math ${attributes}>${content}</math>`)!);
const latex = (content: string) => read(content)?.latex;
const both = (content: string) => [read(content)?.latex, read(content)?.plain];

const FRACTION = '<mfrac><mi>n</mi><mi>k</mi></mfrac>';
const CELLS =
  '<mtr><mtd><mn>1</mn></mtd><mtd><mi>x</mi></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr>';

describe('presentation MathML', () => {
  it('writes fractions, roots and scripts', () => {
    expect(
      both(
        '<mi>x</mi><mo>=</mo><mfrac><mrow><mo>-</mo><mi>b</mi><mo>&#xb1;</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup><mo>-</mo><mn>4</mn><mi>a</mi><mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>',
      ),
    ).toEqual(['x = \\frac{-b \\pm \\sqrt{b^{2} - 4ac}}{2a}', 'x = (-b ± √(b^2 - 4ac))/(2a)']);
    expect(both('<mroot><mi>x</mi><mn>3</mn></mroot>')).toEqual(['\\sqrt[3]{x}', '∛(x)']);
    expect(both('<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>')).toEqual(['x_{i}^{2}', 'x_i^2']);
    expect(latex(`<msup>${FRACTION}<mn>2</mn></msup>`)).toBe('{\\frac{n}{k}}^{2}');
    expect(latex('<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>')).toBe(
      '{}_{6}^{14}C',
    );
    expect(latex('<msup><mi>f</mi><mo>&#x2032;</mo></msup>')).toBe("f'");
  });

  it('lets brackets grow around high content only', () => {
    expect(latex(`<mi>f</mi><mo>(</mo><mi>x</mi><mo>)</mo>`)).toBe('f(x)');
    expect(latex(`<mo>(</mo>${FRACTION}<mo>)</mo>`)).toBe('\\left( \\frac{n}{k} \\right)');
    expect(latex('<mfenced open="[" close="]"><mi>a</mi><mi>b</mi></mfenced>')).toBe('[a, b]');
    expect(latex('<mo>[</mo><mn>0</mn><mo>,</mo><mn>1</mn><mo>)</mo>')).toBe('[0, 1)');
  });

  it('writes matrices, cases and binomials', () => {
    expect(both(`<mo>[</mo><mtable>${CELLS}</mtable><mo>]</mo>`)).toEqual([
      '\\begin{bmatrix} 1 & x \\\\ 0 & 1 \\end{bmatrix}',
      '[1, x; 0, 1]',
    ]);
    expect(latex(`<mi>d</mi><mo>=</mo><mo>|</mo><mtable>${CELLS}</mtable><mo>|</mo>`)).toBe(
      'd = \\begin{vmatrix} 1 & x \\\\ 0 & 1 \\end{vmatrix}',
    );
    expect(latex(`<mo>{</mo><mtable>${CELLS}</mtable>`)).toBe('\\begin{cases} 1 & x \\\\ 0 & 1 \\end{cases}');
    expect(latex(`<mo>(</mo>${FRACTION.replace('>', ' linethickness="0">')}<mo>)</mo>`)).toBe(
      '\\binom{n}{k}',
    );
  });

  it('writes sums, limits and functions', () => {
    const bounds = '<mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi>';
    expect(both(`<munderover><mo>&#x2211;</mo>${bounds}</munderover><mi>i</mi>`)).toEqual([
      '\\sum_{i = 1}^{n}i',
      '∑_(i = 1)^n i',
    ]);
    expect(
      latex(
        '<munder><mo>lim</mo><mrow><mi>x</mi><mo>&#x2192;</mo><mn>0</mn></mrow></munder><mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>',
      ),
    ).toBe('\\lim_{x \\to 0} \\sin x');
    expect(latex('<mi>rank</mi><mi>A</mi>')).toBe('\\mathrm{rank}A');
    expect(latex('<mo>argmax</mo><mi>f</mi>')).toBe('\\operatorname{argmax}f');
  });

  it('writes accents and braces', () => {
    expect(both('<mover><mi>x</mi><mo>^</mo></mover>')).toEqual(['\\hat{x}', 'x̂']);
    expect(latex('<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>&#x2192;</mo></mover>')).toBe(
      '\\overrightarrow{AB}',
    );
    expect(latex('<munder><munder><mi>x</mi><mo>&#x23df;</mo></munder><mi>n</mi></munder>')).toBe(
      '\\underbrace{x}_{n}',
    );
    expect(latex('<mover><mo>=</mo><mtext>def</mtext></mover>')).toBe('\\overset{\\text{def}}{=}');
  });

  it('keeps typefaces and escapes the special characters of LaTeX', () => {
    expect(
      latex(
        '<mi>&#x211d;</mi><mi>&#x1d400;</mi><mi mathvariant="bold">x</mi><mi mathvariant="normal">d</mi>',
      ),
    ).toBe('\\mathbb{R}\\mathbf{A}\\mathbf{x}\\mathrm{d}');
    expect(latex('<mi>&#x1d6c2;</mi><mi mathvariant="fraktur">g</mi>')).toBe(
      '\\boldsymbol{\\alpha}\\mathfrak{g}',
    );
    expect(latex('<mtext>50% of $ {a_b}^\\</mtext>')).toBe(
      '\\text{50\\% of \\$ \\{a\\_b\\}\\textasciicircum{}\\textbackslash{}}',
    );
    expect(latex('<mn>5</mn><mo>%</mo><mi>&#x3b1;</mi><mi>x</mi>')).toBe('5\\%\\alpha x');
  });

  it('reads prefixed elements and aligned equations with numbers', () => {
    const root = parseXml(
      '<m:math display="block"><m:mtable columnalign="right left"><m:mlabeledtr><m:mtd><m:mtext>(2.1)</m:mtext></m:mtd><m:mtd><m:mi>E</m:mi></m:mtd><m:mtd><m:mo>=</m:mo><m:mi>m</m:mi></m:mtd></m:mlabeledtr></m:mtable></m:math>',
    );
    expect(readMathml(root!)).toEqual({ latex: 'E = m \\tag{2.1}', plain: 'E = m (2.1)', isDisplay: true });
  });
});

describe('TeX source of MathML', () => {
  const annotate = (tex: string, content = '<mi>x</mi>') =>
    read(`<semantics>${content}<annotation encoding="application/x-tex">${tex}</annotation></semantics>`);

  it('is used instead of the presentation, whose text stays readable', () => {
    expect(annotate('{\\displaystyle x_{1}}', '<msub><mi>x</mi><mn>1</mn></msub>')).toEqual({
      latex: 'x_{1}',
      plain: 'x_1',
      isDisplay: false,
    });
  });

  it('loses comments, documents around it and dollar signs', () => {
    expect(annotate('a % note\n+ b \\% c')?.latex).toBe('a + b \\% c');
    expect(annotate('\\documentclass{minimal}\\begin{document}$$a^2$$\\end{document}')).toMatchObject({
      latex: 'a^2',
      isDisplay: true,
    });
    expect(annotate('\\text{if $y$}')?.latex).toBe('\\text{if \\(y\\)}');
    expect(annotate('x\\ ')?.latex).toBe('x');
  });
});

describe('content MathML', () => {
  it('writes operators, functions and derivatives', () => {
    expect(
      latex(
        '<apply><eq/><ci>y</ci><apply><times/><apply><plus/><ci>a</ci><cn>1</cn></apply><apply><power/><ci>x</ci><cn>2</cn></apply></apply></apply>',
      ),
    ).toBe('y = (a + 1) \\cdot x^{2}');
    expect(latex('<apply><sin/><ci>x</ci></apply>')).toBe('\\sin(x)');
    expect(latex('<apply><divide/><ci>a</ci><pi/></apply>')).toBe('\\frac{a}{\\pi}');
    expect(
      latex(
        '<apply><int/><bvar><ci>x</ci></bvar><lowlimit><cn>0</cn></lowlimit><uplimit><infinity/></uplimit><ci>f</ci></apply>',
      ),
    ).toBe('\\int_{0}^{\\infty}f\\mathrm{d}x');
    expect(latex('<apply><ci>g</ci><ci>x</ci><ci>y</ci></apply>')).toBe('g(x, y)');
  });
});

it('an empty formula is left out', () => {
  expect(read('')).toBeUndefined();
  expect(read('<mrow><mtext> </mtext></mrow>')).toBeUndefined();
});

it('deep and long formulas are read in linear time', () => {
  const start = Date.now();
  const deep = '<mrow><mo>(</mo>'.repeat(3_000);
  expect(read(deep)?.latex).toContain('(((');
  const long = '<mo>(</mo><mi>a</mi><mo>+</mo>'.repeat(40_000);
  expect(read(long)?.latex).toHaveLength(40_000 * 5 - 1);
  expect(Date.now() - start).toBeLessThan(5_000);
});
