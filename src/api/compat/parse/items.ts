import type { Box } from '#src/documents/document.ts';
import { renderTable } from '#src/documents/markdown/render-table.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import { getPageFailure } from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { getConfidence } from '#src/services/jobs/parse/results/confidence.ts';
import { type PageItem, toFormulaCounts, toPageItems } from '#src/services/jobs/parse/results/pages.ts';

/** Converts blocks of a page to the clients' kinds. */
const KINDS: Record<PageItem['type'], (item: PageItem) => object> = {
  heading: ({ level, value }) => ({ type: 'heading', level: level ?? 1, value }),
  paragraph: ({ value }) => ({ type: 'text', value }),
  list: ({ markdown }) => ({ type: 'list', ordered: /^\s*\d/.test(markdown), items: splitLines(markdown) }),
  table: ({ rows = [] }) => ({
    type: 'table',
    rows,
    csv: toCsv(rows),
    html: renderTable(rows, { html: true }),
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

const splitLines = (markdown: string) =>
  markdown
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ type: 'text', value: line.replace(MARK, ''), md: line.trim() }));

/** Writes rows as CSV according to RFC 4180. */
export const toCsv = (rows: string[][]): string => rows.map((row) => row.map(quoteCell).join(',')).join('\n');

const quoteCell = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const toPageNumber = (page: StoredPage) => ({ page_number: page.index + 1 });

/** Returns a read page with `success` true, or the error of an unread one. */
function toReadPage(page: StoredPage, members: object): object {
  const error = getPageFailure(page);
  if (error !== undefined) return { ...toPageNumber(page), success: false, error, ...members };
  return { ...toPageNumber(page), success: true, ...members };
}

/** Returns the parts of the Markdown that the page does not support. Empty if it was not verified. */
function presentVerification({ verification }: StoredPage): object {
  if (!verification) return {};
  const { unsupported, misplaced, readFromPictures = [], missing } = verification;
  return { unsupported, misplaced, read_from_pictures: readFromPictures, missing };
}

/** Forms of a page, keyed by the names that clients use. */
export const CLIENT_PAGES = {
  markdown: (page: StoredPage) => toReadPage(page, { markdown: page.markdown }),
  text: (page: StoredPage) => ({ ...toPageNumber(page), text: page.text }),
  items: (page: StoredPage) =>
    toReadPage(page, {
      page_width: page.width,
      page_height: page.height,
      items: toPageItems(page).map(clientItem),
    }),
  metadata: (page: StoredPage, parameters: ParseParameters) => ({
    ...toPageNumber(page),
    confidence: getConfidence(page, parameters),
    printed_page_number: page.label,
    ...presentVerification(page),
    ...(page.formulas && { formulas: toFormulaCounts(page) }),
  }),
} as const;
