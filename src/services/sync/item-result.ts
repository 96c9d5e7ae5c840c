import { ParseError } from '#src/documents/errors.ts';
import { type IngestResult, SharedFailure } from '#src/ingest/index.ts';
import { DomainError, getErrorMessage, TooLarge, Upstream } from '#src/lib/errors.ts';
import { SourceError } from '#src/ports/source.ts';
import type { Outcome, ReleaseFailure } from '#src/work/sync-owner.ts';

export type Failure = NonNullable<Outcome['error']>;

export const NO_OUTCOME: Outcome = { counters: {} };

export function buildSucceededColumns() {
  return { status: 'SUCCESS' as const, statusUpdatedAt: new Date(), error: null, failedFingerprint: null };
}

/**
 * Returns the column values for a file or text that failed permanently. If the content caused the failure,
 * `inputs` is stored, so that syncs skip the content until it changes. Other failures are retried by the next
 * sync.
 */
export function buildFailedColumns<Inputs>(jobId: string, error: unknown, failure: Failure, inputs: Inputs) {
  return {
    status: 'ERROR' as const,
    statusUpdatedAt: new Date(),
    error: { job_id: jobId, ...failure },
    failedFingerprint: isContentError(error) ? inputs : null,
    chunkCount: 0,
  };
}

/** Returns the failure if it is permanent. Returns `undefined` if a retry may succeed. */
export function permanentFailure(error: unknown): Failure | undefined {
  if (!(error instanceof DomainError) || error.retryable) return undefined;
  return { message: getErrorMessage(error), step: getFailedStep(error) };
}

/**
 * Describes a temporary failure of a sync item, so that it is retried. `of` is the number of items that were
 * processed together.
 */
export function toReleaseFailure(error: unknown, of = 1): ReleaseFailure {
  const together = error instanceof SharedFailure || of > 1;
  const cause = error instanceof SharedFailure ? error.cause : error;
  return {
    message: getErrorMessage(cause),
    step: getFailedStep(cause),
    ...(cause instanceof Upstream &&
      cause.retryAfter !== undefined && { retryAfterSeconds: cause.retryAfter }),
    ...(together && { together }),
  };
}

/** Returns the step in which an item failed, in the format of the API. */
export function getFailedStep(error: unknown): Failure['step'] {
  if (error instanceof SourceError) return 'DATA_SOURCE';
  return error instanceof ParseError ? 'PARSE' : 'INGESTION';
}

/**
 * Returns whether the content caused the failure, so that other credentials, services or a later attempt
 * cannot help.
 */
function isContentError(error: unknown): boolean {
  return error instanceof ParseError || error instanceof TooLarge;
}

export function createNoTextError(result: IngestResult): ParseError {
  if (result.pagesNeedingOcr.length === 0) {
    return new ParseError('NO_DATA_FOUND_IN_FILE', 'The file has no text.');
  }
  const reason = result.unreadReason === undefined ? '' : ` (${result.unreadReason})`;
  return new ParseError(
    'NEEDS_OCR',
    `The file has no text layer, and no OCR engine has read its pages${reason}.`,
  );
}

/**
 * Returns the status details that list the pages that could not be read. Returns null if all pages were read.
 */
export function describeUnreadPages({ pagesNeedingOcr, failedPages }: IngestResult) {
  if (pagesNeedingOcr.length + failedPages.length === 0) return null;
  return {
    ...(pagesNeedingOcr.length > 0 && { pages_needing_ocr: pagesNeedingOcr }),
    ...(failedPages.length > 0 && { pages_failed: failedPages }),
  };
}

export function toCounters(result: IngestResult): Record<string, number> {
  const { seconds, pageCount, chunkCount } = result;
  // Milliseconds are rounded only after they are added up, because one item's share may be less than a
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
