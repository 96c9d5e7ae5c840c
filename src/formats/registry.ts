import { ParseError } from '#src/documents/errors.ts';
import { type FileKind, fileFormats } from '#src/file-formats/registry.ts';
import { messageOf } from '#src/lib/errors.ts';
import { delimitedParser } from './delimited/index.ts';
import { detectKind } from './detect.ts';
import { docParser } from './doc/index.ts';
import { docxParser } from './docx/index.ts';
import { openMail } from './eml/index.ts';
import { epubParser } from './epub/index.ts';
import { htmlParser } from './html/index.ts';
import { imageParser } from './image/index.ts';
import { jsonParser } from './json/index.ts';
import { markdownParser } from './markdown/index.ts';
import { openMessage } from './msg/index.ts';
import { odpParser, odsParser, odtParser } from './opendocument/index.ts';
import { pdfParser } from './pdf/index.ts';
import { pptParser } from './ppt/index.ts';
import { pptxParser } from './pptx/index.ts';
import { rtfParser } from './rtf/index.ts';
import type { ParseInput, Parser, UnopenedFile } from './shared/driver.ts';
import { Inside } from './shared/members/inside.ts';
import type { OpenDocument } from './shared/open-document.ts';
import { decryptOffice, isEncryptedOffice } from './shared/protection/office.ts';
import { WorkBudget } from './shared/work-budget.ts';
import { textParser } from './text/index.ts';
import { tiffParser } from './tiff/index.ts';
import { xlsParser } from './xls/index.ts';
import { xlsxParser } from './xlsx/index.ts';
import { xmlParser } from './xml/index.ts';
import { openArchive } from './zip/index.ts';

/** Formats that have files inside them take where they are themselves. */
const nested = (open: (input: ParseInput, inside: Inside) => Promise<OpenDocument>): NestedParser => ({
  open: (input) => open(input, Inside.top(openDetected, input.budget)),
  openInside: open,
});

interface NestedParser extends Parser {
  openInside(input: ParseInput, inside: Inside): Promise<OpenDocument>;
}

/** The reader of each format. A format of src/file-formats without a reader here does not compile. */
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

const parsedAsText: ReadonlySet<FileKind> = new Set(
  fileFormats.filter(({ isParsedAsText }) => isParsedAsText).map(({ kind }) => kind),
);

async function openDetected(given: ParseInput, inside: Inside): Promise<OpenDocument & { kind: FileKind }> {
  try {
    given.budget.spend('file');
    const isLocked = isEncryptedOffice(given.bytes);
    const bytes = isLocked ? await decryptOffice(given.bytes, given.plan.pages.password) : given.bytes;
    const input = { ...given, bytes };
    const kind = detectKind(bytes, input.name, input.budget);
    if (parsedAsText.has(kind)) input.budget.spend('markupByte', bytes.length);
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
