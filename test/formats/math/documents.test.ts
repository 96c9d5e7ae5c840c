import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readAll } from '#test/suites/parser.suite.ts';
import { editMember, FRACTION, FRACTION_LATEX, FRACTION_TEXT, mathRun } from '../fixtures/formulas.ts';
import { legacyWord } from '../fixtures/legacy-word.ts';
import { odf } from '../fixtures/odf.ts';
import { pptx } from '../fixtures/slides.ts';
import { docx, paragraph, run } from '../fixtures/word.ts';
import { xlsx } from '../fixtures/workbook.ts';
import { zip } from '../fixtures/zip.ts';

async function read(bytes: Uint8Array, name = 'file'): Promise<{ markdown: string; text: string }> {
  const plan = resolveParsePlan({ hide_headers: true, hide_footers: true });
  const document = await openDocument({ bytes, name, plan });
  const pages = await readAll(document);
  document.close();
  const join = (key: 'markdown' | 'text') => pages.map((page) => page[key]).join('\n\n');
  return { markdown: join('markdown'), text: join('text') };
}
const utf8 = (text: string) => new TextEncoder().encode(text);
const html = (body: string) => read(utf8(`<!DOCTYPE html><html><body>${body}</body></html>`), 'a.html');

describe('Word documents', () => {
  const raised = '<w:vertAlign w:val="superscript"/>';

  it('show formulas in lines, in paragraphs, in table cells and in notes', async () => {
    const cells = `<w:tr><w:tc>${paragraph(run('law'))}</w:tc><w:tc>${paragraph(FRACTION)}</w:tc></w:tr>`;
    const body = [
      paragraph(`${run('With ')}${FRACTION}${run(' for $5.')}`),
      paragraph(`<m:oMathPara>${FRACTION}</m:oMathPara>`),
      `<w:tbl>${cells}${cells}</w:tbl>`,
      paragraph(`${run('End')}<w:r><w:footnoteReference w:id="7"/></w:r>`),
    ].join('');
    const bytes = editMember(docx(body), 'word/footnotes.xml', (text) =>
      text.replace('</w:p>', `${FRACTION}</w:p>`),
    );
    const row = `| law | $${FRACTION_LATEX}$ |`;
    const { markdown, text } = await read(bytes);
    expect(markdown.split('\n\n')).toEqual([
      `With $${FRACTION_LATEX}$ for \\$5.`,
      `$$${FRACTION_LATEX}$$`,
      [row, '| --- | ---------------------- |', row].join('\n'),
      'End[^1]',
      `[^1]: A note below.$${FRACTION_LATEX}$`,
    ]);
    expect(text.split('\n\n').slice(0, 2)).toEqual([`With ${FRACTION_TEXT} for $5.`, FRACTION_TEXT]);
  });

  it('keep raised and lowered text, also by character style', async () => {
    const bytes = editMember(
      docx(
        paragraph(
          `${run('10')}${run('6', raised)}${run(' H')}${run('2', '<w:vertAlign w:val="subscript"/>')}${run('O x')}${run('n', '<w:rStyle w:val="Up"/>')}${run('y', '<w:rStyle w:val="Up"/><w:vertAlign w:val="baseline"/>')}`,
        ),
      ),
      'word/styles.xml',
      (text) =>
        text.replace(
          '</w:styles>',
          `<w:style w:type="character" w:styleId="Up"><w:name w:val="Up"/><w:rPr>${raised}</w:rPr></w:style></w:styles>`,
        ),
    );
    expect(await read(bytes)).toEqual({
      markdown: '10<sup>6</sup> H<sub>2</sub>O x<sup>n</sup>y',
      text: '10^6 H2O x^ny',
    });
  });

  it('treat small text that is moved from its line as raised or lowered', async () => {
    const moved = (text: string, position: number, size: number) =>
      run(text, `<w:position w:val="${position}"/><w:sz w:val="${size}"/>`);
    const sized = (text: string) => run(text, '<w:sz w:val="24"/>');
    const shown = await read(
      docx(
        paragraph(
          sized('10') +
            moved('6', 8, 16) +
            sized(' H') +
            moved('2', -4, 16) +
            sized('O ') +
            moved('!', -2, 24),
        ) + paragraph(run('Plain ') + moved('moved', 6, 20)),
      ),
    );
    expect(shown.markdown).toBe('10<sup>6</sup> H<sub>2</sub>O !\n\nPlain moved');
  });

  it('join an equation with its number in a table without lines', async () => {
    const cell = (content: string) => `<w:tc>${paragraph(content)}</w:tc>`;
    const table = `<w:tbl><w:tr>${cell('')}${cell(FRACTION)}${cell(run('(3)'))}</w:tr></w:tbl>`;
    expect(await read(docx(table))).toEqual({
      markdown: `$$${FRACTION_LATEX} \\tag{3}$$`,
      text: `${FRACTION_TEXT} (3)`,
    });
  });
});

describe('slides', () => {
  const slide = (content: string) =>
    `<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:p>${content}</a:p></p:txBody></p:sp>`;

  it('show a formula and not the picture that replaces it', async () => {
    const chosen = slide(`<a:r><a:t>Law </a:t></a:r><a14:m><m:oMathPara>${FRACTION}</m:oMathPara></a14:m>`);
    const shapes = `<mc:AlternateContent><mc:Choice Requires="a14">${chosen}</mc:Choice><mc:Fallback>${slide('<a:r><a:t>picture</a:t></a:r>')}</mc:Fallback></mc:AlternateContent>`;
    expect((await read(pptx([{ shapes }]))).markdown).toBe(`Law  \n$$${FRACTION_LATEX}$$`);
  });

  it('keep raised and lowered text', async () => {
    const piece = (text: string, baseline?: number) =>
      `<a:r><a:rPr${baseline === undefined ? '' : ` baseline="${baseline}"`}/><a:t>${text}</a:t></a:r>`;
    const shapes = slide(piece('10') + piece('6', 30000) + piece(' H') + piece('2', -25000) + piece('O', 0));
    expect(await read(pptx([{ shapes }]))).toEqual({
      markdown: '10<sup>6</sup> H<sub>2</sub>O',
      text: '10^6 H2O',
    });
  });
});

describe('workbooks', () => {
  it('keep raised and lowered text of cells', async () => {
    const string =
      '<r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r><r><t xml:space="preserve"> H</t></r><r><rPr><vertAlign val="subscript"/></rPr><t>2</t></r><r><t>O</t></r>';
    const cells = { 'A1 t="s"': '<v>0</v>', B1: '<v>1</v>', A2: '<v>2</v>', B2: '<v>3</v>' };
    expect(await read(xlsx([{ name: 'Lab', cells }], [string]))).toEqual({
      markdown:
        '## Lab\n\n| 10<sup>6</sup> H<sub>2</sub>O | 1   |\n| ----------------------------- | --- |\n| 2                             | 3   |',
      text: 'Lab\n\n10^6 H2O\t1\n2\t3',
    });
  });

  it('keep raised and lowered text that stands in the cell itself', async () => {
    const raised = '<r><rPr><vertAlign val="superscript"/></rPr><t>2</t></r>';
    const cells = {
      'A1 t="inlineStr"': `<is><r><t>m</t></r>${raised}<r><t> &amp; more</t></r></is>`,
      'B1 t="inlineStr"': '<is><t>plain</t></is>',
      A2: '<v>1</v>',
      B2: '<v>2</v>',
    };
    expect((await read(xlsx([{ name: 'Lab', cells }], []))).markdown).toContain(
      '| m<sup>2</sup> &amp; more | plain |'.replace('&amp;', '&'),
    );
  });

  it('show formulas of text boxes and not their pictures', async () => {
    const bytes = xlsx([{ name: 'Lab', cells: { A1: '<v>1</v>' }, rest: '<drawing r:id="d"/>' }], []);
    const box = `<xdr:sp><xdr:txBody><a:p><a14:m>${FRACTION}</a14:m></a:p></xdr:txBody></xdr:sp>`;
    const drawing = `<xdr:wsDr xmlns:xdr="x" xmlns:a="a" xmlns:m="m" xmlns:mc="mc"><mc:AlternateContent><mc:Choice Requires="a14">${box}</mc:Choice><mc:Fallback><xdr:sp><xdr:txBody><a:p><a:r><a:t>picture</a:t></a:r></a:p></xdr:txBody></xdr:sp></mc:Fallback></mc:AlternateContent></xdr:wsDr>`;
    const { markdown } = await read(editMember(bytes, 'xl/drawings/drawing1.xml', () => drawing));
    expect(markdown).toBe(`## Lab\n\n1\n\n$$${FRACTION_LATEX}$$`);
  });
});

describe('OpenDocument files', () => {
  const MATH =
    '<math xmlns="m" display="block"><semantics><mfrac><mi>a</mi><mn>2</mn></mfrac><annotation encoding="StarMath 5.0">{a} over {2}</annotation></semantics></math>';
  const frame = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>';

  it('show embedded formulas in their line or on lines of their own', async () => {
    const body = `<text:p>With ${frame}.</text:p><text:p>${frame}</text:p>`;
    const bytes = editMember(odf('text', body), 'Object 1/content.xml', () => MATH);
    expect((await read(bytes)).markdown).toBe('With $\\frac{a}{2}$.\n\n$$\\frac{a}{2}$$');
  });

  it('show the source of a formula without elements', async () => {
    const empty =
      '<math:math><math:semantics><math:mrow/><math:annotation math:encoding="StarMath 5.0">a over 2</math:annotation></math:semantics></math:math>';
    const bytes = editMember(odf('text', `<text:p>${frame}</text:p>`), 'Object 1/content.xml', () => empty);
    expect((await read(bytes)).markdown).toBe('a over 2');
  });

  it('keep raised and lowered text', async () => {
    const span = (style: string, text: string) => `<text:span text:style-name="${style}">${text}</text:span>`;
    const style = (name: string, position: string) =>
      `<style:style style:name="${name}"><style:text-properties style:text-position="${position}"/></style:style>`;
    const body = `<text:p>10${span('up', '6')} H${span('down', '2')}O${span('none', '!')}</text:p>`;
    const bytes = editMember(odf('text', body), 'content.xml', (text) =>
      text.replace(
        '<office:automatic-styles>',
        `<office:automatic-styles>${style('up', 'super 58%')}${style('down', '-33% 58%')}${style('none', '0% 100%')}`,
      ),
    );
    expect(await read(bytes)).toEqual({ markdown: '10<sup>6</sup> H<sub>2</sub>O!', text: '10^6 H2O!' });
  });

  it('keep raised and lowered text in the cells of a sheet', async () => {
    const cell = (content: string) => `<table:table-cell><text:p>${content}</text:p></table:table-cell>`;
    const row = (...cells: string[]) => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`;
    const up = '<text:span text:style-name="up">2</text:span>';
    const sheet = `<table:table table:name="Lab">${row(`m${up}`, 'b')}${row('c', 'd')}</table:table>`;
    const bytes = editMember(odf('spreadsheet', sheet), 'content.xml', (text) =>
      text.replace(
        '<office:automatic-styles>',
        '<office:automatic-styles><style:style style:name="up"><style:text-properties style:text-position="super 58%"/></style:style>',
      ),
    );
    expect((await read(bytes)).markdown).toContain('| m<sup>2</sup> | b   |');
    expect((await read(bytes)).text).toContain('m^2\tb');
  });
});

describe('RTF and Word 97 files', () => {
  const expected = { markdown: '10<sup>6</sup> H<sub>2</sub>O', text: '10^6 H2O' };

  it('keep raised and lowered text of RTF', async () => {
    expect(await read(utf8('{\\rtf1 10{\\super 6} H\\sub 2\\nosupersub O\\par}'))).toEqual(expected);
    expect(await read(utf8('{\\rtf1 10{\\up6 6} H{\\dn4 2}\\up0 O\\par}'))).toEqual(expected);
    expect(await read(utf8('{\\rtf1 10\\super 6\\plain  H\\sub 2\\sub0 O\\par}'))).toEqual(expected);
  });

  it('keep raised and lowered text of Word 97', async () => {
    const script = (kind: number) => [0x48, 0x2a, kind];
    const body = [
      { text: '10' },
      { text: '6', characters: script(1) },
      { text: ' H' },
      { text: '2', characters: script(2) },
      { text: 'O\r', characters: script(0) },
    ];
    expect(await read(legacyWord({ body }))).toEqual(expected);
  });
});

describe('web pages and e-books', () => {
  const X = '<math><msup><mi>x</mi><mn>2</mn></msup></math>';
  const annotated = (tex: string) =>
    `<math><semantics><mi>x</mi><annotation encoding="application/x-tex">${tex}</annotation></semantics></math>`;

  it('show MathML in lines, paragraphs and cells', async () => {
    const { markdown, text } = await html(
      `<p>For $5: ${X}.</p><math display="block"><mi>y</mi></math><table><tr><th>a</th><th>b</th></tr><tr><td>${X}</td><td>1</td></tr></table>`,
    );
    expect(markdown).toBe(
      'For \\$5: $x^{2}$.\n\n$$y$$\n\n| a       | b   |\n| ------- | --- |\n| $x^{2}$ | 1   |',
    );
    expect(text).toBe('For $5: x^2.\n\ny\n\na\tb\nx^2\t1');
  });

  it('show formulas of KaTeX, MathJax and MediaWiki once', async () => {
    const katex = `<span class="katex"><span class="katex-mathml">${annotated('x_1')}</span><span class="katex-html" aria-hidden="true">x1</span></span>`;
    expect((await html(`<p>A ${katex}.</p><span class="katex-display">${katex}</span>`)).markdown).toBe(
      'A $x_1$.\n\n$$x_1$$',
    );
    const second =
      '<span class="MathJax_Preview">y2</span><span class="MathJax"><nobr>y2</nobr></span><script type="math/tex">y^2</script>';
    expect((await html(`<p>A ${second}.</p>`)).markdown).toBe('A $y^2$.');
    const third = `<mjx-container class="MathJax" display="true"><svg></svg><mjx-assistive-mml>${X}</mjx-assistive-mml></mjx-container>`;
    expect((await html(`<p>${third}</p>`)).markdown).toBe('$$x^{2}$$');
    const wiki = `<span class="mwe-math-element"><span style="display: none;">${annotated('{\\displaystyle \\alpha }')}</span><img class="mwe-math-fallback-image-inline" src="a.svg" alt="{\\displaystyle \\alpha }"></span>`;
    expect((await html(`<p>A ${wiki}.</p>`)).markdown).toBe('A $\\alpha$.');
  });

  it('show TeX of scripts, marked elements and pictures', async () => {
    expect((await html('<p>A</p><script type="math/tex; mode=display">z % note\n</script>')).markdown).toBe(
      'A\n\n$$z$$',
    );
    expect((await html('<p>A <span class="math inline">\\(a \\le b\\)</span>.</p>')).markdown).toBe(
      'A $a \\le b$.',
    );
    expect((await html('<p>A <img class="latex" src="a.png" alt="\\frac12">.</p>')).markdown).toBe(
      'A $\\frac12$.',
    );
    expect((await html('<p>A<script>var hidden = 1;</script></p>')).markdown).toBe('A');
  });

  it('join an equation with its number in a layout table', async () => {
    const row = (number: string) =>
      `<tr><td>${X}</td><td><math><mo>=</mo><mi>y</mi></math></td><td>${number}</td></tr>`;
    const table = (...numbers: string[]) => html(`<table>${numbers.map(row).join('')}</table>`);
    expect((await table('(2)', '')).markdown).toBe('$$x^{2} = y \\tag{2}$$\n\n$$x^{2} = y$$');
    expect((await table('much', 'less')).markdown).toBe(
      '| $x^{2}$ | $= y$ | much |\n| ------- | ----- | ---- |\n| $x^{2}$ | $= y$ | less |',
    );
  });

  it('leave out hidden formulas', async () => {
    expect((await html(`<p>A <span style="display:none">${X}</span></p>`)).markdown).toBe('A');
  });

  it('keep raised and lowered text', async () => {
    const body =
      '<h1>H<sub>2</sub>O</h1><p>10<sup>6</sup> <b>x<sup>n+1</sup></b> m<span style="vertical-align: super">2</span></p>';
    expect(await html(body)).toEqual({
      markdown: '# H<sub>2</sub>O\n\n10<sup>6</sup> **x<sup>n+1</sup>** m<sup>2</sup>',
      text: 'H2O\n\n10^6 x^(n+1) m^2',
    });
  });

  it('write scripts of scripts with signs', async () => {
    expect(
      await html('<p>x<sup>a<sup>b</sup></sup> y<sub>i<sub>j+1</sub></sub> z<sup><sup>n</sup></sup></p>'),
    ).toEqual({
      markdown: 'x<sup>a^b</sup> y<sub>i_(j+1)</sub> z<sup>n</sup>',
      text: 'x^(a^b) y_(i_(j+1)) z^n',
    });
  });

  it('read formulas with prefixes and empty elements in e-books', async () => {
    const chapter = `<?xml version="1.0"?><html xmlns="h" xmlns:m="m"><body><p>A <m:math><m:mi>a</m:mi><m:mspace width="0.1em"/><m:mo>+</m:mo><m:mi>b</m:mi></m:math> 10<sup>6</sup></p></body></html>`;
    const bytes = zip({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
      'b.opf':
        '<package><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>',
      'c.xhtml': chapter,
    });
    expect((await read(bytes)).markdown).toBe('A $a + b$ 10<sup>6</sup>');
  });
});

it('formulas of a bold heading stay in its line', async () => {
  const bytes = docx(
    paragraph(
      `${run('About ')}<m:oMathPara><m:oMath>${mathRun('x')}</m:oMath></m:oMathPara>`,
      '<w:pStyle w:val="H1"/>',
    ),
  );
  expect((await read(bytes)).markdown).toBe('# About $x$');
});
