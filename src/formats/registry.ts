import { ParseError } from '#src/documents/errors.ts';
import { type FileKind, fileFormats } from '#src/file-formats/registry.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { asciidocParser } from './asciidoc/index.ts';
import { codeParser } from './code/index.ts';
import { delimitedParser } from './delimited/index.ts';
import { detectKind } from './detect.ts';
import { docParser } from './doc/index.ts';
import { docxParser } from './docx/index.ts';
import { openMail } from './eml/index.ts';
import { epubParser } from './epub/index.ts';
import { htmlParser } from './html/index.ts';
import { imageParser } from './image/index.ts';
import { jsonParser } from './json/index.ts';
import { latexParser } from './latex/index.ts';
import { markdownParser } from './markdown/index.ts';
import { openMessage } from './msg/index.ts';
import { notebookParser } from './notebook/index.ts';
import { odpParser, odsParser, odtParser } from './opendocument/index.ts';
import { orgParser } from './org/index.ts';
import { pdfParser } from './pdf/index.ts';
import { pptParser } from './ppt/index.ts';
import { pptxParser } from './pptx/index.ts';
import { restructuredTextParser } from './restructured-text/index.ts';
import { rtfParser } from './rtf/index.ts';
import { NestingContext } from './shared/members/nesting-context.ts';
import type { OpenDocument } from './shared/open-document.ts';
import type { ParseInput, Parser, UnopenedFile } from './shared/parser.ts';
import { decryptOffice, isEncryptedOffice } from './shared/protection/office.ts';
import { WorkBudget } from './shared/work-budget.ts';
import { subtitleParser } from './subtitles/index.ts';
import { textParser } from './text/index.ts';
import { tiffParser } from './tiff/index.ts';
import { xlsParser } from './xls/index.ts';
import { xlsxParser } from './xlsx/index.ts';
import { xmlParser } from './xml/index.ts';
import { openArchive } from './zip/index.ts';

/**
 * Creates a parser for a format that can contain other files. The parser passes `context` on to the parsers
 * of those files, which limits the nesting.
 */
const createNestedParser = (
  open: (input: ParseInput, context: NestingContext) => Promise<OpenDocument>,
): NestedParser => ({
  open: (input) => open(input, NestingContext.forOuterFile(openDetected, input.budget)),
  openNested: open,
});

interface NestedParser extends Parser {
  openNested(input: ParseInput, context: NestingContext): Promise<OpenDocument>;
}

/**
 * Parsers by file format. If a format in `src/file-formats` has no parser here, the code does not compile.
 */
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
  tex: latexParser,
  adoc: asciidocParser,
  rst: restructuredTextParser,
  org: orgParser,
  vtt: subtitleParser,
  srt: subtitleParser,
  ipynb: notebookParser,
  code: codeParser,
  eml: createNestedParser(openMail),
  msg: createNestedParser(openMessage),
  zip: createNestedParser(openArchive),
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

async function openDetected(
  given: ParseInput,
  context: NestingContext,
): Promise<OpenDocument & { kind: FileKind }> {
  try {
    given.budget.spend('file');
    const isLocked = isEncryptedOffice(given.bytes);
    const bytes = isLocked ? await decryptOffice(given.bytes, given.plan.pages.password) : given.bytes;
    const input = { ...given, bytes };
    const kind = detectKind(bytes, input.name, input.budget);
    if (parsedAsText.has(kind)) input.budget.spend('markupByte', bytes.length);
    const parser: Parser | NestedParser = parsers[kind];
    const document = await ('openNested' in parser ? parser.openNested(input, context) : parser.open(input));
    return Object.assign(document, { kind, ...(isLocked && { unlocked: true }) });
  } catch (error) {
    if (error instanceof ParseError) throw error;
    throw new ParseError('FILE_IS_BROKEN', `The file could not be read: ${getErrorMessage(error)}`, error);
  }
}

/**
 * Detects the format of a file and opens it. Rejects only with ParseError, because retrying cannot help if
 * the file is at fault. `budget` limits the work for the file and all files inside it.
 */
export function openDocument(
  file: UnopenedFile,
  budget = new WorkBudget(),
): Promise<OpenDocument & { kind: FileKind }> {
  return openDetected({ ...file, budget }, NestingContext.forOuterFile(openDetected, budget));
}
