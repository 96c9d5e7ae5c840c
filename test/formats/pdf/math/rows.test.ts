import { describe, expect, it } from 'vitest';
import { checkOperators } from '#src/formats/pdf/math/check.ts';
import { readLines } from '#src/formats/pdf/math/formulas.ts';
import type { Glyph } from '#src/formats/pdf/math/glyphs.ts';
import { writeLatex } from '#src/formats/shared/math/latex.ts';

type Drawn = readonly [text: string, x: number, y: number, change?: Partial<Glyph>];

/** Builds a glyph that is half as wide as high. `y` is the baseline and grows downwards. */
function toGlyph([text, x, y, change = {}]: Drawn): Glyph {
  const size = change.size ?? 10;
  const box = { x0: x, y0: y - 0.65 * size, x1: x + 0.5 * size, y1: y };
  return { ...box, text, base: y, size, italic: /[a-z]/i.test(text), font: 'CMMI10', ...change };
}

const read = (...drawn: Drawn[]) => readLines(drawn.map(toGlyph), []).map(({ node }) => writeLatex(node));
const small = { size: 7 };
const tall = (y0: number, y1: number) => ({ y0, y1, font: 'CMEX10', italic: false });

describe('a row of a formula', () => {
  it('attaches scripts of scripts to what they belong to', () => {
    expect(read(['x', 0, 20], ['y', 6, 16, small], ['i', 10, 17, { size: 5 }])).toEqual(['x^{y_{i}}']);
  });

  it('reads both scripts of a letter', () => {
    expect(read(['x', 0, 20], ['i', 6, 22, small], ['2', 6, 15, small])).toEqual(['x_{i}^{2}']);
  });

  it('reads primes', () => {
    expect(read(['f', 0, 20], ['′', 6, 16, small], ['=', 12, 20], ['g', 20, 20])).toEqual(["f' = g"]);
  });

  it('reads accents above letters', () => {
    const hat = { y0: 10, y1: 12, x0: 0.5, x1: 4.5 };
    expect(read(['ˆ', 0, 20, hat], ['y', 0, 20], ['=', 8, 20], ['z', 16, 20])).toEqual(['\\hat{y} = z']);
  });

  it('joins the glyphs of long arrows, dots and slashed signs', () => {
    const touching = { x0: 12, x1: 20 };
    expect(read(['A', 0, 20], ['=', 7, 20], ['⇒', 12, 20, touching], ['B', 22, 20])).toEqual([
      'A \\Longrightarrow B',
    ]);
    expect(read(['a', 0, 20], ['\u0338', 8, 20], ['=', 8, 20], ['b', 16, 20])).toEqual(['a \\neq b']);
    expect(read(['1', 0, 20], ['.', 8, 20], ['.', 15, 20], ['.', 22, 20], ['n', 29, 20])).toEqual([
      '1\\ldots n',
    ]);
  });

  it('names the typeface of letters', () => {
    expect(
      read(['R', 0, 20, { font: 'MSBM10', italic: false }], ['+', 8, 20], ['L', 16, 20, { font: 'CMSY10' }]),
    ).toEqual(['\\mathbb{R} + \\mathcal{L}']);
  });

  it('reads letters with a typeface in Unicode', () => {
    const plain = { italic: false, font: 'CambriaMath' };
    expect(read(['𝑎', 0, 20, plain], ['𝑏', 5, 20, plain], ['=', 12, 20], ['𝐄', 20, 20, plain])).toEqual([
      'ab = \\mathbf{E}',
    ]);
  });

  it('names bold and Fraktur letters', () => {
    expect(read(['g', 0, 20, { font: 'EUFM10' }], ['=', 8, 20], ['B', 16, 20, { font: 'CMMIB10' }])).toEqual([
      '\\mathfrak{g} = \\boldsymbol{B}',
    ]);
  });

  it('throws if a small letter stands on the line', () => {
    expect(() => read(['a', 0, 20], ['b', 6, 20, small])).toThrow('a small letter on the line');
  });

  it('throws if a script is far from its letter, or has a sign before it', () => {
    expect(() => read(['a', 0, 20], ['2', 14, 15, small])).toThrow('a script far from its base');
    expect(() => read(['a', 0, 20], ['=', 8, 20], ['2', 14, 15, small])).toThrow('a script without a letter');
  });

  it('throws if upright letters form a word of a sentence', () => {
    const upright = { italic: false, font: 'CMR10' };
    const word: Drawn[] = [...'and'].map((letter, at): Drawn => [letter, 10 + 5 * at, 20, upright]);
    expect(() => read(['a', 0, 20], ...word, ['b', 30, 20])).toThrow('the word and');
  });

  it('throws if letters lie over each other', () => {
    expect(() => read(['a', 0, 20], ['b', 1, 20])).toThrow('letters over each other');
  });

  it('throws if a character is unknown', () => {
    expect(() => read(['a', 0, 20], ['✆', 8, 20])).toThrow('the character ✆');
  });

  it('throws if a script has no base', () => {
    expect(() => read(['2', 0, 15, small], ['x', 6, 20])).toThrow('a script without a base');
  });
});

describe('bars', () => {
  it('keep the parts of a fraction within a fraction apart from what is beyond the next bar', () => {
    const glyphs = [
      ['1', 0, 20],
      ['a', 0, 28.5],
      ['b', 0, 37],
    ] satisfies Drawn[];
    const bars = [
      { x0: -1, x1: 7, y0: 20.8, y1: 21.2 },
      { x0: 0, x1: 5, y0: 29.3, y1: 29.7 },
    ];
    const lines = readLines(glyphs.map(toGlyph), bars).map(({ node }) => writeLatex(node));
    expect(lines).toEqual(['\\frac{1}{\\frac{a}{b}}']);
  });
});

describe('bars over and under letters', () => {
  const readBars = (drawn: Drawn[], x0: number, x1: number, y: number) =>
    readLines(drawn.map(toGlyph), [{ x0, x1, y0: y, y1: y + 0.4 }]).map(({ node }) => writeLatex(node));

  it('are accents if nothing stands above them', () => {
    expect(
      readBars(
        [
          ['a', 0, 20],
          ['b', 6, 20],
          ['=', 14, 20],
          ['c', 22, 20],
        ],
        0,
        11,
        12,
      ),
    ).toEqual(['\\overline{ab} = c']);
  });

  it('throw if they are much longer than the fraction', () => {
    expect(() =>
      readBars(
        [
          ['1', 18, 18],
          ['2', 18, 29],
        ],
        0,
        40,
        20,
      ),
    ).toThrow('longer than its fraction');
  });

  it('throw if a part crosses them', () => {
    const drawn: Drawn[] = [
      ['1', 2, 18],
      ['2', 2, 29],
      ['W', 7, 20, { x1: 30 }],
    ];
    expect(() => readBars(drawn, 0, 10, 20)).toThrow('a part crosses a bar');
  });
});

describe('tall brackets', () => {
  const matrix: Drawn[] = [
    ['a', 8, 20],
    ['b', 22, 20],
    ['c', 8, 32],
    ['d', 22, 32],
  ];

  it('enclose matrices', () => {
    const brackets: Drawn[] = [
      ['(', 0, 12, tall(10, 36)],
      [')', 30, 12, tall(10, 36)],
    ];
    expect(read(...brackets, ...matrix)).toEqual(['\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}']);
  });

  it('are joined from pieces', () => {
    const pieces: Drawn[] = [
      ['⎡', 0, 12, tall(10, 23)],
      ['⎣', 0, 24, tall(23, 36)],
      ['⎤', 30, 12, tall(10, 23)],
      ['⎦', 30, 24, tall(23, 36)],
    ];
    expect(read(...pieces, ...matrix)).toEqual(['\\begin{bmatrix} a & b \\\\ c & d \\end{bmatrix}']);
  });

  it('throw if a line extends beyond them', () => {
    const brackets: Drawn[] = [
      ['(', 0, 12, tall(18, 36)],
      [')', 30, 12, tall(18, 36)],
    ];
    expect(() => read(...brackets, ...matrix, ['e', 15, 2])).toThrow(
      'lines that extend beyond their brackets',
    );
  });

  it('throw if a cell is missing', () => {
    const brackets: Drawn[] = [
      ['(', 0, 12, tall(10, 36)],
      [')', 30, 12, tall(10, 36)],
    ];
    expect(() => read(...brackets, ...matrix.slice(1))).toThrow('a matrix with missing cells');
  });

  it('enclose binomial coefficients', () => {
    const drawn: Drawn[] = [
      ['(', 0, 12, tall(9, 38)],
      ['n', 8, 20],
      ['k', 8, 34],
      [')', 16, 12, tall(9, 38)],
    ];
    expect(read(...drawn)).toEqual(['\\binom{n}{k}']);
  });
});

describe('vectors', () => {
  it('are told from binomial coefficients by the distance of their rows', () => {
    const drawn: Drawn[] = [
      ['(', 0, 12, tall(9, 36)],
      ['n', 8, 20],
      ['k', 8, 32],
      [')', 16, 12, tall(9, 36)],
    ];
    expect(read(...drawn)).toEqual(['\\begin{pmatrix} n \\\\ k \\end{pmatrix}']);
  });
});

describe('operators', () => {
  const check = (signs: string) =>
    checkOperators({ kind: 'row', items: [...signs].map((text) => ({ kind: 'leaf', text })) });

  it.each(['−a=b', 'a=−b', '(−a)', 'a<b'])('have their operands in %s', (signs) => {
    expect(() => check(signs)).not.toThrow();
  });

  it.each(['a=', 'a×', '×a', 'a=<b', 'a+−b', 'a(=b', 'a=×b'])('lack an operand in %s', (signs) => {
    expect(() => check(signs)).toThrow(/operator/);
  });

  it('are not slashes over nothing', () => {
    expect(() => check('a\u0338b')).toThrow('a slash over nothing');
  });
});

describe('lines of a formula', () => {
  it('contain letters whose baselines differ a little', () => {
    expect(read(['a', 0, 20], ['=', 8, 20.4], ['b', 16, 20])).toEqual(['a = b']);
  });

  it('contain large signs by their center, because these signs hang from their baseline', () => {
    const second: Drawn[] = [
      ['=', 8, 50],
      ['∑', 16, 33, tall(38, 58)],
      ['c', 23, 50],
    ];
    expect(read(['a', 0, 20], ['=', 8, 20], ['b', 16, 20], ...second)).toEqual(['a = b', '= \\sum c']);
  });

  it('are read from top to bottom', () => {
    expect(read(['a', 0, 20], ['=', 8, 20], ['b', 16, 20], ['=', 8, 36], ['c', 16, 36])).toEqual([
      'a = b',
      '= c',
    ]);
  });
});
