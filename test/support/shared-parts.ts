import type { FileKind } from '#src/file-formats/registry.ts';
import { outlookMessage } from '#test/formats/fixtures/message.ts';
import { odf } from '#test/formats/fixtures/odf.ts';
import { joined } from '#test/formats/fixtures/ole.ts';
import { gif } from '#test/formats/fixtures/pictures.ts';
import { pptx } from '#test/formats/fixtures/slides.ts';
import { docx, drawing, paragraph, run } from '#test/formats/fixtures/word.ts';
import { xlsx } from '#test/formats/fixtures/workbook.ts';
import { relationships, zip } from '#test/formats/fixtures/zip.ts';

const encodeText = (text: string) => new TextEncoder().encode(text);
const times = (length: number, unit: string) => unit.repeat(Math.ceil(length / unit.length));
/** Returns a picture with the given number of bytes. */
const picture = (length: number) => joined(gif, new Uint8Array(length));
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** Returns a Word document with some parts replaced. */
function docxWith(body: string, parts: Record<string, string>): Uint8Array {
  return zip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relationships({ m: ['officeDocument', 'word/document.xml'] }),
    'word/document.xml': `<w:document xmlns:w="w" xmlns:r="r"><w:body>${body}</w:body></w:document>`,
    ...parts,
  });
}

const wordRelationships = (entries: Record<string, [string, string]>) => ({
  'word/_rels/document.xml.rels': relationships(entries),
});

/**
 * Documents in which many short parts refer to one long part, each about half of the length. Reading or
 * writing the long part per reference would take quadratic time.
 */
export const SHARED_PARTS: Record<string, { kind: FileKind; write(length: number): Uint8Array }> = {
  'a base address of a web page': {
    kind: 'html',
    write: (length) =>
      encodeText(`<html><base href="http://a/${times(length, 'b')}/"><p>${times(length, '<a href=c>d</a>')}`),
  },
  'a rule of a style sheet for many classes': {
    kind: 'html',
    write: (length) =>
      encodeText(`<html><style>${times(length, '.a,')}.b{${times(length, 'a:b;')}}</style><p class="a">b`),
  },
  'a wide row above many short ones': {
    kind: 'html',
    write: (length) =>
      encodeText(
        `<html><table><tr>${times(length, '<td>a</td>')}</tr>${times(length, '<tr><td>a</td></tr>')}`,
      ),
  },
  'one long line in nested quotes': {
    kind: 'html',
    write: (length) => encodeText(`<html>${'<blockquote>'.repeat(200)}<pre>${times(length, 'a\n')}`),
  },
  'headers in one another around many elements': {
    kind: 'html',
    write: (length) => encodeText(`<html>${'<header>'.repeat(250)}${times(length, '<i>a</i>')}`),
  },
  'a definition of a link': {
    kind: 'md',
    write: (length) => encodeText(`[a]: http://b/${times(length, 'c')}\n\n${times(length, '[a] ')}`),
  },
  'a footnote': {
    kind: 'docx',
    write: (length) =>
      docxWith(`<w:p>${times(length, '<w:r><w:footnoteReference w:id="7"/></w:r>')}</w:p>`, {
        ...wordRelationships({ f: ['footnotes', 'footnotes.xml'] }),
        'word/footnotes.xml': `<w:footnotes xmlns:w="w"><w:footnote w:id="7">${paragraph(run(times(length, 'a ')))}</w:footnote></w:footnotes>`,
      }),
  },
  'many footnotes beside many relationships': {
    kind: 'docx',
    write: (length) => {
      const count = Math.ceil(length / 100);
      const ids = Array.from({ length: count }, (_, at) => at);
      const links = Object.fromEntries(
        ids.map((id) => [`l${id}`, ['hyperlink', 'https://a.b/'] as [string, string]]),
      );
      return docxWith(
        `<w:p>${ids.map((id) => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`).join('')}</w:p>`,
        {
          ...wordRelationships({ f: ['footnotes', 'footnotes.xml'] }),
          'word/_rels/footnotes.xml.rels': relationships(links),
          'word/footnotes.xml': `<w:footnotes xmlns:w="w">${ids.map((id) => `<w:footnote w:id="${id}">${paragraph(run('a'))}</w:footnote>`).join('')}</w:footnotes>`,
        },
      );
    },
  },
  'a header that many relationships name': {
    kind: 'docx',
    write: (length) =>
      docxWith(paragraph(run('a')), {
        ...wordRelationships(
          Object.fromEntries(
            Array.from({ length: length / 100 }, (_, at) => [`h${at}`, ['header', 'header1.xml']]),
          ),
        ),
        'word/header1.xml': `<w:hdr xmlns:w="w">${times(length, paragraph(run('a')))}</w:hdr>`,
      }),
  },
  'the target of a link': {
    kind: 'docx',
    write: (length) =>
      docxWith(`<w:p>${times(length, `<w:hyperlink r:id="l">${run('a')}</w:hyperlink>${run('b')}`)}</w:p>`, {
        ...wordRelationships({ l: ['hyperlink', `https://a.b/${times(length, 'c')}`] }),
      }),
  },
  'the label of a numbered list': {
    kind: 'docx',
    write: (length) =>
      docxWith(
        times(
          length,
          paragraph(
            run('a'),
            '<w:outlineLvl w:val="0"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>',
          ),
        ),
        {
          ...wordRelationships({ n: ['numbering', 'numbering.xml'] }),
          'word/numbering.xml': `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="${times(length, '%1.')}"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
        },
      ),
  },
  'an abstract list with many levels': {
    kind: 'docx',
    write: (length) => {
      const numbers = Array.from({ length: length / 60 }, (_, at) => at);
      const levels = numbers.map((at) => `<w:lvl w:ilvl="${at}"><w:lvlText w:val="%1."/></w:lvl>`).join('');
      const lists = numbers
        .map((at) => `<w:num w:numId="${at}"><w:abstractNumId w:val="0"/></w:num>`)
        .join('');
      return docxWith(paragraph(run('a')), {
        ...wordRelationships({ n: ['numbering', 'numbering.xml'] }),
        'word/numbering.xml': `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="0">${levels}</w:abstractNum>${lists}</w:numbering>`,
      });
    },
  },
  'a picture in a text document': {
    kind: 'docx',
    write: (length) => docx(times(length, paragraph(drawing('image1', 'a'))), picture(length)),
  },
  'a picture in an OpenDocument text': {
    kind: 'odt',
    write: (length) =>
      odf(
        'text',
        times(length, '<text:p><draw:frame><draw:image xlink:href="Pictures/1.png"/></draw:frame></text:p>'),
        picture(length),
      ),
  },
  'a list style with many levels': {
    kind: 'odt',
    write: (length) =>
      odf(
        'text',
        times(
          length,
          '<text:list text:style-name="N"><text:list-item><text:p>a</text:p></text:list-item></text:list>',
        ),
      ),
  },
  'a picture on a slide': {
    kind: 'pptx',
    write: (length) =>
      pptx(
        [{ shapes: times(length, '<p:pic><p:blipFill><a:blip r:embed="image1"/></p:blipFill></p:pic>') }],
        picture(length),
      ),
  },
  'a shared string': {
    kind: 'xlsx',
    write: (length) =>
      xlsx(
        [{ name: 'S', cells: {}, rows: times(length, '<row><c t="s"><v>0</v></c></row>') }],
        [`<t>${times(length, 'a ')}</t>`],
      ),
  },
  'blanks in a shared string': {
    kind: 'xlsx',
    write: (length) =>
      xlsx(
        [{ name: 'S', cells: {}, rows: times(length, '<row><c t="s"><v>0</v></c></row>') }],
        [`<t>${times(length, ' ')}a</t>`],
      ),
  },
  'a cell in the last column of each row': {
    kind: 'xlsx',
    write: (length) => {
      const rows = Array.from(
        { length: length / 60 },
        (_, at) => `<row r="${at + 1}"><c r="XFD${at + 1}"><v>1</v></c></row>`,
      );
      return xlsx([{ name: 'S', cells: {}, rows: rows.join('') }], []);
    },
  },
  'a picture on a sheet': {
    kind: 'xlsx',
    write: (length) =>
      xlsx([{ name: 'S', cells: { A1: '<v>1</v>' }, rest: '<drawing r:id="d"/>' }], [], picture(length)),
  },
  'empty columns that are repeated very often': {
    kind: 'ods',
    write: (length) =>
      odf(
        'spreadsheet',
        `<table:table><table:table-row><table:table-cell table:number-columns-repeated="${length * 2_000}"/><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>`,
      ),
  },
  'a repeated cell': {
    kind: 'ods',
    write: (length) =>
      odf(
        'spreadsheet',
        `<table:table><table:table-row><table:table-cell table:number-columns-repeated="16000"><text:p>${times(length, 'a')}</text:p></table:table-cell></table:table-row></table:table>`,
      ),
  },
  'a picture in a mail': {
    kind: 'eml',
    write: (length) =>
      encodeText(
        `From: a@b\nSubject: c\nMessage-ID: <d>\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n<html><p>${times(length, '<img src="cid:p">')}\n--b\nContent-Type: image/gif\nContent-ID: <p>\nContent-Transfer-Encoding: base64\n\n${base64(picture(length)).replace(/.{76}/g, '$&\n')}\n--b--\n`,
      ),
  },
  'a picture in a message of Outlook': {
    kind: 'msg',
    write: (length) =>
      outlookMessage({
        properties: { 55: 'a', 4115: encodeText(`<html><p>${times(length, '<img src="cid:p">')}`) },
        attachments: [{ 14098: 'p', 14087: 'p.gif', 14081: picture(length) }],
      }),
  },
  'a chapter that the reading order names often': {
    kind: 'epub',
    write: (length) =>
      zip({
        mimetype: 'application/epub+zip',
        'META-INF/container.xml':
          '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
        'b.opf': `<package><manifest><item id="c" href="${times(length, 'c')}"/><item id="d" href="d.xhtml"/></manifest><spine><itemref idref="d"/>${times(length, '<itemref idref="c"/>')}</spine></package>`,
        'd.xhtml': '<html><body><p>a</p></body></html>',
      }),
  },
};
