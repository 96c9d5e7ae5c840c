import { toCsv } from '#src/api/compat/parse/items.ts';
import type { Figure, LayoutImage } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import { getPageFailure } from '#src/documents/page-store.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import type { ParseResult } from '#src/services/jobs/parse/results/open.ts';
import { type PageItem, toPageItems } from '#src/services/jobs/parse/results/pages.ts';

/** Matches the file names of page pictures. Existing clients rely on these names. */
const SCREENSHOT = /^page[-_](\d{1,9})\.(?:jpg|png)$/;

/**
 * Returns the index, from 0, of the page whose picture has this file name. Returns undefined for other names.
 */
export function parseScreenshotName(name: string): number | undefined {
  const [, page] = SCREENSHOT.exec(name) ?? [];
  return page === undefined || Number(page) < 1 ? undefined : Number(page) - 1;
}

/** Converts a page of a parse result to the format of older clients. */
export function presentPage(page: StoredPage, parameters: ParseParameters) {
  return {
    page: page.index + 1,
    text: page.text,
    md: page.markdown,
    images: presentImages(page, parameters),
    charts: [],
    tables: [],
    layout: [],
    items: toPageItems(page).map(presentItem),
    status: getPageFailure(page) === undefined ? 'OK' : 'ERROR',
    links: page.links.map(({ text, url }) => ({ text, url })),
    width: page.width,
    height: page.height,
    triggeredAutoMode: false,
    parsingMode: parameters.parse_mode ?? '',
    structuredData: null,
    noStructuredContent: true,
    noTextContent: page.text.trim() === '',
  };
}

function presentImages(page: StoredPage, parameters: ParseParameters) {
  const { save_images, take_screenshot, images_to_save } = parameters;
  const figures = save_images === false ? [] : page.figures.filter(({ isLikelyNoise }) => !isLikelyNoise);
  const isDrawn = take_screenshot || images_to_save?.includes('screenshot');
  const { width, height, index } = page;
  const drawn = { name: `page_${index + 1}.jpg`, x: 0, y: 0, width, height, type: 'full_page_screenshot' };
  return [
    ...figures.map(presentFigure),
    ...(page.layoutImages ?? []).map(presentLayoutImage),
    ...(isDrawn ? [drawn] : []),
  ];
}

const presentLayoutImage = ({ name, type, box: { x, y, w, h } }: LayoutImage) => ({
  ...{ name, x, y, width: w, height: h },
  type: `layout_${type}`,
});

const presentFigure = ({ name, box, width, height }: Figure) => ({
  name,
  x: box?.x ?? null,
  y: box?.y ?? null,
  width: box?.w ?? width,
  height: box?.h ?? height,
  original_width: width,
  original_height: height,
  type: 'object',
});

function presentItem({ type, level, value, markdown, rows, box }: PageItem) {
  return {
    type: type === 'heading' || type === 'table' ? type : 'text',
    ...(type === 'heading' && { lvl: level ?? 1 }),
    value,
    md: markdown,
    ...(rows && { rows, csv: toCsv(rows), isPerfectTable: isPerfect(rows) }),
    bBox: box ?? null,
  };
}

const isPerfect = (rows: string[][]) => rows.every((row) => row.length === rows[0]!.length);

export const jobMetadata = ({ job }: ParseResult, pages: number, credits: number | null) => ({
  job_pages: pages,
  job_auto_mode_triggered_pages: 0,
  job_is_cache_hit: false,
  job_credits_usage: credits,
  document_pages: job.pageCount,
});
