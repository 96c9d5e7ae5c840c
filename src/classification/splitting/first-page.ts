import type { Page } from '#src/documents/document.ts';

/** Matches a line that numbers the first page of a document, such as "Page 1 of 3" or "1/3". */
const FIRST_PAGE =
  /^(?:page|seite|página|pagina|strona|sida|blatt|страница)?\s*0*1\s*(?:of|von|de|di|sur|van|z|из|\/)\s*\d{1,4}\.?$/iu;

/** Number of lines at the top and at the bottom of a page that may number the page. */
const EDGE_LINES = 3;

/** Returns whether the page says that it is the first of several pages of a document. */
export function isNumberedFirst({ text, blocks }: Pick<Page, 'text' | 'blocks'>): boolean {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const running = blocks
    .filter(({ type }) => type === 'header' || type === 'footer')
    .flatMap((block) => block.text.split('\n').map((line) => line.trim()));
  const edges = [...lines.slice(0, EDGE_LINES), ...lines.slice(-EDGE_LINES), ...running];
  return edges.some((line) => FIRST_PAGE.test(line));
}
