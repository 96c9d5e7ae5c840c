/**
 * A regular expression as users of other tools write them: with Unicode rules where it keeps them, and without
 * where it has escapes that those rules refuse (`\-`). Throws SyntaxError for what is no pattern at all.
 */
export function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
