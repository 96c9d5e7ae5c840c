import type { PageRange } from '#src/documents/page-selection.ts';
import { iterateStoredPages, type StoredPage } from '#src/documents/page-store.ts';
import { settleEach } from '#src/lib/async/settle-each.ts';
import type { DocumentParser } from '#src/parse/client.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import type { FileRequest, ParseResult } from '#src/parse/service.ts';
import type { ChunkableDocument } from './chunking/chunker.ts';
import { indexTogether } from './index-together.ts';
import { DocumentSuperseded, type IngestJob, type IngestResult } from './job.ts';
import { buildChunkableText } from './join-pages.ts';
import {
  buildEmbeddedText,
  buildResult,
  embedTexts,
  type PreparedDocument,
  prepareDocument,
  splitIntoBatches,
  startStopwatch,
  toIndexedChunks,
} from './prepare.ts';
import { type PageQuota, withinQuota } from './quota.ts';

export { SharedFailure, toSharedFailure } from './index-together.ts';
export { DocumentSuperseded, type IngestJob, type IngestResult } from './job.ts';
export { buildEmbeddedText } from './prepare.ts';
export { type PageQuota, withinQuota } from './quota.ts';

type Settled<Result> = PromiseSettledResult<Result>;

/** Result for one file: its published chunks, or the page ranges that must be parsed first. */
export type FileResult = { missing: PageRange[] } | IngestResult;

/**
 * Indexes files. They are parsed with one call, and their chunks are embedded and written together. Returns
 * one result per file, in order. Rejects with errors that concern all files, such as a lost lease. `quota` is
 * charged once the page counts are known.
 */
export async function ingestFiles(
  entries: readonly { job: IngestJob; request: FileRequest }[],
  parser: Pick<DocumentParser, 'parseFiles'>,
  quota?: PageQuota,
): Promise<Settled<FileResult>[]> {
  const [first] = entries;
  if (!first) return [];
  const { checkpoint } = first.job;
  const clock = startStopwatch();
  const parsed = await parser.parseFiles(
    entries.map(({ request }) => request),
    checkpoint,
  );
  const read = await settleEach(entries, checkpoint, async ({ job, request }, at) => {
    const result = parsed[at]!;
    if (result.status === 'rejected') throw result.reason;
    return readPages(job, request, result.value);
  });
  const parse = clock() / entries.length;
  const readable = entries.flatMap(({ job, request }, at) => {
    const each = read[at]!;
    if (each.status === 'rejected' || 'missing' in each.value) return [];
    const { pages, cached } = each.value;
    return [
      { at, job, document: buildChunkableText(pages, resolveParsePlan(request.parameters)), pages, cached },
    ];
  });
  const indexed = await withinQuota(quota, readable, ({ pages }) => pages.length, indexDocuments);
  const results = [...read] as Settled<FileResult>[];
  for (const [i, { at, pages, cached }] of readable.entries()) {
    const result = indexed[i]!;
    if (result.status === 'rejected') results[at] = result;
    else {
      const facts = {
        pageCount: pages.length,
        pagesNeedingOcr: pages.filter((page) => page.needsOcr).map((page) => page.index),
        unreadReason: findUnreadReason(pages),
        failedPages: pages.filter((page) => page.error !== undefined).map((page) => page.index),
        cachedParse: cached,
        seconds: { ...result.value.seconds, parse },
      };
      results[at] = { status: 'fulfilled', value: { ...result.value, ...facts } };
    }
  }
  return results;
}

async function readPages(
  { bucket }: IngestJob,
  request: FileRequest,
  { parsed, pages, missing, cached }: ParseResult,
): Promise<{ missing: PageRange[] } | { pages: StoredPage[]; cached: boolean }> {
  if (missing.length > 0) return { missing };
  return {
    pages: pages ?? (await Array.fromAsync(iterateStoredPages(bucket, request, parsed.pageCount))),
    cached,
  };
}

/** Returns the reason why the first unread page could not be drawn or read. */
function findUnreadReason(pages: readonly StoredPage[]): string | undefined {
  const unread = pages.find((page) => page.needsOcr);
  return unread?.notDrawn ?? unread?.notRead;
}

/**
 * Chunks, embeds and publishes texts as new versions of documents. Nothing is published for a document
 * without chunks. A document that is outdated by the time it is published is rejected with
 * `DocumentSuperseded`. An error that several documents share is wrapped in `SharedFailure`.
 */
export async function indexDocuments(
  entries: readonly { job: IngestJob; document: ChunkableDocument }[],
): Promise<Settled<IngestResult>[]> {
  const [first] = entries;
  if (!first) return [];
  const { checkpoint, sink } = first.job;
  const most = sink.capabilities.batch;
  const prepared = await settleEach(entries, checkpoint, ({ job, document }) =>
    prepareDocument(job, document),
  );
  const small: PreparedDocument[] = [];
  const large: PreparedDocument[] = [];
  for (const each of prepared) {
    if (each.status === 'rejected' || each.value.chunks.length === 0) continue;
    const [, ...more] = splitIntoBatches(each.value.chunks, most);
    (more.length === 0 ? small : large).push(each.value);
  }
  const done = await indexTogether(small);
  for (const each of large) {
    await checkpoint();
    const [result] = await Promise.allSettled([indexLarge(each)]);
    done.set(each, result);
  }
  await checkpoint();
  return prepared.map((each) => {
    if (each.status === 'rejected') return each;
    return (
      done.get(each.value) ?? { status: 'fulfilled', value: buildResult(each.value, { embed: 0, write: 0 }) }
    );
  });
}

/**
 * Stages a document with more chunks than one call allows in several calls, and publishes it with the last
 * call.
 */
async function indexLarge(prepared: PreparedDocument): Promise<IngestResult> {
  const { job, chunks, indexed } = prepared;
  const { sink } = job;
  const clock = startStopwatch();
  const seconds = { embed: 0, write: 0 };
  let from = 0;
  for (const batch of splitIntoBatches(chunks, sink.capabilities.batch)) {
    await job.checkpoint();
    clock();
    const embedded = await embedTexts(
      job,
      batch.map((chunk) => buildEmbeddedText(job, chunk)),
    );
    seconds.embed += clock();
    if (from === 0) await sink.ensure(embedded[0]!.vector.length);
    const ready = await toIndexedChunks(prepared, batch, embedded, from);
    const isLast = from + batch.length === chunks.length;
    if (!isLast) await sink.stage(indexed, ready);
    else {
      await job.checkpoint();
      const isSeen = await sink.publish(indexed, ready, chunks.length);
      if (!isSeen) throw new DocumentSuperseded(job.documentId);
    }
    seconds.write += clock();
    from += batch.length;
  }
  return buildResult(prepared, seconds);
}
