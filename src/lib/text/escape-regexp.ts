/** A text as a regular expression that matches it, with or without the `u` flag: that one refuses `\-`. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
