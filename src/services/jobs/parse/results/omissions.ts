import type { Context } from '#src/context/context.ts';
import type { OmissionKind } from '#src/documents/document.ts';
import { getPageFailure, readSummary } from '#src/documents/page-store.ts';
import { getJobParseKey, type ParseResult } from './open.ts';

/** Content of the file that is missing from the parse result. */
export interface ResultOmission {
  kind: OmissionKind;
  /** Number of the page whose content is missing. Null if the content does not belong to a single page. */
  page_number: number | null;
  message: string;
}

/**
 * Yields the missing parts of a result. Parts of the whole file come first, followed by pages and parts of
 * pages in page order.
 */
export async function* listOmissions(
  ctx: Context,
  { job, pages }: ParseResult,
): AsyncGenerator<ResultOmission> {
  const summary = await readSummary(ctx.bucket, getJobParseKey(job));
  for (const { kind, message } of summary?.metadata?.omissions ?? [])
    yield { kind, page_number: null, message };
  for await (const page of pages()) {
    const page_number = page.index + 1;
    const failure = getPageFailure(page);
    if (failure !== undefined) yield { kind: 'unread_page', page_number, message: failure };
    for (const { kind, message } of page.omissions ?? []) yield { kind, page_number, message };
  }
}
