import { ParseError } from '#src/documents/errors.ts';
import type { FileRequest } from '#src/parse/service.ts';

/** Rejects a parse that goes on for longer than `job_timeout_in_seconds` and its share for each page allow. */
export function refuseLate({ parameters, begun }: FileRequest, pageCount: number): void {
  const { job_timeout_in_seconds: base, job_timeout_extra_time_per_page_in_seconds: perPage } = parameters;
  // 0 leaves the time to the installation.
  if (!base || begun === undefined) return;
  const seconds = base + (perPage ?? 0) * pageCount;
  if (Date.now() - begun <= 1000 * seconds) return;
  const names = perPage
    ? `job_timeout_in_seconds and job_timeout_extra_time_per_page_in_seconds allow ${pageCount} pages`
    : 'job_timeout_in_seconds allows';
  throw new ParseError('TIMEOUT', `The parse takes longer than the ${seconds} s that ${names}.`);
}
