import { DomainError } from '#src/lib/errors.ts';

/** Why a file could not be parsed. Clients and status details see the reason's name. */
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

/** The file itself is at fault: trying again cannot help, and the other files go on. */
export class ParseError extends DomainError {
  override readonly name = 'ParseError';
  readonly reason: ParseFailure;
  constructor(reason: ParseFailure, message: string, cause?: unknown) {
    super('invalid', `${reason}: ${message}`, { cause });
    this.reason = reason;
  }

  /** With a message that begins with the reason already. */
  static of(reason: ParseFailure, message: string): ParseError {
    return new ParseError(reason, message.slice(message.indexOf(': ') + 2));
  }
}

/** What a strict mode is to fail the whole file for: no tolerance for single pages applies. */
export class StrictModeError extends ParseError {
  /** `parameter`: the strict mode that was asked for. */
  static because(parameter: string, reason: ParseFailure, message: string): StrictModeError {
    return new StrictModeError(reason, `${message} (${parameter})`);
  }
}
