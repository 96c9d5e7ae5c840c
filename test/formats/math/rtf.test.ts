import { describe, expect, it } from 'vitest';
import { readDocument, readMarkdown } from '../fixtures/parts.ts';

const rtf = (body: string) => new TextEncoder().encode(`{\\rtf1\\ansi\\ansicpg1252 ${body}}`);
const run = (text: string, properties = '\\mscr0\\msty2') =>
  `{\\mr${properties} \\rtlch\\ltrch\\f34 ${text}}`;
const square = `{\\msSup{\\msSupPr{\\mctrlPr \\f34}}{\\me ${run('a')}}{\\msup ${run('2')}}}`;
const fraction = `{\\mf{\\mfPr{\\mctrlPr \\f34}}{\\mnum ${square}}{\\mden ${run('2b')}}}`;
const picture = '{\\*\\mmathPict{\\pict\\pngblip 00}}';
const formula = (content: string) => `{\\mmath{\\*\\moMath ${content}}${picture}}`;

describe('formulas of RTF', () => {
  it('become LaTeX in their line and on lines of their own', async () => {
    const lone = `{\\mmath{\\*\\moMathPara{\\moMathParaPr{\\mjc center}}{\\*\\moMath ${run('x')}}}${picture}}`;
    const { markdown, text } = await readDocument(
      rtf(`With {\\b v}=${formula(fraction)} there.\\par ${lone}\\par`),
    );
    expect(markdown).toBe('With **v**=$\\frac{a^{2}}{2b}$ there.\n\n$$x$$');
    expect(text).toBe('With v=(a^2)/(2b) there.\n\nx');
  });

  it('have the characters and styles that their properties name', async () => {
    const sum = `{\\mnary{\\mnaryPr{\\mchr \\u8721?}{\\msupHide on}}{\\msub ${run('i')}}{\\msup}{\\me ${run('R', '\\mscr3\\msty0')}}}`;
    const brackets = `{\\md{\\mdPr{\\mbegChr [}{\\mendChr ]}}{\\me ${run("\\'b1 1")}}}`;
    const words = run(' for all ', '\\mnor');
    expect(await readMarkdown(rtf(`${formula(sum + words + brackets)}\\par`))).toBe(
      '$$\\sum_{i}\\mathbb{R}\\text{ for all }[\\pm1]$$',
    );
  });

  it('are read in cells, notes and comments', async () => {
    const cells = `\\trowd\\intbl ${formula(square)}\\cell 1\\cell\\row\\trowd\\intbl a\\cell 2\\cell\\row\\pard `;
    const note = `A{\\footnote \\pard ${formula(run('n'))}}{\\*\\atnauthor Ada}{\\*\\annotation ${formula(run('c'))}}\\par`;
    const markdown = await readMarkdown(rtf(cells + note));
    expect(markdown).toContain('| $a^{2}$ | 1   |');
    expect(markdown).toContain('[^1]: $n$');
    expect(markdown).toContain('> **Comment by Ada:** $c$');
  });

  it('leave out deleted parts, and keep the text of elements that are unknown', async () => {
    expect(await readMarkdown(rtf(`${formula(run('x') + run('{\\deleted y}'))}\\par`))).toBe('$$x$$');
    expect(await readMarkdown(rtf(`Text ${formula(`{\\munknown ${run('kept')}}`)}\\par`))).toBe('Text kept');
  });

  it('lose nothing in groups of any depth or without an end', async () => {
    expect(await readMarkdown(rtf(formula(`${'{\\me '.repeat(400)}${run('x')}`)))).toContain('$x$');
    expect(await readMarkdown(rtf(`{\\mmath{\\*\\moMath ${run('x')}`))).toBe('$$x$$');
  });
});
