import { z } from 'zod';
import { pathId, timestamp } from '#src/api/operation/schemas.ts';
import { BadRequest } from '#src/lib/errors.ts';

/** Job ids are accepted with and without prefix. */
export function jobParams(prefix: string) {
  return z.object({ job_id: pathId(prefix) });
}

const moment = z.iso.datetime({ offset: true }).nullish();

/** Filters of all job lists. */
export const jobListQuery = z.object({
  page_size: z.number().int().min(1).max(100).nullish().describe('At most so many jobs a page.'),
  page_token: z
    .string()
    .nullish()
    .describe('The `next_page_token` of the page before; absent for the first.'),
  job_ids: z.array(z.string()).nullish().describe('Only these, each bare or with its prefix.'),
  configuration_id: z.string().nullish(),
  created_at_on_or_after: moment.describe('Jobs that were created then or later.'),
  created_at_on_or_before: moment.describe('Jobs that were created then or earlier.'),
});

export const jobTimes = {
  created_at: timestamp,
  updated_at: timestamp,
};

export const attempt = z.number().int().nullish().describe('How often the job has been taken up.');

/** Returns the Idempotency-Key of a request. Repeating a request with the same key creates one job. */
export function idempotencyKeyOf(request: Request): string | null {
  const key = request.headers.get('idempotency-key')?.trim();
  if (!key) return null;
  if (key.length > 255) throw new BadRequest('Idempotency-Key is limited to 255 characters.');
  return `header ${key}`;
}
