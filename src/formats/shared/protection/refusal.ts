import { ParseError } from '#src/documents/errors.ts';

/** Why a file that asks for a password stays closed. The password itself is never part of the message. */
export function lockedFile(password: string | null | undefined): ParseError {
  return new ParseError(
    'FILE_IS_PROTECTED',
    password
      ? 'The password does not open the file.'
      : 'The file is encrypted with a password; the parse parameter `password` opens it.',
  );
}

/** Of encryption that no password opens here. */
export const unreadableProtection = (detail: string) =>
  new ParseError(
    'FILE_IS_PROTECTED',
    `The file is encrypted in a way that cannot be opened here: ${detail}.`,
  );
