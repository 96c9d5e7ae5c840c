import type { ErrorHelp } from '#src/lib/error-help.ts';
import { DomainError } from '#src/lib/errors.ts';

/** Code of the reason why a file could not be parsed. API clients and status details show this code. */
export type ParseFailure =
  | 'UNSUPPORTED_FILE_TYPE'
  | 'PDF_IS_PROTECTED'
  | 'PDF_IS_BROKEN'
  | 'FILE_IS_PROTECTED'
  | 'FILE_IS_BROKEN'
  | 'NO_DATA_FOUND_IN_FILE'
  | 'NEEDS_OCR'
  | 'DOCUMENT_TOO_LARGE'
  | 'TOO_MANY_PAGES'
  | 'TIMEOUT'
  | 'PARSER_CRASHED';

/** Permanent error that the file itself causes. Retrying does not help, and other files are not affected. */
export class ParseError extends DomainError {
  override readonly name = 'ParseError';
  readonly reason: ParseFailure;
  constructor(reason: ParseFailure, message: string, cause?: unknown) {
    super('invalid', `${reason}: ${message}`, { cause });
    this.reason = reason;
  }

  /** Creates the error from a message that begins with the reason's code and a colon. */
  static of(reason: ParseFailure, message: string): ParseError {
    return new ParseError(reason, message.slice(message.indexOf(': ') + 2));
  }
}

/**
 * Error that fails the whole file in a strict mode, even if the parse parameters allow some pages to fail.
 */
export class StrictModeError extends ParseError {
  /** Creates the error of a strict mode. `parameter` is the parse parameter that requests this mode. */
  static forParameter(parameter: string, reason: ParseFailure, message: string): StrictModeError {
    return new StrictModeError(reason, `${message} (${parameter})`);
  }
}

/** Explanations of parse failures by code: meaning, cause and remedy. */
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
