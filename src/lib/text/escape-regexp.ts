/**
 * Escapes a text for use in a regular expression. The `u` flag rejects the escape `\-`, so hyphens stay
 * unescaped.
 */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
