import { and, eq, sql } from 'drizzle-orm';
import type { Claim, Outcome, WorkItem } from '../../durable-objects/sync-owner.ts';
import type { Context } from '../context.ts';
import {
  dataSources,
  files,
  indexedDocuments,
  pipelineDocuments,
  pipelineFiles,
  pipelines,
} from '../db/schema/index.ts';
import { DomainError, messageOf, TooLarge } from '../errors.ts';
import { keys } from '../files/keys.ts';
import { transformConfig } from '../ingest/chunking/transform-config.ts';
import { type IngestJob, type IngestResult, indexDocument, ingestFile } from '../ingest/index.ts';
import { ParseError } from '../ingest/parsing/errors.ts';
import type { PageRange } from '../ingest/parsing/page-selection.ts';
import { parseParameters } from '../ingest/parsing/parameters.ts';
import { type ParseRequest, parseRange } from '../ingest/parsing/parse-file.ts';
import { SourceError } from '../ingest/sources/source.ts';
import type { Metadata } from '../search/types.ts';
import {
  fittingIndex,
  openSink,
  type Pipeline,
  type PipelineIndex,
  removeFromIndexes,
  removeOutdated,
} from './indexes.ts';
import { documentMetadata, fileMetadata } from './node-metadata.ts';
import { queryEmbedder } from './pipelines/embedding.ts';
import { openParameters } from './pipelines/pipelines.ts';
import { fetchFile, readSourcePage, takeOut } from './source-sync.ts';
import {
  documentContentFingerprint,
  documentMetadataFingerprint,
  embedsTitle,
  fetchFingerprint,
  fileContentFingerprint,
  fileMetadataFingerprint,
  shapeOf,
  unreadFingerprint,
} from './sync-diff.ts';

/** The owner has taken the item back: whatever has been done so far is to be left as it is. */
export class NotWanted extends Error {
  override readonly name = 'NotWanted';
}

type Granted = Extract<Claim, { go: true }>;
type Checkpoint = () => Promise<void>;

/** What an item needs beside itself. */
interface Work {
  ctx: Context;
  pipeline: Pipeline;
  index: PipelineIndex;
  shape: string;
  claim: Granted;
  checkpoint: Checkpoint;
}

const NOTHING: Outcome = { counters: {} };

/**
 * Does one item. Failures that no retry can help are written to the file or document and returned;
 * everything else is thrown, for the owner to try again.
 */
export async function performItem(
  ctx: Context,
  pipelineId: string,
  claim: Granted,
  checkpoint: Checkpoint,
): Promise<Outcome | { parts: WorkItem[] }> {
  const pipeline = await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, pipelineId) });
  if (!pipeline || pipeline.status === 'DELETING') return NOTHING;
  const { item } = claim;
  if (item.kind === 'source') return readSourcePage(ctx, pipeline, item, claim);
  if (item.kind === 'removal') {
    await removeFromIndexes(ctx, pipelineId, [item.documentId]);
    return { counters: { removed: 1 } };
  }
  const index = await fittingIndex(ctx, pipeline);
  // The configuration was changed while the run was on: the run after it makes the index that fits.
  if (!index) return { counters: { superseded: 1 } };
  const work = { ctx, pipeline, index, shape: await shapeOf(pipeline), claim, checkpoint };
  if (item.kind === 'document') return indexTextDocument(work, item.documentId);
  return indexFile(work, item.fileId, item.kind === 'pages' ? item.range : undefined);
}

async function indexFile(
  work: Work,
  fileId: string,
  range: PageRange | undefined,
): Promise<Outcome | { parts: WorkItem[] }> {
  const { ctx, pipeline, index, claim, checkpoint } = work;
  let found = await findFile(work, fileId);
  if (!found) return NOTHING;
  let fetched = 0;
  if (found.file.sourceVersion !== found.file.fetchedVersion && found.source) {
    const ended = await fetchNow(work, found.file, found.source, found.fingerprints.fetch);
    if (ended) return ended;
    fetched = 1;
    await checkpoint();
    found = await findFile(work, fileId);
    if (!found) return NOTHING;
  }
  const { file, membership, fingerprints } = found;
  const { contentHash, storageKey } = file;
  if (!contentHash || !storageKey) return NOTHING;
  const target = and(eq(pipelineFiles.pipelineId, pipeline.id), eq(pipelineFiles.fileId, fileId));
  const request: ParseRequest = {
    projectId: file.projectId,
    contentHash,
    configHash: pipeline.parsingConfigHash,
    run: claim.jobId,
    storageKey,
    name: file.name,
    size: file.fileSize ?? 0,
    parameters: parseParameters.parse(await openParameters(ctx, pipeline)),
    ocr: ctx.ocr,
  };
  try {
    if (range) {
      const start = performance.now();
      await parseRange(ctx.bucket, request, range, checkpoint);
      return { counters: { ranges_parsed: 1, parse_ms: Math.round(performance.now() - start) } };
    }
    const metadata = fileMetadata(pipeline, file, membership, found.source);
    const job = await jobFor(work, fileId, file.name, metadata);
    const known = await indexed(ctx, index, fileId);
    if (known?.contentFingerprint === fingerprints.content) {
      await job.sink.describe({ documentId: fileId, title: file.name, metadata });
      await rememberIndexed(work, fileId, fingerprints, known);
      await ctx.db.update(pipelineFiles).set(succeeded()).where(target);
      return { counters: { described: 1, ...(fetched && { fetched }) } };
    }
    const result = await ingestFile(job, request);
    if ('missing' in result) return { parts: result.missing.map((each) => pagesItem(fileId, each)) };
    if (result.chunkCount === 0) throw nothingFound(result);
    await rememberIndexed(work, fileId, fingerprints, { ...result, version: claim.version });
    await ctx.db
      .update(pipelineFiles)
      .set({
        ...succeeded(),
        indexedPageCount: result.pageCount,
        chunkCount: result.chunkCount,
        statusDetails:
          result.pagesNeedingOcr.length > 0 ? { pages_needing_ocr: result.pagesNeedingOcr } : null,
      })
      .where(target);
    await forgetIfRemoved(work, fileId);
    return { counters: { ...countersOf(result), ...(fetched && { fetched }) } };
  } catch (error) {
    const failure = hopeless(error);
    if (!failure) throw error;
    await removeOutdated(ctx, pipeline.id, fileId, contentHash);
    const needsOcr = error instanceof ParseError && error.reason === 'NEEDS_OCR';
    const inputs = needsOcr ? unreadFingerprint(fingerprints.content, ctx.ocr) : fingerprints.content;
    await ctx.db
      .update(pipelineFiles)
      .set({
        ...failed(work, failure),
        failedFingerprint: isOfContent(error) ? inputs : null,
        chunkCount: 0,
      })
      .where(target);
    return { counters: { failed: 1 }, error: failure };
  }
}

async function indexTextDocument(work: Work, documentId: string): Promise<Outcome> {
  const { ctx, pipeline, index, shape, claim } = work;
  const target = and(
    eq(pipelineDocuments.pipelineId, pipeline.id),
    eq(pipelineDocuments.documentId, documentId),
  );
  const [found] = await ctx.db
    .select({
      document: pipelineDocuments,
      content: documentContentFingerprint(shape),
      metadata: documentMetadataFingerprint,
    })
    .from(pipelineDocuments)
    .where(target);
  if (!found) return NOTHING;
  const { document, ...fingerprints } = found;
  const metadata = documentMetadata(pipeline, document);
  const titleKey = document.metadata.file_name === undefined ? 'title' : 'file_name';
  const title = String(document.metadata[titleKey] ?? '');
  try {
    const job = await jobFor(work, documentId, title, metadata);
    job.embedTitle &&= !document.excludedEmbedMetadataKeys.includes(titleKey);
    const known = await indexed(ctx, index, documentId);
    if (known?.contentFingerprint === fingerprints.content) {
      await job.sink.describe({ documentId, title, metadata });
      await rememberIndexed(work, documentId, fingerprints, known);
      await ctx.db.update(pipelineDocuments).set(succeeded()).where(target);
      return { counters: { described: 1 } };
    }
    const stored = await ctx.bucket.get(
      keys.documentText(pipeline.projectId, pipeline.id, document.contentHash),
    );
    if (!stored) throw new Error(`the text of document ${documentId} is not in the bucket`);
    const text = await stored.text();
    const result = await indexDocument(job, { text, pageStarts: document.pagePositions ?? [], pages: [] });
    if (result.chunkCount === 0) throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The document has no text.');
    await rememberIndexed(work, documentId, fingerprints, { ...result, version: claim.version });
    await ctx.db
      .update(pipelineDocuments)
      .set({ ...succeeded(), chunkCount: result.chunkCount })
      .where(target);
    await forgetIfRemoved(work, documentId);
    return { counters: countersOf(result) };
  } catch (error) {
    const failure = hopeless(error);
    if (!failure) throw error;
    await removeOutdated(ctx, pipeline.id, documentId, document.contentHash);
    const failedFingerprint = isOfContent(error) ? fingerprints.content : null;
    await ctx.db
      .update(pipelineDocuments)
      .set({ ...failed(work, failure), failedFingerprint, chunkCount: 0 })
      .where(target);
    return { counters: { failed: 1 }, error: failure };
  }
}

/** Brings the source's bytes in; an outcome when that is all that can be done for the file. */
async function fetchNow(
  work: Work,
  file: typeof files.$inferSelect,
  source: typeof dataSources.$inferSelect,
  failedFingerprint: string | null,
): Promise<Outcome | undefined> {
  const { ctx, pipeline } = work;
  try {
    if (await fetchFile(ctx, file, source)) return undefined;
    await takeOut(ctx, pipeline.id, [file.id]);
    return { counters: { removed: 1 } };
  } catch (error) {
    const failure = hopeless(error);
    if (!failure) throw error;
    // The old bytes are not what the source holds now, and it does not give the new ones.
    await removeFromIndexes(ctx, pipeline.id, [file.id]);
    failure.step = 'DATA_SOURCE';
    await ctx.db
      .update(pipelineFiles)
      .set({
        ...failed(work, failure),
        failedFingerprint: isOfContent(error) ? failedFingerprint : null,
        chunkCount: 0,
      })
      .where(and(eq(pipelineFiles.pipelineId, pipeline.id), eq(pipelineFiles.fileId, file.id)));
    return { counters: { failed: 1 }, error: failure };
  }
}

async function findFile({ ctx, pipeline, shape }: Work, fileId: string) {
  const [row] = await ctx.db
    .select({
      file: files,
      membership: pipelineFiles,
      source: dataSources,
      content: fileContentFingerprint(shape),
      metadata: fileMetadataFingerprint,
      fetch: fetchFingerprint,
    })
    .from(pipelineFiles)
    .innerJoin(files, eq(files.id, pipelineFiles.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineFiles.dataSourceId))
    .where(and(eq(pipelineFiles.pipelineId, pipeline.id), eq(pipelineFiles.fileId, fileId)));
  if (!row) return undefined;
  const { content, metadata, fetch, ...rest } = row;
  return { ...rest, fingerprints: { content, metadata, fetch } };
}

async function jobFor(work: Work, documentId: string, title: string, metadata: Metadata): Promise<IngestJob> {
  const { ctx, pipeline, index, claim, checkpoint } = work;
  return {
    documentId,
    version: claim.version,
    pipelineId: pipeline.id,
    title,
    metadata,
    transform: transformConfig.parse(pipeline.transformConfig),
    embedTitle: embedsTitle(pipeline),
    embedder: await queryEmbedder(ctx, pipeline, index),
    sink: openSink(ctx, index),
    bucket: ctx.bucket,
    checkpoint,
  };
}

function pagesItem(fileId: string, range: PageRange): WorkItem {
  return { id: `pages:${fileId}:${range.from}`, kind: 'pages', fileId, range };
}

function indexed(ctx: Context, index: PipelineIndex, documentId: string) {
  return ctx.db.query.indexedDocuments.findFirst({
    where: and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, documentId)),
  });
}

async function rememberIndexed(
  { ctx, index }: Work,
  documentId: string,
  fingerprints: { content: string; metadata: string },
  facts: { version: number; chunkCount: number; pageCount: number | null },
): Promise<void> {
  await ctx.db
    .update(indexedDocuments)
    .set({
      contentFingerprint: fingerprints.content,
      metadataFingerprint: fingerprints.metadata,
      version: facts.version,
      chunkCount: facts.chunkCount,
      pageCount: facts.pageCount,
    })
    .where(and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, documentId)));
}

/**
 * The sink's tombstone already kept a document out that was deleted while it was being indexed; what
 * remains is not to leave a row behind that says it were in.
 */
async function forgetIfRemoved({ ctx, pipeline, index }: Work, documentId: string): Promise<void> {
  await ctx.db.delete(indexedDocuments).where(
    and(
      eq(indexedDocuments.indexId, index.id),
      eq(indexedDocuments.documentId, documentId),
      sql`not exists (select 1 from pipeline_files where pipeline_id = ${pipeline.id} and file_id = ${documentId})`,
      sql`not exists (select 1 from pipeline_documents where pipeline_id = ${pipeline.id}
        and document_id = ${documentId})`,
    ),
  );
}

function succeeded() {
  return { status: 'SUCCESS' as const, statusUpdatedAt: new Date(), error: null, failedFingerprint: null };
}

function failed(work: Work, failure: NonNullable<Outcome['error']>) {
  const error = { job_id: work.claim.jobId, ...failure };
  return { status: 'ERROR' as const, statusUpdatedAt: new Date(), error };
}

/** Undefined when another attempt could succeed. */
function hopeless(error: unknown): NonNullable<Outcome['error']> | undefined {
  if (!(error instanceof DomainError) || error.retryable) return undefined;
  return { message: messageOf(error), step: stepOf(error) };
}

/** Where a run went wrong, in the specification's words. */
export function stepOf(error: unknown): NonNullable<Outcome['error']>['step'] {
  if (error instanceof SourceError) return 'DATA_SOURCE';
  return error instanceof ParseError ? 'PARSE' : 'INGESTION';
}

/** The content itself is at fault: no other credentials, service or time make it good. */
function isOfContent(error: unknown): boolean {
  return error instanceof ParseError || error instanceof TooLarge;
}

function nothingFound(result: IngestResult): ParseError {
  return result.pagesNeedingOcr.length > 0
    ? new ParseError('NEEDS_OCR', 'The file has no text layer, and no OCR engine has read its pages.')
    : new ParseError('NO_DATA_FOUND_IN_FILE', 'The file has no text.');
}

function countersOf(result: IngestResult): Record<string, number> {
  const { seconds, pageCount, chunkCount } = result;
  const milliseconds = (value: number) => Math.round(value * 1000);
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
