/**
 * Whether a file failed because it needs a password, or another one than was given. Some protected files are opened by no
 * password, such as books with digital rights management.
 */
export function needsPassword(message: string | null | undefined): boolean {
  const said = message ?? '';
  return /^(?:PDF|FILE)_IS_PROTECTED\b.*\bpassword\b/.test(said) && !said.includes('cannot be opened here');
}
