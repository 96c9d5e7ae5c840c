import type { Answer } from './types.ts';

/** Kinds of files without a page layout. Their text is a single page, which has no image. */
const KINDS_WITHOUT_LAYOUT: readonly (string | null)[] = ['json', 'xml', 'csv', 'tsv'];

/** Returns how many pages of a file can be shown as images. Returns 0 for data files. */
export const countShownPages = ({ kind, page_count }: Answer<'GET /api/v1/files/{id}/pages'>): number =>
  KINDS_WITHOUT_LAYOUT.includes(kind) ? 0 : page_count;
