import { zipSync } from 'fflate';
import { bytesOfText, concat, type HostileDocument } from './document.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export const relations = (...parts: [id: string, type: string, target: string][]): string =>
  `<Relationships>${parts.map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`).join('')}</Relationships>`;

export function packed(parts: Record<string, string | Uint8Array>): Uint8Array {
  const entries = Object.entries(parts).map(([name, part]) => [
    name,
    typeof part === 'string' ? bytesOfText(part) : part,
  ]);
  return zipSync(Object.fromEntries(entries), { level: 6 });
}

const letter = (body: string, more: Record<string, string> = {}) =>
  packed({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations(['r', 'officeDocument', 'word/document.xml']),
    'word/document.xml':
      body.startsWith('<') && body.includes('<w:document')
        ? body
        : `<w:document><w:body>${body}</w:body></w:document>`,
    ...more,
  });

/** Returns slides whose relationships all point to one large part. */
function slides(count: number, paragraphs: number): Uint8Array {
  const numbers = Array.from({ length: count }, (_, at) => at);
  const shape = `<p:sp><p:txBody>${'<a:p><a:r><a:t>words</a:t></a:r></a:p>'.repeat(paragraphs)}</p:txBody></p:sp>`;
  return packed({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations(['r', 'officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${numbers.map((at) => `<p:sldId id="${at}" r:id="s${at}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      ...numbers.map((at): [string, string, string] => [`s${at}`, 'slide', `slides/slide${at}.xml`]),
    ),
    ...Object.fromEntries(
      numbers.map((at) => [
        `ppt/slides/slide${at}.xml`,
        `<p:sld><p:cSld><p:spTree>${shape}</p:spTree></p:cSld></p:sld>`,
      ]),
    ),
  });
}

/** Returns a compound file whose sector chain follows `next`. */
function compoundFile(sectors: number, next: (sector: number) => number, directory = 1): Uint8Array {
  const bytes = new Uint8Array(512 * (sectors + 1));
  const view = new DataView(bytes.buffer);
  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  view.setUint16(24, 0x3e, true);
  view.setUint16(26, 3, true);
  view.setUint16(28, 0xfffe, true);
  view.setUint16(30, 9, true);
  view.setUint16(32, 6, true);
  view.setUint32(44, 1, true);
  view.setUint32(48, directory, true);
  view.setUint32(56, 4_096, true);
  view.setUint32(60, 0xfffffffe, true);
  view.setUint32(68, 0xfffffffe, true);
  for (let index = 0; index < 109; index++)
    view.setUint32(76 + index * 4, index === 0 ? 0 : 0xffffffff, true);
  for (let sector = 0; sector < Math.min(128, sectors); sector++)
    view.setUint32(512 + sector * 4, next(sector), true);
  for (let at = 1_024, entry = 0; at + 128 <= bytes.length; at += 128, entry++) {
    const name = entry === 0 ? 'Root Entry' : 'WordDocument';
    for (let letter = 0; letter < name.length; letter++)
      view.setUint16(at + letter * 2, name.charCodeAt(letter), true);
    view.setUint16(at + 64, (name.length + 1) * 2, true);
    bytes[at + 66] = entry === 0 ? 5 : 2;
    view.setUint32(at + 68, (entry + 1) % 8, true);
    view.setUint32(at + 72, (entry + 3) % 8, true);
    view.setUint32(at + 76, 1, true);
    view.setUint32(at + 116, 1, true);
    view.setUint32(at + 120, 0x7fffffff, true);
  }
  return bytes;
}

/** Returns nested e-mail messages. */
function nestedMail(depth: number, width = 1): Uint8Array {
  let mail = 'Subject: innermost\r\nContent-Type: text/plain\r\n\r\nwords';
  for (let level = 0; level < depth; level++) {
    const mark = `b${level}`;
    const part = `--${mark}\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment; filename="${level}.eml"\r\n\r\n${mail}\r\n`;
    mail = `Subject: level ${level}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="${mark}"\r\n\r\n${part.repeat(width)}--${mark}--\r\n`;
  }
  return bytesOfText(mail);
}

const made = (name: string, file: string, bytes: () => Uint8Array): HostileDocument => ({
  name,
  file,
  bytes,
});

/** Office packages, compound files and e-mails with nesting, repetition or cycles. */
export const hostileContainers: readonly HostileDocument[] = [
  made('entities that expand a billion times in a letter', 'laughs.docx', () => {
    const entities = Array.from(
      { length: 12 },
      (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`,
    ).join('');
    return letter(
      `<!DOCTYPE a [<!ENTITY e0 "lol">${entities}]><w:document><w:body><w:p><w:r><w:t>&e12;</w:t></w:r></w:p></w:body></w:document>`,
    );
  }),
  made('a letter of 74,000 paragraphs with 60 attributes each', 'attributes.docx', () =>
    letter(
      `<w:p ${Array.from({ length: 60 }, (_, at) => `a${at}="x"`).join(' ')}><w:r><w:t>x</w:t></w:r></w:p>`.repeat(
        20_000,
      ),
    ),
  ),
  made('a letter whose styles are based on each other in a circle', 'styles.docx', () =>
    letter('<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>'.repeat(5_000), {
      'word/_rels/document.xml.rels': relations(['s', 'styles', 'styles.xml']),
      'word/styles.xml':
        '<w:styles><w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>',
    }),
  ),
  made('a letter with 50,000 references to one footnote', 'notes.docx', () =>
    letter(`<w:p>${'<w:r><w:footnoteReference w:id="1"/></w:r>'.repeat(50_000)}</w:p>`, {
      'word/_rels/document.xml.rels': relations(['s', 'footnotes', 'footnotes.xml']),
      'word/footnotes.xml': `<w:footnotes><w:footnote w:id="1">${'<w:p><w:r><w:t>a long note</w:t></w:r></w:p>'.repeat(200)}</w:footnote></w:footnotes>`,
    }),
  ),
  made('tables inside each other in a letter, three in each', 'tables.docx', () => {
    let table = '<w:p><w:r><w:t>x</w:t></w:r></w:p>';
    for (let level = 0; level < 9; level++)
      table = `<w:tbl><w:tr>${`<w:tc>${table}</w:tc>`.repeat(3)}</w:tr></w:tbl>`;
    return letter(table);
  }),
  made('800 slides of 300 paragraphs each', 'slides.pptx', () => slides(800, 300)),
  made('a slide of 70,000 paragraphs', 'slide.pptx', () => slides(1, 70_000)),
  made('a compound file whose sectors run in a circle', 'circle.doc', () =>
    compoundFile(60, (sector) => (sector === 0 ? 0xfffffffd : (sector % 59) + 1)),
  ),
  made('a compound file whose directory is its own table', 'table.doc', () => compoundFile(60, () => 0, 0)),
  made('a compound file of 100 sectors that claim 2 GiB', 'claims.xls', () =>
    compoundFile(100, (sector) => (sector < 2 ? 0xfffffffe : sector + 1)),
  ),
  made('a compound file of random numbers', 'random.ppt', () =>
    compoundFile(200, (sector) => Math.imul(sector, 2_654_435_761) >>> 24),
  ),
  made('mails inside each other 400 levels deep', 'deep.eml', () => nestedMail(400)),
  made('mails inside each other that double at each of 14 levels', 'wide.eml', () => nestedMail(14, 2)),
  made('a mail of 20,000 parts', 'parts.eml', () =>
    bytesOfText(
      `Content-Type: multipart/mixed; boundary="b"\r\n\r\n${'--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\nwords\r\n'.repeat(20_000)}--b--`,
    ),
  ),
  made('a mail with a header of 5 MB', 'header.eml', () =>
    bytesOfText(
      `Subject: ${'=?utf-8?Q?a?= '.repeat(400_000)}\r\nTo: ${'<a@b.c>, '.repeat(100_000)}\r\n\r\nwords`,
    ),
  ),
  made('a mail whose parts have no end', 'boundary.eml', () =>
    bytesOfText(
      `Content-Type: multipart/mixed; boundary="b"\r\n\r\n${'--b\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'.repeat(20_000)}`,
    ),
  ),
  made('groups of rich text 300,000 deep', 'groups.rtf', () =>
    bytesOfText(`{\\rtf1 ${'{\\b '.repeat(300_000)}x`),
  ),
  made('rich text that repeats a table cell 200,000 times', 'cells.rtf', () =>
    bytesOfText(`{\\rtf1 ${'\\trowd\\cellx100\\intbl x\\cell\\row '.repeat(200_000)}}`),
  ),
  made('rich text with 10 MB of binary data', 'binary.rtf', () =>
    concat(['{\\rtf1 \\bin10000000 ', new Uint8Array(10_000_000), '}']),
  ),
];
