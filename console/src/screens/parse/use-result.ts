import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';

export type ParsedPage = Answer<'GET /api/v2/parse/{job_id}/pages/{page_number}'>;
export type Ranges = Answer<'GET /api/v2/parse/{job_id}/pages'>['ranges'];

/** A result never changes, so it is read once. */
const UNCHANGING = { staleTime: Number.POSITIVE_INFINITY };

/** Returns which pages a completed job has read. With `undefined` in place of a job, nothing is read. */
export const useResult = (job: string | undefined) =>
  useApiQuery(
    'GET /api/v2/parse/{job_id}/pages',
    { params: { job_id: job ?? '' } },
    { ...UNCHANGING, enabled: job !== undefined },
  );

/**
 * Returns one page of a completed job. While another page is being read, `data` is `undefined` and not the page
 * before it.
 */
export function useParsedPage(job: string, page: number) {
  const read = useApiQuery(
    'GET /api/v2/parse/{job_id}/pages/{page_number}',
    { params: { job_id: job, page_number: page }, query: { expand: ['markdown', 'text', 'items'] } },
    UNCHANGING,
  );
  return read.data?.page_number === page
    ? read
    : { ...read, data: undefined, isPending: read.error === null };
}

/** Returns the page numbers of ranges in ascending order. */
export const listNumbers = (ranges: Ranges): number[] =>
  ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at));
