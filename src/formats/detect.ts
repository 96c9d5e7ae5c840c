import { ParseError } from '#src/documents/errors.ts';
import type { FileFormat, Signature } from '#src/file-formats/define.ts';
import { readExtension } from '#src/file-formats/extensions.ts';
import { type FileKind, fileFormats } from '#src/file-formats/registry.ts';
import { decodeText, looksLikeText } from '#src/text-formats/encoding.ts';
import { OLE_SIGNATURE } from './shared/containers/ole.ts';
import { oleStreamNames } from './shared/containers/ole-names.ts';
import { type Archive, openZip } from './shared/containers/zip.ts';
import { createUnsupportedEncryptionError } from './shared/protection/errors.ts';
import type { WorkBudget } from './shared/work-budget.ts';
import { createUnsupportedError, findUnsupported } from './unsupported.ts';

const ZIP_SIGNATURES: readonly Signature[] = [
  ['PK', 3, 4],
  ['PK', 5, 6],
];

/** Files that only packages of Apple's Pages, Numbers and Keynote contain, in their newer and older form. */
const IWORK_MEMBERS = [
  'Index/Document.iwa',
  'Metadata/BuildVersionHistory.plist',
  ...['index.apxl', 'index.apxl.gz', 'index.xml.gz'],
];

const START_BYTES = 1024;
/** Number of bytes at the start of a text file that are inspected to detect its format. */
const TEXT_BYTES = 64 * 1024;

const findKind = (matches: (format: FileFormat<FileKind>) => boolean | undefined): FileKind | undefined =>
  fileFormats.find(matches)?.kind;

function startsWith(bytes: Uint8Array, signature: Signature): boolean {
  const expected = signature.flatMap((part) =>
    typeof part === 'string' ? [...part].map((character) => character.charCodeAt(0)) : [part],
  );
  return expected.every((byte, index) => {
    const actual = bytes[index];
    if (actual === undefined) return false;
    return byte === null || (typeof byte === 'number' ? byte === actual : byte.includes(actual));
  });
}

/**
 * Returns the media types that a zip package declares in its file `mimetype` or in its OpenDocument manifest.
 */
function readDeclaredTypes(archive: Archive): (string | undefined)[] {
  const mimetype = archive.text('mimetype')?.trim();
  if (mimetype === undefined && !archive.has('content.xml')) return [];
  const manifest = archive.text('META-INF/manifest.xml') ?? '';
  return [mimetype, /media-type="(application\/vnd\.oasis[^"]+)"/.exec(manifest)?.[1]];
}

function detectZip(bytes: Uint8Array, budget: WorkBudget): FileKind {
  const archive = openZip(bytes, { budget });
  for (const name of ['[Content_Types].xml', 'mimetype', 'META-INF/manifest.xml']) {
    if (archive.isLocked(name))
      throw createUnsupportedEncryptionError('the parts of its zip container are encrypted individually');
  }
  const types = archive.text('[Content_Types].xml');
  const declared = () => readDeclaredTypes(archive).filter((type) => type !== undefined);
  const kind =
    (types === undefined ? undefined : findKind(({ content }) => content.zip?.contentTypes?.test(types))) ??
    findKind(({ content: { zip } }) => zip?.member !== undefined && archive.has(zip.member)) ??
    declared().flatMap((type) => findKind(({ content }) => content.zip?.mediaTypes?.includes(type)) ?? [])[0];
  if (kind) return kind;
  if (IWORK_MEMBERS.some((member) => archive.has(member))) {
    throw createUnsupportedError(
      'Pages, Numbers or Keynote files. Export the document as PDF, DOCX, XLSX or PPTX',
    );
  }
  // A package of an unknown format is a single document, so it is rejected instead of being read as an
  // archive of files.
  if (types !== undefined || archive.has('mimetype'))
    throw createUnsupportedError('zip containers of this kind');
  return 'zip';
}

function detectOle(bytes: Uint8Array): FileKind {
  const names = new Set(oleStreamNames(bytes));
  const kind = findKind(({ content }) => content.oleStreams?.some((name) => names.has(name)));
  if (kind) return kind;
  if (names.size === 0)
    throw new ParseError('FILE_IS_BROKEN', 'The file is damaged: its directory is missing.');
  throw createUnsupportedError('this kind of OLE2 file');
}

function detectBinary(bytes: Uint8Array, budget: WorkBudget): FileKind | undefined {
  if (ZIP_SIGNATURES.some((signature) => startsWith(bytes, signature))) return detectZip(bytes, budget);
  if (startsWith(bytes, OLE_SIGNATURE)) return detectOle(bytes);
  const kind = findKind(({ content }) =>
    content.signatures?.some((signature) => startsWith(bytes, signature)),
  );
  if (kind) return kind;
  const first = bytes.subarray(0, START_BYTES);
  const start = { characters: String.fromCharCode(...first), isText: looksLikeText(first) };
  const unsupported = findUnsupported(bytes, start.isText, startsWith);
  if (unsupported) throw unsupported;
  return findKind(({ content }) => content.matches?.(start));
}

/**
 * Detects the format of a text. Unmistakable content decides first, then the extension (lower case, without
 * the dot), then the best guess from the content. Defaults to plain text.
 */
export function detectText(text: string, extension: string): FileKind {
  const certain = findKind(({ content }) => content.text?.isCertain?.(text, extension));
  if (certain) return certain;
  const named = findKind(
    ({ content, extensions }) => content.text && !content.text.isCertain && extensions.includes(extension),
  );
  return named ?? guessText(text) ?? 'txt';
}

function guessText(text: string): FileKind | undefined {
  const strength = ({ content }: FileFormat) => content.text?.guess?.strength ?? 0;
  return fileFormats
    .toSorted((a, b) => strength(b) - strength(a))
    .find(({ content }) => content.text?.guess?.matches(text))?.kind;
}

/**
 * Detects the format of a file. The file name only distinguishes between text formats. Throws ParseError
 * NO_DATA_FOUND_IN_FILE for empty files and FILE_IS_PROTECTED for encrypted files. Throws FILE_IS_BROKEN for
 * damaged files and UNSUPPORTED_FILE_TYPE for unknown formats.
 */
export function detectKind(bytes: Uint8Array, name: string, budget: WorkBudget): FileKind {
  if (bytes.length === 0) throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The file is empty.');
  const kind = detectBinary(bytes, budget);
  if (kind) return kind;
  const extension = readExtension(name);
  if (extension === 'pdf') throw new ParseError('PDF_IS_BROKEN', 'The file is named .pdf but is not a PDF.');
  if (!looksLikeText(bytes)) {
    throw createUnsupportedError(extension ? `this file (.${extension})` : 'this kind of file');
  }
  const text = decodeText(bytes.subarray(0, TEXT_BYTES)).text;
  if (text.trim() === '' && bytes.length <= TEXT_BYTES) {
    throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The file contains only white space.');
  }
  return detectText(text, extension);
}
