/** Escapes characters of a text that have a meaning in Markdown. The text is the beginning of a block. */
export function escapeMarkdown(text: string): string {
  const hasMarks = /[\\`*_]/.test(text);
  const escaped = hasMarks ? text.replace(/([\\`*]|(?<=^|\s)_|_(?=\s|$))/g, '\\$1') : text;
  return escapeBlockStart(escaped.replace(/<(?=[a-zA-Z/!])/g, '\\<'));
}

/**
 * Escapes signs that begin a heading, quote or list, at the beginning of Markdown whose other characters are escaped
 * already. For example, the text of a footnote begins a block once its mark is taken away.
 */
export function escapeBlockStart(markdown: string): string {
  return markdown.replace(/^(#{1,6}|>|\+|-)(?=\s)/, '\\$1').replace(/^(\d{1,9})([.)])(?=\s)/, '$1\\$2');
}
