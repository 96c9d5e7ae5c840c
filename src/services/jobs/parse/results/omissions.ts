import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { OmissionKind } from '#src/documents/document.ts';
import type { ParsedFile } from '#src/documents/page-store.ts';
import { pageFailure } from '#src/documents/page-store.ts';
import type { ParseResult } from './open.ts';

/** A part of the file that is missing from the result. */
export interface ResultOmission {
  kind: OmissionKind;
  /** Page number, or null if the part belongs to no single page. */
  page_number: number | null;
  message: string;
}

/** Lists what is missing from a result: parts of the whole file first, then pages and parts of pages in their order. */
export async function* listOmissions(
  ctx: Context,
  { job, pages }: ParseResult,
): AsyncGenerator<ResultOmission> {
  const kept = await ctx.bucket.get(keys.parseSummary(job.projectId, job.contentHash!, job.configHash!));
  const summary = await kept?.json<Partial<ParsedFile>>();
  for (const { kind, message } of summary?.metadata?.omissions ?? [])
    yield { kind, page_number: null, message };
  for await (const page of pages()) {
    const page_number = page.index + 1;
    const failure = pageFailure(page);
    if (failure !== undefined) yield { kind: 'unread_page', page_number, message: failure };
    for (const { kind, message } of page.omissions ?? []) yield { kind, page_number, message };
  }
}
