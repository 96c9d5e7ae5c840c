import { messageOf } from '#src/errors.ts';
import { openArchive } from './archive.ts';
import { delimitedParser } from './delimited.ts';
import { detectKind } from './detect.ts';
import { docParser } from './doc.ts';
import { docxParser } from './docx.ts';
import { openMail } from './eml.ts';
import { epubParser } from './epub.ts';
import { ParseError } from './errors.ts';
import { htmlParser } from './html.ts';
import { imageParser } from './image.ts';
import { jsonParser } from './json.ts';
import { markdownParser } from './markdown-document.ts';
import { Inside } from './members/inside.ts';
import { openMessage } from './msg.ts';
import { odpParser, odsParser, odtParser } from './opendocument.ts';
import type { FileKind, OpenDocument, ParseInput, Parser, UnopenedFile } from './parser.ts';
import { pdfParser } from './pdf/index.ts';
import { pptParser } from './ppt.ts';
import { pptxParser } from './pptx.ts';
import { decryptOffice, isEncryptedOffice } from './protection/office.ts';
import { rtfParser } from './rtf.ts';
import { textParser } from './text.ts';
import { tiffParser } from './tiff.ts';
import { WorkBudget } from './work-budget.ts';
import { xlsParser } from './xls.ts';
import { xlsxParser } from './xlsx.ts';
import { xmlParser } from './xml-document.ts';

/** Formats that have files inside them take where they are themselves. */
const nested = (open: (input: ParseInput, inside: Inside) => Promise<OpenDocument>): NestedParser => ({
  open: (input) => open(input, Inside.top(openDetected, input.budget)),
  openInside: open,
});

interface NestedParser extends Parser {
  openInside(input: ParseInput, inside: Inside): Promise<OpenDocument>;
}

export const parsers = {
  pdf: pdfParser,
  docx: docxParser,
  doc: docParser,
  pptx: pptxParser,
  ppt: pptParser,
  xlsx: xlsxParser,
  xls: xlsParser,
  csv: delimitedParser(','),
  tsv: delimitedParser('\t'),
  html: htmlParser,
  md: markdownParser,
  txt: textParser,
  json: jsonParser,
  xml: xmlParser,
  eml: nested(openMail),
  msg: nested(openMessage),
  zip: nested(openArchive),
  epub: epubParser,
  rtf: rtfParser,
  odt: odtParser,
  ods: odsParser,
  odp: odpParser,
  png: imageParser,
  jpeg: imageParser,
  webp: imageParser,
  tiff: tiffParser,
  gif: imageParser,
} satisfies Record<FileKind, Parser>;

/** Formats whose bytes are decoded and parsed as they are, one by one. */
const TEXT_KINDS: ReadonlySet<FileKind> = new Set([
  'csv',
  'tsv',
  'html',
  'md',
  'txt',
  'json',
  'xml',
  'eml',
  'rtf',
]);

async function openDetected(given: ParseInput, inside: Inside): Promise<OpenDocument & { kind: FileKind }> {
  try {
    given.budget.spend('file');
    const isLocked = isEncryptedOffice(given.bytes);
    const bytes = isLocked ? await decryptOffice(given.bytes, given.parameters.password) : given.bytes;
    const input = { ...given, bytes };
    const kind = detectKind(bytes, input.name, input.budget);
    if (TEXT_KINDS.has(kind)) input.budget.spend('markupByte', bytes.length);
    const parser: Parser | NestedParser = parsers[kind];
    const document = await ('openInside' in parser ? parser.openInside(input, inside) : parser.open(input));
    return Object.assign(document, { kind, ...(isLocked && { unlocked: true }) });
  } catch (error) {
    if (error instanceof ParseError) throw error;
    throw new ParseError('FILE_IS_BROKEN', `The file could not be read: ${messageOf(error)}`, error);
  }
}

/**
 * Opens a file by what its content is. Rejects with ParseError, whatever went wrong: the file is at fault and
 * trying again cannot help. `budget` is the work that the file and all files inside it may cause together.
 */
export function openDocument(
  file: UnopenedFile,
  budget = new WorkBudget(),
): Promise<OpenDocument & { kind: FileKind }> {
  return openDetected({ ...file, budget }, Inside.top(openDetected, budget));
}
