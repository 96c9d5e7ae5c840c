import { useApiQuery } from '../../api/hooks.ts';
import type { Answer } from '../../api/types.ts';

type Job = Answer<'GET /api/v2/parse'>['items'][number];

/** Number of recent jobs among which those of the same document are looked for. */
const RECENT_JOBS = 100;

/** Returns recent completed jobs that read the same file as the given one. */
export function useOtherJobs({ id, file_id }: Pick<Job, 'id' | 'file_id'>): Job[] {
  const read = useApiQuery('GET /api/v2/parse', { query: { page_size: RECENT_JOBS, status: 'COMPLETED' } });
  return (read.data?.items ?? []).filter((each) => each.id !== id && file_id && each.file_id === file_id);
}
