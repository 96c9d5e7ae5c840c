import { describe, expect, it } from 'vitest';
import { readOmml } from '#src/formats/shared/math/omml/index.ts';
import { parseXml } from '#src/text-formats/xml.ts';
import { mathRun as r } from '../fixtures/formulas.ts';

const read = (content: string) => readOmml(parseXml(`<m:oMath>${content}</m:oMath>`)!)[0];
const latex = (content: string) => read(content)?.latex;
const e = (content: string) => `<m:e>${content}</m:e>`;
const set = (name: string, value: string) => `<m:${name} m:val="${value}"/>`;
const upright = set('sty', 'p');

describe('Office MathML', () => {
  it('writes fractions, roots and scripts', () => {
    const square = `<m:sSup>${e(r('b'))}<m:sup>${r('2')}</m:sup></m:sSup>`;
    const root = `<m:rad><m:radPr>${set('degHide', '1')}</m:radPr><m:deg/>${e(`${square}${r('-4ac')}`)}</m:rad>`;
    expect(read(`${r('x=')}<m:f><m:num>${r('-b±')}${root}</m:num><m:den>${r('2a')}</m:den></m:f>`)).toEqual({
      latex: 'x = \\frac{-b \\pm \\sqrt{b^{2} - 4ac}}{2a}',
      plain: 'x = (-b ± √(b^2 - 4ac))/(2a)',
      isDisplay: false,
    });
    expect(latex(`<m:rad><m:deg>${r('3')}</m:deg>${e(r('x'))}</m:rad>`)).toBe('\\sqrt[3]{x}');
    expect(
      latex(`<m:sSubSup>${e(r('x'))}<m:sub>${r('i')}</m:sub><m:sup>${r('n+1')}</m:sup></m:sSubSup>`),
    ).toBe('x_{i}^{n + 1}');
    expect(latex(`<m:sPre><m:sub>${r('6')}</m:sub><m:sup>${r('14')}</m:sup>${e(r('C'))}</m:sPre>`)).toBe(
      '{}_{6}^{14}C',
    );
    const fraction = (type: string) =>
      `<m:f><m:fPr>${set('type', type)}</m:fPr><m:num>${r('n')}</m:num><m:den>${r('k')}</m:den></m:f>`;
    expect(latex(fraction('lin'))).toBe('n/k');
    expect(latex(`<m:d>${e(fraction('noBar'))}</m:d>`)).toBe('\\binom{n}{k}');
  });

  it('writes sums, integrals, functions and limits', () => {
    const nary = (properties: string, sub: string, sup: string, body: string) =>
      `<m:nary><m:naryPr>${properties}</m:naryPr><m:sub>${sub}</m:sub><m:sup>${sup}</m:sup>${e(body)}</m:nary>`;
    expect(latex(nary(set('chr', '∑'), r('i=1'), r('n'), r('i')))).toBe('\\sum_{i = 1}^{n}i');
    expect(latex(nary(set('subHide', '1') + set('supHide', '1'), '', '', r('f')))).toBe('\\int f');
    expect(latex(`<m:func><m:fName>${r('sin', upright)}</m:fName>${e(r('θ'))}</m:func>`)).toBe(
      '\\sin\\theta',
    );
    const lim = `<m:limLow>${e(r('lim', upright))}<m:lim>${r('x→0')}</m:lim></m:limLow>`;
    expect(latex(`<m:func><m:fName>${lim}</m:fName>${e(r('x'))}</m:func>`)).toBe('\\lim_{x \\to 0}x');
    expect(latex(`<m:limUpp>${e(r('='))}<m:lim>${r('def', '<m:nor/>')}</m:lim></m:limUpp>`)).toBe(
      '\\overset{\\text{def}}{=}',
    );
  });

  it('writes delimiters, matrices and cases', () => {
    const matrix = `<m:m><m:mr>${e(r('1'))}${e(r('0'))}</m:mr><m:mr>${e(r('0'))}${e(r('1'))}</m:mr></m:m>`;
    const fence = (open: string, close: string, ...parts: string[]) =>
      `<m:d><m:dPr>${set('begChr', open)}${set('endChr', close)}</m:dPr>${parts.map(e).join('')}</m:d>`;
    expect(latex(fence('[', ']', matrix))).toBe('\\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix}');
    expect(latex(fence('|', '|', r('x')))).toBe('|x|');
    expect(latex(fence('(', ')', r('A'), r('B')))).toBe('(A | B)');
    const rows = `<m:eqArr>${e(r('0,&amp;') + r('if ', '<m:nor/>') + r('x&lt;0'))}${e(r('1,&amp;x≥0'))}</m:eqArr>`;
    expect(latex(r('f=') + fence('{', '', rows))).toBe(
      'f = \\begin{cases} 0, & \\text{if }x < 0 \\\\ 1, & x \\geq 0 \\end{cases}',
    );
  });

  it('writes accents, bars, braces, boxes and phantoms', () => {
    expect(latex(`<m:acc>${e(r('x'))}</m:acc>`)).toBe('\\hat{x}');
    expect(latex(`<m:acc><m:accPr>${set('chr', '⃗')}</m:accPr>${e(r('AB'))}</m:acc>`)).toBe(
      '\\overrightarrow{AB}',
    );
    expect(latex(`<m:bar><m:barPr>${set('pos', 'top')}</m:barPr>${e(r('z'))}</m:bar>`)).toBe('\\bar{z}');
    expect(latex(`<m:bar>${e(r('z'))}</m:bar>`)).toBe('\\underline{z}');
    expect(
      latex(`<m:limLow>${e(`<m:groupChr>${e(r('a'))}</m:groupChr>`)}<m:lim>${r('n')}</m:lim></m:limLow>`),
    ).toBe('\\underbrace{a}_{n}');
    expect(latex(`<m:borderBox>${e(r('q'))}</m:borderBox><m:box>${e(r('p'))}</m:box>`)).toBe('\\boxed{q}p');
    expect(latex(`${r('a')}<m:phant><m:phantPr>${set('show', '0')}</m:phantPr>${e(r('b'))}</m:phant>`)).toBe(
      'a\\phantom{b}',
    );
  });

  it('keeps typefaces, ordinary text and typed scripts', () => {
    expect(
      latex(r('R', set('scr', 'double-struck')) + r('v', set('sty', 'b')) + r('w', set('sty', 'bi'))),
    ).toBe('\\mathbb{R}\\mathbf{v}\\boldsymbol{w}');
    expect(latex(r('speed of 5% = ', '<m:nor/>') + r('v'))).toBe('\\text{speed of 5\\% = }v');
    expect(latex(r('x') + r(' – ') + r('y') + r('^') + r('2'))).toBe('x - y^{2}');
    expect(latex(r('a^b^c'))).toBe('{a^{b}}^{c}');
    expect(latex(r('^'))).toBe('\\text{\\textasciicircum}');
  });

  it('writes systems of equations and their numbers', () => {
    const array = (...rows: string[]) => `<m:eqArr>${rows.map(e).join('')}</m:eqArr>`;
    expect(read(array(r('a&amp;=b+c'), r('d&amp;=e')))).toMatchObject({
      latex: '\\begin{aligned} a &= b + c \\\\ d &= e \\end{aligned}',
      plain: 'a = b + c; d = e',
    });
    expect(latex(array(`${r('E=m')}${r('#')}<m:d>${e(r('1.2'))}</m:d>`))).toBe('E = m \\tag{1.2}');
    expect(latex(array(r('a=b#(1)'), r('c=d#(2)')))).toBe(
      '\\begin{aligned} a = b \\qquad (1) \\\\ c = d \\qquad (2) \\end{aligned}',
    );
  });

  it('reads each formula of a paragraph of formulas, and breaks formulas into lines', () => {
    const lines = `<m:r><m:t>a=b</m:t><w:br/><m:t>c=d</m:t></m:r>`;
    const root = parseXml(
      `<m:oMathPara><m:oMathParaPr/><m:oMath>${r('x')}</m:oMath><m:oMath>${lines}</m:oMath></m:oMathPara>`,
    );
    expect(readOmml(root!)).toEqual([
      { latex: 'x', plain: 'x', isDisplay: true },
      { latex: '\\begin{aligned} a = b \\\\ c = d \\end{aligned}', plain: 'a = b; c = d', isDisplay: true },
    ]);
  });
});
