import { ParseError } from '#src/documents/errors.ts';
import { FailedTogether, type IngestResult } from '#src/ingest/index.ts';
import { DomainError, messageOf, TooLarge, Upstream } from '#src/lib/errors.ts';
import { SourceError } from '#src/ports/source.ts';
import type { Outcome, ReleaseFailure } from '#src/work/sync-owner.ts';

export type Failure = NonNullable<Outcome['error']>;

/** Outcome of an item for which nothing is left to do. */
export const NOTHING: Outcome = { counters: {} };

/** Returns the status of an indexed file or document. */
export function succeeded() {
  return { status: 'SUCCESS' as const, statusUpdatedAt: new Date(), error: null, failedFingerprint: null };
}

/**
 * Returns the status of a permanent failure. `inputs` is the fingerprint of the failed inputs, so that they
 * are not tried again until they change. A failure that does not concern the content is tried again by the
 * next sync.
 */
export function failed<Inputs>(jobId: string, error: unknown, failure: Failure, inputs: Inputs) {
  return {
    status: 'ERROR' as const,
    statusUpdatedAt: new Date(),
    error: { job_id: jobId, ...failure },
    failedFingerprint: isOfContent(error) ? inputs : null,
    chunkCount: 0,
  };
}

/** Returns the failure if it is permanent; undefined if another attempt may succeed. */
export function permanentFailure(error: unknown): Failure | undefined {
  if (!(error instanceof DomainError) || error.retryable) return undefined;
  return { message: messageOf(error), step: stepOf(error) };
}

/** Returns the report of a temporary failure. `of` is the number of items that were processed together. */
export function releaseOf(error: unknown, of = 1): ReleaseFailure {
  const together = error instanceof FailedTogether || of > 1;
  const cause = error instanceof FailedTogether ? error.cause : error;
  return {
    message: messageOf(cause),
    step: stepOf(cause),
    ...(cause instanceof Upstream &&
      cause.retryAfter !== undefined && { retryAfterSeconds: cause.retryAfter }),
    ...(together && { together }),
  };
}

/** Returns the step in which a run failed, in the specification's words. */
export function stepOf(error: unknown): Failure['step'] {
  if (error instanceof SourceError) return 'DATA_SOURCE';
  return error instanceof ParseError ? 'PARSE' : 'INGESTION';
}

/**
 * Returns whether the content itself is at fault, so that other credentials, services or times would not
 * help.
 */
function isOfContent(error: unknown): boolean {
  return error instanceof ParseError || error instanceof TooLarge;
}

export function nothingFound(result: IngestResult): ParseError {
  if (result.pagesNeedingOcr.length === 0) {
    return new ParseError('NO_DATA_FOUND_IN_FILE', 'The file has no text.');
  }
  const reason = result.notDrawn === undefined ? '' : ` (${result.notDrawn})`;
  return new ParseError(
    'NEEDS_OCR',
    `The file has no text layer, and no OCR engine has read its pages${reason}.`,
  );
}

/** Returns the members of a file's status details that list pages which were not read; `null` if all pages were read. */
export function describeUnreadPages({ pagesNeedingOcr, failedPages }: IngestResult) {
  if (pagesNeedingOcr.length + failedPages.length === 0) return null;
  return {
    ...(pagesNeedingOcr.length > 0 && { pages_needing_ocr: pagesNeedingOcr }),
    ...(failedPages.length > 0 && { pages_failed: failedPages }),
  };
}

export function countersOf(result: IngestResult): Record<string, number> {
  const { seconds, pageCount, chunkCount } = result;
  // Rounded only where values are added up, because shares of one of many items are fractions of a
  // millisecond.
  const milliseconds = (value: number) => value * 1000;
  return {
    indexed: 1,
    pages: pageCount,
    chunks: chunkCount,
    ...(result.cachedParse && { cached_parses: 1 }),
    parse_ms: milliseconds(seconds.parse),
    chunk_ms: milliseconds(seconds.chunk),
    embed_ms: milliseconds(seconds.embed),
    write_ms: milliseconds(seconds.write),
  };
}
