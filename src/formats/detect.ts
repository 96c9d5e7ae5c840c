import { ParseError } from '#src/documents/errors.ts';
import type { FileKind } from '#src/documents/file-formats.ts';
import { decodeText, looksLikeText } from '#src/text-formats/encoding.ts';
import { detectText } from './detect-text.ts';
import { OLE_SIGNATURE, oleStreamNames } from './shared/containers/ole.ts';
import { type Archive, openZip } from './shared/containers/zip.ts';
import { unreadableProtection } from './shared/protection/refusal.ts';
import type { WorkBudget } from './shared/work-budget.ts';

const startsWith = (bytes: Uint8Array, signature: readonly number[] | string, at = 0): boolean =>
  typeof signature === 'string'
    ? [...signature].every((character, index) => bytes[at + index] === character.charCodeAt(0))
    : signature.every((byte, index) => bytes[at + index] === byte);

const unsupported = (what: string) =>
  new ParseError('UNSUPPORTED_FILE_TYPE', `Sluice does not read ${what}.`);

const ODF_KINDS: Record<string, FileKind> = {
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.text-template': 'odt',
  'application/vnd.oasis.opendocument.text-master': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.spreadsheet-template': 'ods',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'application/vnd.oasis.opendocument.presentation-template': 'odp',
};

const OOXML_MAIN: [RegExp, FileKind][] = [
  [/wordprocessingml\.(?:document|template)\.main|ms-word\.(?:document|template)\.macroEnabled/, 'docx'],
  [
    /presentationml\.(?:presentation|slideshow|template)\.main|ms-powerpoint\.(?:presentation|slideshow|template)\.macroEnabled/,
    'pptx',
  ],
  [/spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macroEnabled/, 'xlsx'],
  // The binary workbook inside a zip: the reader of legacy workbooks knows it.
  [/ms-excel\.sheet\.binary\.macroEnabled/, 'xls'],
];

function odfKind(archive: Archive): FileKind | undefined {
  const mimetype = archive.text('mimetype')?.trim();
  if (mimetype === undefined && !archive.has('content.xml')) return undefined;
  if (mimetype === 'application/epub+zip') return 'epub';
  const declared = /media-type="(application\/vnd\.oasis[^"]+)"/.exec(
    archive.text('META-INF/manifest.xml') ?? '',
  );
  return ODF_KINDS[mimetype ?? ''] ?? ODF_KINDS[declared?.[1] ?? ''];
}

function zipKind(bytes: Uint8Array, budget: WorkBudget): FileKind {
  const archive = openZip(bytes, { budget });
  for (const name of ['[Content_Types].xml', 'mimetype', 'META-INF/manifest.xml']) {
    if (archive.isLocked(name))
      throw unreadableProtection('members of its zip container are encrypted one by one');
  }
  const types = archive.text('[Content_Types].xml');
  if (types !== undefined) {
    const main = OOXML_MAIN.find(([pattern]) => pattern.test(types));
    if (main) return main[1];
  }
  if (archive.has('word/document.xml')) return 'docx';
  if (archive.has('ppt/presentation.xml')) return 'pptx';
  if (archive.has('xl/workbook.xml')) return 'xlsx';
  if (archive.has('META-INF/container.xml')) return 'epub';
  const kind = odfKind(archive);
  if (kind) return kind;
  // Such a file is one document, of a kind that is not read: its members mean little by themselves.
  if (types !== undefined || archive.has('mimetype')) throw unsupported('zip containers of this kind');
  return 'zip';
}

function oleKind(bytes: Uint8Array): FileKind {
  const names = new Set(oleStreamNames(bytes));
  if (names.has('Workbook') || names.has('Book') || names.has('WORKBOOK')) return 'xls';
  if (names.has('WordDocument')) return 'doc';
  if (names.has('PowerPoint Document')) return 'ppt';
  if (names.has('__properties_version1.0')) return 'msg';
  if (names.size === 0)
    throw new ParseError('FILE_IS_BROKEN', 'The file is damaged: its directory is missing.');
  throw unsupported('this kind of OLE2 file');
}

/** Excel 2 to 4 wrote their records without a container. */
const isBareWorkbook = (bytes: Uint8Array) =>
  bytes[0] === 0x09 &&
  [0, 2, 4].includes(bytes[1] ?? -1) &&
  [4, 6].includes(bytes[2] ?? -1) &&
  bytes[3] === 0;

const HEIF_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'mif1', 'msf1', 'avif', 'avis'];
const isHeif = (bytes: Uint8Array) =>
  startsWith(bytes, 'ftyp', 4) && HEIF_BRANDS.some((brand) => startsWith(bytes, brand, 8));

function binaryKind(bytes: Uint8Array, budget: WorkBudget): FileKind | undefined {
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png';
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return 'jpeg';
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'gif';
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'webp';
  if (startsWith(bytes, [0x49, 0x49, 0x2a, 0]) || startsWith(bytes, [0x4d, 0x4d, 0, 0x2a])) return 'tiff';
  if (startsWith(bytes, 'PK\x03\x04') || startsWith(bytes, 'PK\x05\x06')) return zipKind(bytes, budget);
  if (startsWith(bytes, OLE_SIGNATURE)) return oleKind(bytes);
  if (isHeif(bytes)) throw unsupported('HEIC and AVIF pictures; save it as JPEG or PNG');
  if (startsWith(bytes, '{\\rtf')) return 'rtf';
  if (isBareWorkbook(bytes)) return 'xls';
  // Readers accept a PDF whose header is not at the very start.
  const head = String.fromCharCode(...bytes.subarray(0, 1024));
  return head.includes('%PDF-') &&
    (head.startsWith('%PDF-') ||
      !looksLikeText(bytes.subarray(0, 1024)) ||
      /^[^\S\r\n\u2028\u2029]*%PDF-/m.test(head))
    ? 'pdf'
    : undefined;
}

const extensionOf = (name: string) => /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';

/**
 * What the bytes are. The name only decides between kinds of plain text. Throws ParseError:
 * NO_DATA_FOUND_IN_FILE for an empty file, FILE_IS_PROTECTED for encrypted members, FILE_IS_BROKEN for damaged ones and UNSUPPORTED_FILE_TYPE for everything that is none of the kinds.
 */
export function detectKind(bytes: Uint8Array, name: string, budget: WorkBudget): FileKind {
  if (bytes.length === 0) throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The file is empty.');
  const kind = binaryKind(bytes, budget);
  if (kind) return kind;
  const extension = extensionOf(name);
  if (extension === 'pdf') throw new ParseError('PDF_IS_BROKEN', 'The file is named .pdf but holds no PDF.');
  if (!looksLikeText(bytes)) {
    throw unsupported(extension ? `this file (.${extension})` : 'this kind of file');
  }
  const text = decodeText(bytes.subarray(0, 64 * 1024)).text;
  if (text.trim() === '' && bytes.length <= 64 * 1024) {
    throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The file has nothing but white space in it.');
  }
  return detectText(text, extension);
}
