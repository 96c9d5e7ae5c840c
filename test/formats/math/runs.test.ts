import { describe, expect, it } from 'vitest';
import { type Run, renderRuns } from '#src/formats/shared/flow/runs.ts';
import { buildTexFormula, toFormulaRun } from '#src/formats/shared/math/formula.ts';

const render = (...runs: Run[]) => renderRuns(runs, { links: true });
const formula = (tex: string, isDisplay = false) => toFormulaRun(buildTexFormula(tex, isDisplay)!);
const sup = (text: string): Run => ({ text, script: 'super' });
const sub = (text: string): Run => ({ text, script: 'sub' });

describe('subscripts and superscripts', () => {
  const plain = (before: string, run: Run) => render({ text: before }, run).text;

  it('become tags in Markdown, inside the emphasis around them', () => {
    expect(
      render({ text: 'H', bold: true }, { ...sub('2'), bold: true }, { text: 'O', bold: true }).markdown,
    ).toBe('**H<sub>2</sub>O**');
    expect(render({ text: 'x' }, { ...sup('n'), code: true }).markdown).toBe('x<sup>n</sup>');
    expect(render({ text: 'a' }, sup(' '), { text: 'b' }).markdown).toBe('a b');
  });

  it('keep numbers apart in plain text', () => {
    expect(plain('10', sup('6'))).toBe('10^6');
    expect(plain('m', sup('−2'))).toBe('m^−2');
    expect(plain('x', sup('n+1'))).toBe('x^(n+1)');
    expect(plain('Ca', sup('2+'))).toBe('Ca^2+');
    expect(plain('10', sub('2'))).toBe('10_2');
    expect(plain('V', sub('max'))).toBe('V_max');
  });

  it('stay plain where nobody can misread them', () => {
    expect(plain('H', sub('2'))).toBe('H2');
    expect(plain('1', sup('st'))).toBe('1st');
    expect(plain('5', sup('e'))).toBe('5e');
    expect(plain('word', sup('[12]'))).toBe('word[12]');
    expect(plain('', sup('1'))).toBe('1');
    expect(plain('Name', sup('TM'))).toBe('NameTM');
  });
});

describe('formulas in a block', () => {
  it('become displayed formulas if they stand alone', () => {
    expect(render(formula('a'), { text: ' ' }, formula('b'))).toEqual({
      text: 'a\nb',
      markdown: '$$a$$  \n$$b$$',
    });
    expect(renderRuns([formula('a', true)], { links: true, lineStart: false }).markdown).toBe('$a$');
  });

  it('stay in their line beside text, where dollar signs are escaped', () => {
    expect(render({ text: 'for $5 ' }, formula('a'), formula('b')).markdown).toBe('for \\$5 $a$ $b$');
    expect(render({ text: 'for $5' }).markdown).toBe('for $5');
  });

  it('get lines of their own if they are displayed', () => {
    expect(render({ text: 'see ' }, formula('a', true), { text: ' there' }).markdown).toBe(
      'see  \n$$a$$  \nthere',
    );
  });

  it('take the number beside them as their tag', () => {
    expect(render({ text: '\t' }, formula('a'), { text: '\t(2.1)' })).toEqual({
      text: 'a (2.1)',
      markdown: '$$a \\tag{2.1}$$',
    });
  });

  it('cannot be taken for HTML', () => {
    expect(formula('x<y<img src=a>').markdown).toBe('$x< y< img src=a>$');
  });
});
