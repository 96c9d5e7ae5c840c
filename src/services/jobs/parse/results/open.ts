import { eq } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { type FileRow, files, type ParseJob } from '#src/db/schema/index.ts';
import { splitIntoRanges } from '#src/documents/page-selection.ts';
import { type ParseKey, readRange, readSummary, type StoredPage } from '#src/documents/page-store.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { computeDocumentConfidence } from './confidence.ts';

/** Result of a completed parse job. Each call reads the pages from the bucket, one range at a time. */
export interface ParseResult {
  job: ParseJob;
  /** Number of pages of the whole document, including pages that were not parsed. */
  pageCount: number;
  parameters: ParseParameters;
  ranges(): AsyncGenerator<StoredPage[]>;
  pages(): AsyncGenerator<StoredPage>;
  /** Returns whether the parameters requested a PDF and it is stored. */
  hasPdf(): Promise<boolean>;
  pdf(): AsyncGenerator<Uint8Array>;
}

/** Returns the key of the stored parse of a completed job. */
export const getJobParseKey = ({ projectId, contentHash, configHash }: ParseJob): ParseKey => ({
  projectId,
  contentHash: contentHash!,
  configHash: configHash!,
});

/** Returns the result of a job. Returns `undefined` if the job has not completed. */
export function findResult(ctx: Context, job: ParseJob): ParseResult | undefined {
  const { contentHash, configHash, pageCount, projectId } = job;
  if (job.status !== 'COMPLETED' || !contentHash || !configHash || pageCount === null) return undefined;
  const key: ParseKey = { projectId, contentHash, configHash };
  async function* ranges() {
    for (const { from } of splitIntoRanges(pageCount!)) {
      const pages = await readRange(ctx.bucket, key, from);
      if (pages?.length) yield pages;
    }
  }
  async function* pages() {
    for await (const range of ranges()) yield* range;
  }
  // Secrets in the parameters stay encrypted, because results do not need them.
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

/**
 * Returns the result of a job. Throws Conflict if the job has not completed, and NotFound if its pages were
 * deleted.
 */
export async function requireResult(ctx: Context, job: ParseJob): Promise<ParseResult> {
  const result = findResult(ctx, job);
  if (!result) throw new Conflict(`Parse job ${job.id} has no result (status: ${job.status}).`);
  const first = await result.ranges().next();
  if (first.done) throw new NotFound('Result of parse job', job.id);
  return result;
}

export async function readDocumentMetadata(
  ctx: Context,
  result: ParseResult,
): Promise<Record<string, unknown>> {
  const { job, parameters } = result;
  const confidence = await computeDocumentConfidence(result.pages(), parameters);
  const summary = await readSummary(ctx.bucket, getJobParseKey(job));
  return { ...summary?.metadata, ...(confidence && { confidence }) };
}

/** Returns the parsed file. Returns `undefined` if the file was deleted or has other content now. */
export async function findResultFile(ctx: Context, { job }: ParseResult): Promise<FileRow | undefined> {
  if (!job.fileId) return undefined;
  const file = await ctx.db.query.files.findFirst({ where: eq(files.id, job.fileId) });
  return file?.contentHash === job.contentHash ? file : undefined;
}
