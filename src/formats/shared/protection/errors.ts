import { ParseError } from '#src/documents/errors.ts';

/**
 * Creates the error for a file that needs a password, or needs a different one. The message never contains
 * the password.
 */
export function createPasswordError(password: string | null | undefined): ParseError {
  return new ParseError(
    'FILE_IS_PROTECTED',
    password
      ? 'The password does not open the file.'
      : 'The file is encrypted with a password. Set the parse parameter `password` to open it.',
  );
}

export const createUnsupportedEncryptionError = (detail: string) =>
  new ParseError(
    'FILE_IS_PROTECTED',
    `The file is encrypted in a way that cannot be opened here: ${detail}.`,
  );
