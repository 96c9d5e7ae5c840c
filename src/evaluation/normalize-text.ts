/** Returns a text in lower case, with compatibility characters replaced and white space reduced to single spaces. */
export function normalizeText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}
