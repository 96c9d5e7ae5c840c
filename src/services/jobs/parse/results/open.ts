import { eq } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { type FileRow, files, type ParseJob } from '#src/db/schema/index.ts';
import { rangesOf } from '#src/documents/page-selection.ts';
import { type ParseKey, readRange, type StoredPage } from '#src/documents/page-store.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { documentConfidence } from './confidence.ts';

/** Result of a completed job. Its pages are read from the bucket range by range, on each request. */
export interface ParseResult {
  job: ParseJob;
  /** Number of pages of the whole document. */
  pageCount: number;
  parameters: ParseParameters;
  ranges(): AsyncGenerator<StoredPage[]>;
  pages(): AsyncGenerator<StoredPage>;
  /** Returns whether the parameters requested a PDF and the bucket has it. */
  hasPdf(): Promise<boolean>;
  pdf(): AsyncGenerator<Uint8Array>;
}

/** Returns the result, or undefined if the job has not completed. */
export function findResult(ctx: Context, job: ParseJob): ParseResult | undefined {
  const { contentHash, configHash, pageCount, projectId } = job;
  if (job.status !== 'COMPLETED' || !contentHash || !configHash || pageCount === null) return undefined;
  const key: ParseKey = { projectId, contentHash, configHash };
  async function* ranges() {
    for (const { from } of rangesOf(pageCount!)) {
      const pages = await readRange(ctx.bucket, key, from);
      if (pages?.length) yield pages;
    }
  }
  async function* pages() {
    for await (const range of ranges()) yield* range;
  }
  // Secrets stay encrypted, because nothing here needs them.
  const parameters = parseInput(parseParameters, job.configuration, ['configuration']);
  const pdfKey = keys.parsedPdf(projectId, contentHash, configHash);
  const hasPdf = async () =>
    parameters.output_pdf_of_document === true && (await ctx.bucket.head(pdfKey)) !== null;
  async function* pdf() {
    const kept = await ctx.bucket.get(pdfKey);
    if (!kept) throw new NotFound('PDF of parse job', job.id);
    yield* kept.body;
  }
  return { job, pageCount, parameters, ranges, pages, hasPdf, pdf };
}

/** Returns the result. Throws Conflict if there is none yet, and NotFound if its pages have expired. */
export async function requireResult(ctx: Context, job: ParseJob): Promise<ParseResult> {
  const result = findResult(ctx, job);
  if (!result) throw new Conflict(`Parse job ${job.id} has no result (status: ${job.status}).`);
  const first = await result.ranges().next();
  if (first.done) throw new NotFound('Result of parse job', job.id);
  return result;
}

/** Returns metadata of the whole document. */
export async function documentMetadata(ctx: Context, result: ParseResult): Promise<Record<string, unknown>> {
  const { job, parameters } = result;
  const confidence = await documentConfidence(result.pages(), parameters);
  const kept = await ctx.bucket.get(keys.parseSummary(job.projectId, job.contentHash!, job.configHash!));
  const { metadata } = (await kept?.json<{ metadata?: Record<string, unknown> }>()) ?? {};
  return { ...metadata, ...(confidence && { confidence }) };
}

/** Returns the parsed file; undefined if it was deleted or has other bytes now. */
export async function fileOfResult(ctx: Context, { job }: ParseResult): Promise<FileRow | undefined> {
  if (!job.fileId) return undefined;
  const file = await ctx.db.query.files.findFirst({ where: eq(files.id, job.fileId) });
  return file?.contentHash === job.contentHash ? file : undefined;
}
