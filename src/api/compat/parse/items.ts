import type { Box } from '#src/documents/document.ts';
import { renderTable } from '#src/documents/markdown/render-table.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import { getPageFailure } from '#src/documents/page-store.ts';
import { getConfidence } from '#src/services/jobs/parse/results/confidence.ts';
import type { ParseResult } from '#src/services/jobs/parse/results/open.ts';
import { type PageItem, toFormulaCounts, toPageItems } from '#src/services/jobs/parse/results/pages.ts';

/** Functions that convert each type of page block to the format of LlamaCloud's clients. */
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

/**
 * Returns the page with `success` set to true. For a page that could not be read, returns `success` false and
 * the error.
 */
function toReadPage(page: StoredPage, members: object): object {
  const error = getPageFailure(page);
  if (error !== undefined) return { ...toPageNumber(page), success: false, error, ...members };
  return { ...toPageNumber(page), success: true, ...members };
}

/**
 * Returns the differences between a page and the Markdown that a model wrote for it. Returns an empty object
 * if the page was not verified.
 */
function presentVerification({ verification }: StoredPage): object {
  if (!verification) return {};
  const { unsupported, misplaced, readFromPictures = [], missing } = verification;
  return { unsupported, misplaced, read_from_pictures: readFromPictures, missing };
}

/** Functions that convert a page to each representation that clients can request, by the clients' name. */
export const CLIENT_PAGES = {
  markdown: (page: StoredPage) => toReadPage(page, { markdown: page.markdown }),
  text: (page: StoredPage) => ({ ...toPageNumber(page), text: page.text }),
  items: (page: StoredPage) =>
    toReadPage(page, {
      page_width: page.width,
      page_height: page.height,
      items: toPageItems(page).map(clientItem),
    }),
  metadata: (page: StoredPage, { parameters }: Pick<ParseResult, 'parameters'>) => ({
    ...toPageNumber(page),
    confidence: getConfidence(page, parameters),
    printed_page_number: page.label,
    ...presentVerification(page),
    ...(page.formulas && { formulas: toFormulaCounts(page) }),
  }),
} as const;
