import type { StoredPage } from '#src/documents/page-store.ts';
import { blocksOf, hasColumns, picturesOf } from './page-facts.ts';

/** Letters of fonts that do not say what they stand for. */
const UNKNOWN_LETTER = /[\uFFFD\uE000-\uF8FF]/;

/**
 * Whether a model can add nothing to what the parser read: text of the text layer in one column, without tables,
 * pictures, code and letters that nobody knows.
 */
export function isPlain(page: StoredPage): boolean {
  const { text, needsOcr, ocr, error } = page;
  if (text.trim() === '' || needsOcr || ocr || error !== undefined) return false;
  if (picturesOf(page).length > 0 || UNKNOWN_LETTER.test(text)) return false;
  if ((['table', 'figure', 'code'] as const).some((type) => blocksOf(page, type).length > 0)) return false;
  return !hasColumns(page);
}
