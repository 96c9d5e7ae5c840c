import type { Answer } from './types.ts';

/** Data is not laid out: its text is one page, of which there is no picture. */
const DATA: readonly (string | null)[] = ['json', 'xml', 'csv', 'tsv'];

/** How many pages of a file can be shown. */
export const shownPages = ({ kind, page_count }: Answer<'GET /api/v1/files/{id}/pages'>): number =>
  DATA.includes(kind) ? 0 : page_count;
