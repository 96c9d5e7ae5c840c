import { describe, expect, it } from 'vitest';
import { line, paragraph, rectangle, text } from '#test/fixtures/pdf.ts';
import { drawParts, formulaPage, type Part } from '#test/fixtures/pdf-formulas.ts';
import { withDocument } from '../helpers.ts';

const SENTENCES = paragraph(60, 740, [
  'The bridge keeps its shape as long as the load on the cables is spread evenly',
  'over the whole length, which is why the engineers measure it every morning.',
]);

const read = (content: string) =>
  withDocument(formulaPage(SENTENCES + content), (document) => document.readPage(0));

async function readFormulas(parts: readonly Part[], drawn = ''): Promise<string[]> {
  const { markdown } = await read(drawParts(parts) + drawn);
  return markdown.match(/\$\$.*?\$\$/g) ?? [];
}

const bar = (x0: number, x1: number, y: number) => rectangle(x0, y, x1 - x0, 0.5);

const SQUARES: readonly Part[] = [
  [240, 680, 'a'],
  [247, 685, '2', 8],
  [255, 680, '+'],
  [265, 680, 'b'],
  [271.5, 685, '2', 8],
  [280, 680, '='],
  [290, 680, 'c'],
  [296, 677, '1', 8],
];

describe('displayed formulas', () => {
  it('have superscripts and subscripts', async () => {
    expect(await readFormulas(SQUARES)).toEqual(['$$a^{2} + b^{2} = c_{1}$$']);
  });

  it('keep their characters as text', async () => {
    const { text: plain, blocks } = await read(drawParts(SQUARES));
    expect(plain.replace(/\s/g, '')).toContain('a2+b2=c1');
    expect(blocks.find(({ markdown }) => markdown.startsWith('$$'))).toMatchObject({ type: 'paragraph' });
  });

  it('have fractions with bold letters and Greek letters', async () => {
    const parts: Part[] = [
      [240, 680, '∇'],
      [250, 680, '×'],
      [260, 680, 'E', 12, 'bold'],
      [272, 680, '='],
      [284, 689, '∂'],
      [290.5, 689, 'B', 12, 'bold'],
      [287, 672, '∂'],
      [293.5, 672, 't'],
    ];
    expect(await readFormulas(parts, bar(283, 300, 682.8))).toEqual([
      '$$\\nabla \\times \\mathbf{E} = \\frac{\\partial\\mathbf{B}}{\\partial t}$$',
    ]);
  });

  it('have fractions within fractions', async () => {
    const parts: Part[] = [
      [240, 680, 'y'],
      [250, 680, '='],
      [271, 690, '1'],
      [266, 670, '1'],
      [274, 670, '+'],
      [285, 676, 'a', 8],
      [285, 666.5, 'b', 8],
    ];
    const bars = bar(262, 292, 682.8) + bar(284, 290, 673);
    expect(await readFormulas(parts, bars)).toEqual(['$$y = \\frac{1}{1 + \\frac{a}{b}}$$']);
  });

  it('have integrals with limits', async () => {
    const parts: Part[] = [
      [240, 680, '∫'],
      [247, 690, 'b', 8],
      [243.5, 673, 'a', 8],
      [254, 680, 'x'],
      [261, 680, 'd'],
      [267.5, 680, 'x'],
      [276, 680, '='],
      [287, 680, '1'],
    ];
    expect(await readFormulas(parts)).toEqual(['$$\\int_{a}^{b}xdx = 1$$']);
  });

  it('have sums with limits that are wider than the sign', async () => {
    const parts: Part[] = [
      [244, 680, '∑'],
      [239, 670, 'k', 8],
      [243, 670, '=', 8],
      [248, 670, '0', 8],
      [246, 692, 'n', 8],
      [256, 680, 'k'],
      [266, 680, '≤'],
      [276, 680, 'm'],
    ];
    expect(await readFormulas(parts)).toEqual(['$$\\sum_{k = 0}^{n}k \\leq m$$']);
  });

  it('have roots', async () => {
    const parts: Part[] = [
      [240, 680, 'r'],
      [248, 680, '='],
      [258, 680, '√'],
      [265, 680, 'x'],
      [272, 680, '+'],
      [281, 680, 'y'],
    ];
    expect(await readFormulas(parts, bar(264.5, 288, 690.6))).toEqual(['$$r = \\sqrt{x + y}$$']);
  });

  it('have roots with a degree', async () => {
    const parts: Part[] = [
      [240, 680, 'r'],
      [248, 680, '='],
      [257, 687, '3', 6],
      [258, 680, '√'],
      [265, 680, 'x'],
      [272, 680, '+'],
      [281, 680, 'y'],
    ];
    expect(await readFormulas(parts, bar(264.5, 288, 690.6))).toEqual(['$$r = \\sqrt[3]{x + y}$$']);
  });

  it('keep an exponent before a root apart from its degree', async () => {
    const parts: Part[] = [
      [250, 680, 'a'],
      [257, 685, '2', 8],
      [266, 680, '√'],
      [273, 680, 'x'],
      [285, 680, '='],
      [295, 680, 'b'],
    ];
    expect(await readFormulas(parts, bar(272.5, 280, 690.6))).toEqual(['$$a^{2}\\sqrt{x} = b$$']);
  });

  it('name functions', async () => {
    const parts: Part[] = [
      [240, 680, 'y'],
      [250, 680, '='],
      [261, 680, 'sin', 12, 'upright'],
      [278, 680, 'x'],
      [284, 685, '2', 8],
    ];
    expect(await readFormulas(parts)).toEqual(['$$y = \\sin x^{2}$$']);
  });

  it('have their numbers as tags', async () => {
    const number: Part[] = [[520, 680, '(7)']];
    expect(await readFormulas([...SQUARES, ...number])).toEqual(['$$a^{2} + b^{2} = c_{1} \\tag{7}$$']);
  });

  it('have their numbers on the lines beside which they are printed', async () => {
    const second = SQUARES.map(([x, y, ...rest]): Part => [x, y - 18, ...rest]);
    const number: Part[] = [[520, 680, '(7)']];
    expect(await readFormulas([...SQUARES, ...second, ...number])).toEqual([
      '$$a^{2} + b^{2} = c_{1} \\tag{7}$$',
      '$$a^{2} + b^{2} = c_{1}$$',
    ]);
  });

  it('include the condition after them', async () => {
    const condition: Part[] = [[316, 680, 'for all c', 12, 'upright']];
    expect(await readFormulas([...SQUARES, ...condition])).toEqual([
      '$$a^{2} + b^{2} = c_{1}\\text{ for all c}$$',
    ]);
  });

  it('stay blocks of plain text if they cannot be read', async () => {
    const parts: Part[] = [...SQUARES.slice(0, -2), [290, 680, '∇']];
    const { blocks } = await read(drawParts([...parts, [300, 684, 'd']]));
    const block = blocks.find(({ text }) => text.includes('∇'));
    expect(block).toMatchObject({ type: 'paragraph' });
    expect(block?.text).not.toContain('bridge');
    expect(block?.text.replace(/\s/g, '')).toMatch(/=∇d$/);
  });

  it('stand after the text above them and before the text below', async () => {
    const below = paragraph(60, 640, ['The formula above holds for every right triangle on a flat surface.']);
    const { markdown } = await read(drawParts(SQUARES) + below);
    expect(markdown.indexOf('morning')).toBeLessThan(markdown.indexOf('$$'));
    expect(markdown.indexOf('$$')).toBeLessThan(markdown.indexOf('right triangle'));
  });
});

describe('text is not a displayed formula', () => {
  it('if an operator has no operand', async () => {
    expect(await readFormulas(SQUARES.slice(0, -2))).toEqual([]);
  });

  it('if a letter stands between two lines', async () => {
    expect(await readFormulas([...SQUARES, [303, 683, 'd']])).toEqual([]);
  });

  it('if a bar has nothing below it', async () => {
    expect(await readFormulas(SQUARES, bar(262, 320, 677.5))).toEqual([]);
  });

  it('if its lines are rows of a table', async () => {
    const rows = [680, 664].flatMap((y): Part[] => [
      [240, y, '√'],
      [250, y, '5'],
      [272, y, '7'],
      [294, y, '9'],
    ]);
    expect(await readFormulas(rows)).toEqual([]);
  });

  it('if it is part of a sentence', async () => {
    // The letters of this font are 6 points wide, so that the text ends 13 points before the formula.
    const before = text(59, 680, 'the sides of any triangle do', 10, 'F3');
    expect(await readFormulas(SQUARES, before)).toEqual([]);
  });

  it('if it is the last line of a paragraph', async () => {
    const shifted = SQUARES.map(([x, y, ...rest]): Part => [x - 180, y + 36, ...rest]);
    expect(await readFormulas(shifted)).toEqual([]);
  });

  it('if it stands in a cell of a ruled table', async () => {
    const rules = [660, 700, 730].map((y) => line(60, y, 500, y)).join('');
    const sides = [60, 220, 500].map((x) => line(x, 660, x, 730)).join('');
    const cells =
      [668, 680, 710].map((y) => paragraph(70, y, ['Length'])).join('') + paragraph(240, 710, ['Rule']);
    expect(await readFormulas(SQUARES, rules + sides + cells)).toEqual([]);
  });
});

describe('items of a list', () => {
  it('contain formulas with scripts in the line', async () => {
    const { markdown } = await read(drawParts([[215, 680, '12.'], ...SQUARES]));
    expect(markdown).toContain('12. $a^{2} + b^{2} = c_{1}$');
  });

  it('stay items if a dash stands before formulas that cannot be read', async () => {
    const rows = [690, 676].flatMap((y, at): Part[] => [
      [80, y, '\u0096', 12, 'upright'],
      [92, y, 'q'],
      [98, y - 3, `${at + 4}`, 8],
      [108, y, '='],
      [118, y, '∇'],
    ]);
    const { markdown, blocks } = await read(drawParts(rows));
    expect(markdown).toMatch(/\n\n- q<sub>4<\/sub> = ∇\n- q<sub>5<\/sub> = ∇$/);
    expect(blocks.at(-1)).toMatchObject({ type: 'list' });
  });
});
