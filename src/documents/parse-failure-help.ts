import type { ErrorHelp } from '#src/lib/error-help.ts';
import type { ParseFailure } from './errors.ts';

/** Explains why a file could not be parsed. The messages of such files begin with these codes. */
export const PARSE_FAILURE_HELP: Record<ParseFailure, ErrorHelp> = {
  UNSUPPORTED_FILE_TYPE: {
    meaning: 'Sluice does not read this kind of file.',
    cause: 'The content is of another format than those in the list of formats, whatever the name says.',
    remedy: 'Convert the file, for example to PDF or DOCX, and upload it again.',
  },
  PDF_IS_PROTECTED: {
    meaning: 'The PDF is encrypted and cannot be opened.',
    cause: 'A password is needed and none was given, the given one is wrong, or the encryption is unknown.',
    remedy: 'Send the password as the parse parameter `password`, or save the file without protection.',
  },
  PDF_IS_BROKEN: {
    meaning: 'The file is no readable PDF.',
    cause: 'The upload was cut off, the file is damaged, or another format is named `.pdf`.',
    remedy: 'Open the file in a PDF reader, save it again, and upload the copy.',
  },
  FILE_IS_PROTECTED: {
    meaning: 'The file is encrypted and cannot be opened.',
    cause: 'An office file or archive needs a password, or a book has digital rights management.',
    remedy:
      'Send the password as the parse parameter `password`. Digital rights management cannot be opened.',
  },
  FILE_IS_BROKEN: {
    meaning: 'The file is damaged.',
    cause: 'The upload was cut off, or a required part of the format is missing or contradicts itself.',
    remedy: 'Open the file in the program that made it, save it again, and upload the copy.',
  },
  NO_DATA_FOUND_IN_FILE: {
    meaning: 'The file contains no text.',
    cause: 'The file is empty or blank, the requested pages do not exist, or the file has been deleted.',
    remedy: 'Check the file and `target_pages`. For pictures without text, no action is needed.',
  },
  NEEDS_OCR: {
    meaning: 'The pages are pictures, and no OCR engine has read them.',
    cause: 'The file is a scan, and OCR is off, not configured, or lacks the language.',
    remedy: 'Enable OCR for the pipeline or job, and choose its languages.',
  },
  DOCUMENT_TOO_LARGE: {
    meaning: 'The document needs more memory or steps than one file may use.',
    cause: 'A page, table, picture or archive is far larger than usual, or is made to exhaust a parser.',
    remedy: 'Split the document, or reduce what the message names.',
  },
  TOO_MANY_PAGES: {
    meaning: 'The document has more pages than allowed.',
    cause: 'The number of pages exceeds `max_pages`, or the limit of the format.',
    remedy: 'Split the document, raise `max_pages`, or choose pages with `target_pages`.',
  },
  TIMEOUT: {
    meaning: 'The file was not parsed in the time that it may take.',
    cause: 'The document is very complex, or is made to keep a parser busy.',
    remedy: 'Split the document, or raise the timeout that the message names.',
  },
  PARSER_CRASHED: {
    meaning: 'The parser stopped while it was reading the file, several times.',
    cause: 'The document exhausts the memory of the parser, or meets a defect of it.',
    remedy: 'Save the document again in another program, or split it. Please report it as a defect.',
  },
};
