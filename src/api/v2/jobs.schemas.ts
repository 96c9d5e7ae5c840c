import { z } from 'zod';
import { pathId, timestamp } from '#src/api/operation/schemas.ts';
import { BadRequest } from '#src/lib/errors.ts';

/** Job ids are accepted with and without prefix. */
export function jobParams(prefix: string) {
  return z.object({ job_id: pathId(prefix) });
}

const moment = z.iso.datetime({ offset: true }).nullish();

/** Query parameters that all job lists accept, for paging and filters. */
export const jobListQuery = z.object({
  page_size: z.number().int().min(1).max(100).nullish().describe('Maximum number of jobs per page.'),
  page_token: z
    .string()
    .nullish()
    .describe('The `next_page_token` of the previous page. Absent for the first page.'),
  job_ids: z.array(z.string()).nullish().describe('Only jobs with these ids, with or without their prefix.'),
  configuration_id: z.string().nullish(),
  created_at_on_or_after: moment.describe('Only jobs that were created at or after this time.'),
  created_at_on_or_before: moment.describe('Only jobs that were created at or before this time.'),
});

export const jobTimes = {
  created_at: timestamp,
  updated_at: timestamp,
};

export const attempt = z.number().int().nullish().describe('Number of attempts.');

/** Returns the Idempotency-Key of a request. Repeating a request with the same key creates one job. */
export function getIdempotencyKey(request: Request): string | null {
  const key = request.headers.get('idempotency-key')?.trim();
  if (!key) return null;
  if (key.length > 255) throw new BadRequest('Idempotency-Key is limited to 255 characters.');
  return `header ${key}`;
}
