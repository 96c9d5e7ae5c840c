/** Escapes a text for a regular expression, with or without the `u` flag, which rejects `\-`. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
