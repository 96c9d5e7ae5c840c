/**
 * Returns true if a file failed because it needs a password, or because the given password was wrong. Some
 * protected files, such as books with digital rights management, cannot be opened with any password.
 */
export function needsPassword(message: string | null | undefined): boolean {
  const text = message ?? '';
  return /^(?:PDF|FILE)_IS_PROTECTED\b.*\bpassword\b/.test(text) && !text.includes('cannot be opened here');
}
