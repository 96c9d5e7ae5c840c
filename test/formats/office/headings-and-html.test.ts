import { describe, expect, it } from 'vitest';
import { odf } from '../fixtures/odf.ts';
import { readMarkdown, withParts } from '../fixtures/parts.ts';
import { docx, paragraph, run } from '../fixtures/word.ts';

const plain = { hide_headers: true, hide_footers: true };
const rtf = (body: string) => new TextEncoder().encode(`{\\rtf1\\ansi\\ansicpg1252${body}}`);

describe('headings', () => {
  const style = (id: string, name: string, rest = '') =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${rest}</w:style>`;
  const STYLES = [
    style('berschrift2', 'heading 2'),
    style('Kapitel', 'Kapitel', '<w:basedOn w:val="berschrift2"/>'),
    style(
      'Ohne',
      'Ohne Gliederung',
      '<w:basedOn w:val="berschrift2"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>',
    ),
    style('Titre3', 'Titre 3'),
    style('Gliederung', 'Gliederung', '<w:pPr><w:outlineLvl w:val="3"/></w:pPr>'),
    style('Titel', 'Title'),
    style('Untertitel', 'Subtitle'),
  ].join('');

  it.each([
    ['berschrift2', '## Words'],
    ['Kapitel', '## Words'],
    ['Ohne', 'Words'],
    ['Titre3', '### Words'],
    ['Gliederung', '#### Words'],
    ['Titel', '# Words'],
    ['Untertitel', '## Words'],
    ['Heading4', '#### Words'],
  ])('of a Word document follow the style %s', async (id, shown) => {
    const bytes = withParts(docx(paragraph(run('Words'), `<w:pStyle w:val="${id}"/>`)), {
      'word/styles.xml': `<w:styles>${STYLES}</w:styles>`,
    });
    expect(await readMarkdown(bytes, plain)).toBe(shown);
  });

  it('of OpenDocument follow titles, subtitles and the outline of parent styles', async () => {
    const styles =
      '<office:document-styles><office:styles><style:style style:name="Title"/><style:style style:name="Head" style:default-outline-level="3"/><style:style style:name="Own" style:parent-style-name="Mid"/><style:style style:name="Mid" style:parent-style-name="Title"/><style:style style:name="Sub" style:parent-style-name="Subtitle"/><style:style style:name="Deep" style:parent-style-name="Head"/></office:styles></office:document-styles>';
    const body =
      '<text:p text:style-name="Own">One</text:p><text:p text:style-name="Sub">Two</text:p><text:h text:style-name="Deep">Three</text:h>';
    const bytes = withParts(odf('text', body), { 'styles.xml': styles });
    expect(await readMarkdown(bytes, plain)).toBe('# One\n\n## Two\n\n### Three');
  });

  it('of RTF follow the outline level of a style, titles and subtitles', async () => {
    const styles = '{\\s5\\outlinelevel1 Kapitel;}{\\s6 Title;}{\\s7 Subtitle;}';
    const body = '\\pard\\s6 One\\par\\pard\\s7 Two\\par\\pard\\s5 Three\\par';
    expect(await readMarkdown(rtf(`{\\stylesheet${styles}}${body}`))).toBe('# One\n\n## Two\n\n## Three');
  });
});

describe('notes of OpenDocument', () => {
  it('keep their paragraphs apart', async () => {
    const note =
      '<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>One.</text:p><text:p>Two.</text:p></text:note-body></text:note>';
    expect(await readMarkdown(odf('text', `<text:p>A word${note}.</text:p>`), plain)).toBe(
      'A word[^1].\n\n[^1]: One.  \nTwo.',
    );
  });
});

describe('RTF', () => {
  it('keeps footnotes apart from the text', async () => {
    const bytes = rtf('A word{\\footnote \\pard{\\super\\chftn} A {\\b note}.} goes on.\\par');
    expect(await readMarkdown(bytes)).toBe('A word[^1] goes on.\n\n[^1]: A **note**.');
  });

  it('is read as HTML if Outlook has packed HTML into it', async () => {
    const packed = rtf(
      "\\fromhtml1 {\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial;}}{\\*\\htmltag64 <h2>}Title{\\*\\htmltag72 </h2>}\\htmlrtf\\par\\u9731?\\htmlrtf0{\\*\\htmltag64 <p>}\\htmlrtf {\\htmlrtf0 caf\\'e9 {\\*\\htmltag84 &amp;} {\\*\\htmltag84 <b>}\\htmlrtf {\\b\\htmlrtf0 bold\\htmlrtf }\\htmlrtf0{\\*\\htmltag92 </b>} \\u8364? \\htmlrtf\\f1\\htmlrtf0\\'cf\\'f0\\'e8 {\\*\\mhtmltag84 <i>}\\htmlrtf repeated}\\htmlrtf0{\\*\\htmltag72 </p>}",
    );
    expect(await readMarkdown(packed)).toBe('## Title\n\ncafé & **bold** € При');
  });

  it('leaves out the text after groups that are nested deeper than the limit, if it is in a group that is left out', async () => {
    const deep = `{\\*\\generator ${'{'.repeat(1_200)}${'}'.repeat(1_200)}hidden}`;
    const packed = rtf(`\\fromhtml1 {\\*\\htmltag64 <p>}shown${deep}{\\*\\htmltag72 </p>}`);
    expect(await readMarkdown(packed)).toBe('shown');
  });
});
