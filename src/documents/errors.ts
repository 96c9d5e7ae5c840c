import { DomainError } from '#src/lib/errors.ts';

/** Reason why a file could not be parsed. Clients and status details show its name. */
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

/** Permanent error of the file itself. Retrying cannot help, and other files are not affected. */
export class ParseError extends DomainError {
  override readonly name = 'ParseError';
  readonly reason: ParseFailure;
  constructor(reason: ParseFailure, message: string, cause?: unknown) {
    super('invalid', `${reason}: ${message}`, { cause });
    this.reason = reason;
  }

  /** Creates the error with a message that already begins with the reason. */
  static of(reason: ParseFailure, message: string): ParseError {
    return new ParseError(reason, message.slice(message.indexOf(': ') + 2));
  }
}

/** Thrown when a strict mode fails the whole file, regardless of the tolerance for single pages. */
export class StrictModeError extends ParseError {
  /** `parameter` is the requested strict mode. */
  static because(parameter: string, reason: ParseFailure, message: string): StrictModeError {
    return new StrictModeError(reason, `${message} (${parameter})`);
  }
}
