import type { Box } from '#src/documents/document.ts';
import { markdownTable } from '#src/documents/markdown/render-table.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import { pageFailure } from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { confidenceOf } from '#src/services/jobs/parse/results/confidence.ts';
import { formulasOf, itemsOf, type PageItem } from '#src/services/jobs/parse/results/pages.ts';

/** Converts blocks of a page to the clients' kinds. */
const KINDS: Record<PageItem['type'], (item: PageItem) => object> = {
  heading: ({ level, value }) => ({ type: 'heading', level: level ?? 1, value }),
  paragraph: ({ value }) => ({ type: 'text', value }),
  list: ({ markdown }) => ({ type: 'list', ordered: /^\s*\d/.test(markdown), items: linesOf(markdown) }),
  table: ({ rows = [] }) => ({
    type: 'table',
    rows,
    csv: csvOf(rows),
    html: markdownTable(rows, { html: true }),
  }),
  figure: ({ value }) => ({ type: 'image', caption: value, url: '' }),
  code: ({ value }) => ({ type: 'code', value, language: null }),
  header: ({ value, markdown }) => ({ type: 'header', items: [{ type: 'text', value, md: markdown }] }),
  footer: ({ value, markdown }) => ({ type: 'footer', items: [{ type: 'text', value, md: markdown }] }),
};

export const clientItem = (item: PageItem): object => ({
  ...KINDS[item.type](item),
  md: item.markdown,
  bbox: item.box ? [withLabel(item.box, item.type)] : null,
});

const withLabel = ({ x, y, w, h }: Box, label: string) => ({ x, y, w, h, label });

const MARK = /^\s*(?:[-*+]|\d+[.)])\s+/;

const linesOf = (markdown: string) =>
  markdown
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ type: 'text', value: line.replace(MARK, ''), md: line.trim() }));

/** Writes rows as CSV according to RFC 4180. */
export const csvOf = (rows: string[][]): string => rows.map((row) => row.map(quoted).join(',')).join('\n');

const quoted = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const numbered = (page: StoredPage) => ({ page_number: page.index + 1 });

/** Returns a read page with `success` true, or the error of an unread one. */
function read(page: StoredPage, members: object): object {
  const error = pageFailure(page);
  if (error !== undefined) return { ...numbered(page), success: false, error, ...members };
  return { ...numbered(page), success: true, ...members };
}

/** Returns the parts of the Markdown that the page does not support. Empty if it was not verified. */
function doubtsOf({ verification }: StoredPage): object {
  if (!verification) return {};
  const { unsupported, misplaced, readFromPictures = [], missing } = verification;
  return { unsupported, misplaced, read_from_pictures: readFromPictures, missing };
}

/** Forms of a page, keyed by the names that clients use. */
export const CLIENT_PAGES = {
  markdown: (page: StoredPage) => read(page, { markdown: page.markdown }),
  text: (page: StoredPage) => ({ ...numbered(page), text: page.text }),
  items: (page: StoredPage) =>
    read(page, { page_width: page.width, page_height: page.height, items: itemsOf(page).map(clientItem) }),
  metadata: (page: StoredPage, parameters: ParseParameters) => ({
    ...numbered(page),
    confidence: confidenceOf(page, parameters),
    printed_page_number: page.label,
    ...doubtsOf(page),
    ...(page.formulas && { formulas: formulasOf(page) }),
  }),
} as const;
