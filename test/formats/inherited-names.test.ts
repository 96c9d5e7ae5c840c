import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readAll } from '#test/suites/parser.suite.ts';
import { readMarkdown } from './fixtures/parts.ts';
import { docx, paragraph, run } from './fixtures/word.ts';
import { xlsx } from './fixtures/workbook.ts';

/** Article with a person and two references whose kinds are not known. */
const ARTICLE = `<article><front><article-meta><title-group><article-title>Tides</article-title></title-group>
<contrib-group><contrib contrib-type="constructor"><name><surname>Marsh</surname></name></contrib></contrib-group>
</article-meta></front><body><sec><title>Method</title><p>Text.</p></sec></body><back><ref-list>
<ref><mixed-citation>Waves <pub-id pub-id-type="constructor">17</pub-id></mixed-citation></ref>
<ref><element-citation><pub-id pub-id-type="toString">18</pub-id></element-citation></ref></ref-list></back></article>`;

const notebook = (data: object) =>
  JSON.stringify({
    nbformat: 4,
    metadata: {},
    cells: [{ cell_type: 'code', source: 'chart', outputs: [{ output_type: 'display_data', data }] }],
  });

const read = async (name: string, text: string) => {
  const bytes = new TextEncoder().encode(text);
  const document = await openDocument({ bytes, name, plan: resolveParsePlan({}) });
  return (await readAll(document)).map((page) => page.markdown).join('\n\f\n');
};

describe('names that every JavaScript object has a property for', () => {
  it.each([
    ['a control word', 'a.rtf', '{\\rtf1 one\\constructor  two\\valueOf  three}', 'one two three'],
    ['a control word beside packed HTML', 'a.rtf', '{\\rtf1\\fromhtml1 one\\constructor  two}', 'one two'],
    [
      'a key of a record',
      'a.json',
      '[{"constructor":1,"a":2},{"a":3}]',
      '| constructor | a   |\n| ----------- | --- |\n| 1           | 2   |\n|             | 3   |',
    ],
    ['an admonition', 'a.rst', '.. admonition:: valueOf\n\n   Text.\n', '> **valueOf:**\n\n> Text.'],
    [
      'kinds of persons and references',
      'a.xml',
      ARTICLE,
      '# Tides\n\nMarsh\n\n## Method\n\nText.\n\n## References\n\n- Waves 17\n- 18',
    ],
    [
      'a style of letters',
      'a.html',
      '<p>one <math><mi mathvariant="constructor">x</mi></math></p>',
      'one $x$',
    ],
    [
      'a kind of output',
      'a.ipynb',
      notebook({ constructor: 'no text', 'text/plain': 'a chart' }),
      '```python\nchart\n```\n\n```\na chart\n```',
    ],
  ])('are unknown: %s', async (_, name, text, markdown) => {
    expect(await read(name, text)).toBe(markdown);
  });

  it('are unknown: the height of letters in a cell', async () => {
    const text = '<r><rPr><vertAlign val="constructor"/></rPr><t>level</t></r>';
    expect(await readMarkdown(xlsx([{ name: 'Only', cells: { 'A1 t="s"': '<v>0</v>' } }], [text]))).toContain(
      'level',
    );
  });

  it('are unknown: a script of mathematical letters', async () => {
    const formula = '<m:oMath><m:r><m:rPr><m:scr m:val="constructor"/></m:rPr><m:t>x</m:t></m:r></m:oMath>';
    const bytes = docx(paragraph(`${run('one ')}${formula}`));
    expect(await readMarkdown(bytes)).toContain('one $x$');
  });
});
