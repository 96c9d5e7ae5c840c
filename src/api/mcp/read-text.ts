import type { TenantContext } from '#src/context/context.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import { openPages } from '#src/services/files/pages.ts';
import { Budget } from './budget.ts';
import { type Place, placeToken } from './page.ts';

/**
 * Maximum number of pages per answer. Without this limit, a file of many tiny pages would cause too many
 * reads of the bucket.
 */
const MOST_PAGES = 200;
/**
 * Time in milliseconds after which an answer ends. Scanned pages are read by OCR during the request, which
 * takes long.
 */
const LONGEST_MS = 20_000;

export interface TextOfPage {
  page: number;
  label: string | null;
  /** True if the page shows text that has not been read, for example in a scan. */
  needs_ocr: boolean;
  text: string;
  /** True if the returned text begins or ends in the middle of the page. */
  text_cut: boolean;
}

/**
 * Returns the text of a file from a position on, as much as fits into an answer. `next` is the position to
 * continue from.
 */
export async function readText(
  ctx: TenantContext,
  file: FileRow,
  placeIn: (pageCount: number) => Place,
  signal: AbortSignal,
): Promise<{ pages: TextOfPage[]; pageCount: number; place: Place; next: string | null }> {
  const { pageCount, from } = await openPages(ctx, file);
  const place = placeIn(pageCount);
  const budget = new Budget();
  const pages: TextOfPage[] = [];
  const began = Date.now();
  const goOn = (page: number, offset: number) => placeToken({ ...place, page, offset });
  const read = { place, pages, pageCount };
  for await (const stored of from(place.page - 1)) {
    signal.throwIfAborted();
    const page = stored.index + 1;
    if (page > place.lastPage) break;
    const isFull = budget.left === 0 || pages.length === MOST_PAGES || Date.now() - began > LONGEST_MS;
    if (isFull && pages.length > 0) return { ...read, next: goOn(page, 0) };
    const begin = page === place.page ? place.offset : 0;
    const whole = place.format === 'text' ? stored.text : stored.markdown;
    const { text, isCut } = budget.take(whole.slice(begin));
    const text_cut = isCut || begin > 0;
    pages.push({ page, label: stored.label, needs_ocr: stored.needsOcr ?? false, text, text_cut });
    if (isCut) return { ...read, next: goOn(page, begin + text.length) };
  }
  return { ...read, next: null };
}
