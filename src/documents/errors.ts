import { DomainError } from '#src/lib/errors.ts';

/** Reason why a file could not be parsed. API clients and status details show this code. */
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

/** Permanent error caused by the file itself. Retrying cannot help, and other files are not affected. */
export class ParseError extends DomainError {
  override readonly name = 'ParseError';
  readonly reason: ParseFailure;
  constructor(reason: ParseFailure, message: string, cause?: unknown) {
    super('invalid', `${reason}: ${message}`, { cause });
    this.reason = reason;
  }

  /** Creates the error from a message that already starts with the reason. */
  static of(reason: ParseFailure, message: string): ParseError {
    return new ParseError(reason, message.slice(message.indexOf(': ') + 2));
  }
}

/** Thrown if a strict mode fails the whole file, regardless of how many pages may fail. */
export class StrictModeError extends ParseError {
  /** Creates the error for the strict mode that the parse parameter `parameter` requests. */
  static forParameter(parameter: string, reason: ParseFailure, message: string): StrictModeError {
    return new StrictModeError(reason, `${message} (${parameter})`);
  }
}
