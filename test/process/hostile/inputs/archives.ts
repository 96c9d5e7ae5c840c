import { strToU8, Zip, ZipDeflate, type Zippable, zipSync } from 'fflate';
import { type Input, indexed } from '#test/process/hostile/input.ts';

const MIB = 1024 * 1024;
const CONTENT_TYPES = strToU8('<Types/>');
const relationTo = (target: string) =>
  strToU8(
    `<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="${target}"/></Relationships>`,
  );

function letter(more: Zippable, document: Uint8Array): Uint8Array {
  const parts = {
    '[Content_Types].xml': CONTENT_TYPES,
    '_rels/.rels': relationTo('word/document.xml'),
    'word/document.xml': document,
    ...more,
  };
  return zipSync(parts, { level: 6 });
}

/** A part that is `megabytes` of one unit, packed as it is made. */
function bomb(part: string, unit: string, megabytes: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((_, piece) => pieces.push(piece));
  const add = (name: string, contents: Iterable<Uint8Array>) => {
    const entry = new ZipDeflate(name, { level: 9 });
    zip.add(entry);
    for (const content of contents) entry.push(content);
    entry.push(new Uint8Array(0), true);
  };
  add('[Content_Types].xml', [CONTENT_TYPES]);
  add('_rels/.rels', [relationTo(part)]);
  add(part, Array(megabytes).fill(strToU8(unit.repeat(MIB / unit.length))));
  zip.end();
  return new Uint8Array(Buffer.concat(pieces));
}

const paragraphs = (count: number) =>
  strToU8(
    `<w:document><w:body>${'<w:p><w:r><w:t>word</w:t></w:r></w:p>'.repeat(count)}</w:body></w:document>`,
  );

/** Archives that are small until they are opened. */
export const archives: Input[] = [
  indexed('a letter whose text unpacks to 400 MB', 'bomb.docx', () => bomb('word/document.xml', ' ', 400)),
  indexed('a workbook whose sheet unpacks to 400 MB', 'bomb.xlsx', () => bomb('xl/workbook.xml', 'a', 400)),
  indexed('a letter of numbers that unpacks to 60 MB', 'large.docx', () => {
    const numbers = Array.from({ length: (60 * MIB) / 8 }, (_, at) => `${1_000_000 + at} `);
    return letter({}, strToU8(numbers.join('')));
  }),
  indexed('a letter of 200,000 paragraphs', 'long.docx', () => letter({}, paragraphs(200_000))),
  indexed('a letter 200,000 elements deep', 'deep.docx', () =>
    letter({}, strToU8(`<w:document><w:body>${'<w:p>'.repeat(200_000)}`)),
  ),
  indexed('a letter with 60,000 entries', 'many.docx', () => {
    const entries = Array.from({ length: 60_000 }, (_, at) => [`e/${at}.xml`, new Uint8Array(0)] as const);
    return letter(Object.fromEntries(entries), paragraphs(1));
  }),
  indexed('a letter with a directory cut off', 'cut.docx', () => letter({}, paragraphs(1000)).slice(0, -30)),
  indexed('a workbook with a cell in the last row and column', 'far.xlsx', () => {
    const sheet =
      '<worksheet><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>';
    return zipSync({
      '[Content_Types].xml': CONTENT_TYPES,
      '_rels/.rels': relationTo('xl/workbook.xml'),
      'xl/workbook.xml': strToU8(
        '<workbook><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
      ),
      'xl/_rels/workbook.xml.rels': strToU8(
        '<Relationships><Relationship Id="r1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
      ),
      'xl/worksheets/sheet1.xml': strToU8(sheet),
    });
  }),
];
