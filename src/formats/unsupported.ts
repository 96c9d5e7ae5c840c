import { ParseError } from '#src/documents/errors.ts';
import type { Signature } from '#src/file-formats/define.ts';

/** Files that are recognized but not read, with advice where a conversion helps. */
const UNSUPPORTED: readonly { what: string; signatures: readonly Signature[]; isText?: boolean }[] = [
  {
    what: 'HEIC or AVIF pictures. Save the picture as JPEG or PNG',
    signatures: ['heic', 'heix', 'heim', 'heis', 'hevc', 'mif1', 'msf1', 'avif', 'avis'].map((brand) => [
      ...[null, null, null, null],
      `ftyp${brand}`,
    ]),
  },
  {
    what: 'videos. Upload a transcript, for example as WebVTT',
    signatures: [[null, null, null, null, 'ftyp']],
  },
  {
    what: 'audio or video files. Upload a transcript, for example as WebVTT',
    signatures: [
      ['ID3'],
      [0xff, [0xfb, 0xf3, 0xf2]],
      ['OggS'],
      ['fLaC'],
      [0x1a, 0x45, 0xdf, 0xa3],
      ['RIFF', null, null, null, null, 'WAVE'],
      ['RIFF', null, null, null, null, 'AVI '],
    ],
  },
  {
    what: 'this kind of archive. Unpack it, or save it as a zip file',
    signatures: [
      ['Rar!', 0x1a, 7],
      ['7z', 0xbc, 0xaf, 0x27, 0x1c],
      [0x1f, 0x8b, 8],
      ['BZh', [0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39], '1AY&SY'],
      [0xfd, '7zXZ', 0],
      [0x28, 0xb5, 0x2f, 0xfd],
    ],
  },
  { what: 'PostScript. Convert it to PDF, for example with ps2pdf', signatures: [['%!PS-']], isText: true },
  { what: 'DjVu documents. Convert them to PDF, for example with ddjvu', signatures: [['AT&TFORM']] },
  { what: 'WordPerfect documents. Save the document as DOCX or PDF', signatures: [[0xff, 'WPC']] },
  { what: 'Photoshop pictures. Save the picture as PNG', signatures: [['8BPS']] },
  { what: 'AutoCAD drawings. Export the drawing as PDF', signatures: [['AC10']] },
  { what: 'SQLite databases. Export the tables as CSV', signatures: [['SQLite format 3', 0]] },
  {
    what: 'Access databases. Export the tables as CSV',
    signatures: [
      [0, 1, 0, 0, 'Standard Jet DB'],
      [0, 1, 0, 0, 'Standard ACE DB'],
    ],
  },
  { what: 'Parquet files. Export the table as CSV or JSON', signatures: [['PAR1']] },
  {
    what: 'programs',
    signatures: [
      [0x7f, 'ELF'],
      ['MZ', [0x90, 0x50, 0x78], 0],
      [0, 'asm', 1, 0, 0, 0],
      [0xca, 0xfe, 0xba, 0xbe],
    ],
  },
];

export const createUnsupportedError = (what: string) =>
  new ParseError('UNSUPPORTED_FILE_TYPE', `Sluice does not read ${what}.`);

/**
 * Returns the error for a file that is recognized but not read, or `undefined` for other files. `isText` tells
 * whether the file starts like a text, which may begin with the letters of a signature by chance.
 */
export function findUnsupported(
  bytes: Uint8Array,
  isText: boolean,
  startsWith: (bytes: Uint8Array, signature: Signature) => boolean,
): ParseError | undefined {
  const known = UNSUPPORTED.find(
    (format) =>
      (!isText || format.isText) && format.signatures.some((signature) => startsWith(bytes, signature)),
  );
  if (known) return createUnsupportedError(known.what);
  if (!isEbcdic(bytes)) return undefined;
  return createUnsupportedError(
    'text in EBCDIC. Convert it to UTF-8, for example with iconv -f IBM037 -t UTF-8',
  );
}

/** Number of bytes at the start of a file that show whether it is EBCDIC text. */
const EBCDIC_SAMPLE_BYTES = 2048;
const EBCDIC_BLANK = 0x40;
/** Minimum shares of blanks, and of letters, digits and blanks together, in EBCDIC text. */
const [MIN_BLANKS, MIN_TEXT] = [0.08, 0.85];

/**
 * Returns whether bytes are text in EBCDIC, the character set of mainframes. Its blank is the byte 0x40, its
 * letters and digits are above 0x80, and the ASCII blank 0x20 is a control character.
 */
function isEbcdic(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, EBCDIC_SAMPLE_BYTES);
  let [blanks, characters] = [0, 0];
  for (const byte of sample) {
    if (byte === 0x20) return false;
    if (byte === EBCDIC_BLANK) blanks++;
    else if (isEbcdicLetter(byte)) characters++;
  }
  return blanks >= MIN_BLANKS * sample.length && blanks + characters >= MIN_TEXT * sample.length;
}

/** Returns whether a byte is a letter or digit in EBCDIC. Each row of letters has at most nine of them. */
function isEbcdicLetter(byte: number): boolean {
  const [row, column] = [byte >> 4, byte & 0xf];
  if (row === 0xf) return column <= 9;
  const isLetterRow = (row >= 0x8 && row <= 0xa) || (row >= 0xc && row <= 0xe);
  return isLetterRow && column <= 9 && column >= (row === 0xa || row === 0xe ? 2 : 1);
}
