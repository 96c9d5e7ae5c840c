import type { Answer } from './types.ts';

/** Kinds of data files. They have no page layout, so their text is one page without an image. */
const KINDS_WITHOUT_LAYOUT: readonly (string | null)[] = ['json', 'xml', 'csv', 'tsv'];

/**
 * Returns the number of pages of a file that can be shown as images. Data files have none, so the function
 * returns 0 for them.
 */
export const countShownPages = ({ kind, page_count }: Answer<'GET /api/v1/files/{id}/pages'>): number =>
  KINDS_WITHOUT_LAYOUT.includes(kind) ? 0 : page_count;
