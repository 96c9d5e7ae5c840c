import { ParseError } from '#src/documents/errors.ts';
import type { ParserRequest } from '#src/parse/service.ts';

/**
 * Throws ParseError TIMEOUT if a parse takes longer than `job_timeout_in_seconds` and the additional time per
 * page allow.
 */
export function checkTimeout(
  { plan, begun }: Pick<ParserRequest, 'plan' | 'begun'>,
  pageCount: number,
): void {
  const { timeout } = plan.job;
  if (!timeout || begun === undefined) return;
  const seconds = timeout.base + timeout.perPage * pageCount;
  if (Date.now() - begun <= 1000 * seconds) return;
  const names = timeout.perPage
    ? `job_timeout_in_seconds and job_timeout_extra_time_per_page_in_seconds allow ${pageCount} pages`
    : 'job_timeout_in_seconds allows';
  throw new ParseError('TIMEOUT', `The parse took longer than the ${seconds} s that ${names}.`);
}
