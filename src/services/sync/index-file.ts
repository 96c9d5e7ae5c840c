import { and, eq } from 'drizzle-orm';
import { dataSources, files, indexedDocuments, pipelineFiles } from '#src/db/schema/index.ts';
import { ingestFile, Overtaken } from '#src/ingest/index.ts';
import { ParseError } from '#src/parsing/errors.ts';
import type { PageRange } from '#src/parsing/page-selection.ts';
import { parseParameters } from '#src/parsing/parameters.ts';
import { type ParseRequest, parseRange } from '#src/parsing/parse-file.ts';
import { removeFromIndexes, removeOutdated } from '#src/services/indexes/indexes.ts';
import { fileMetadata } from '#src/services/indexes/node-metadata.ts';
import { openParameters } from '#src/services/pipelines/configuration.ts';
import type { Outcome, WorkItem } from '#src/work/sync-owner.ts';
import {
  fetchFingerprint,
  fileContentFingerprint,
  fileMetadataFingerprint,
  unreadFingerprint,
} from './difference.ts';
import { countersOf, failed, NOTHING, nothingFound, permanentFailure, succeeded } from './item-result.ts';
import { parseAhead, reporting } from './reporting.ts';
import { fetchFile, takeOut } from './sources.ts';
import { forgetIfRemoved, isEntryOf, jobFor, leaveIfRemoved, rememberIndexed, type Work } from './work.ts';

type Found = NonNullable<Awaited<ReturnType<typeof findFile>>>;

/** Brings a file into the index: fetched from its source, parsed, chunked, embedded, as far as that is new. */
export async function indexFile(work: Work, fileId: string): Promise<Outcome | { parts: WorkItem[] }> {
  let found = await findFile(work, fileId);
  if (!found) return NOTHING;
  if (!isToBeFetched(found)) return indexFound(work, found);
  const ended = await fetchNow(work, found);
  if (ended) return ended;
  await work.checkpoint();
  found = await findFile(work, fileId);
  if (!found) return NOTHING;
  const result = await indexFound(work, found);
  return 'parts' in result ? result : { ...result, counters: { ...result.counters, fetched: 1 } };
}

const isToBeFetched = ({ file, source }: Found) =>
  source !== null && file.sourceVersion !== file.fetchedVersion;

/** Parses one range of a large file; what is wrong with the file is said by the file's own item. */
export async function parsePages(work: Work, fileId: string, range: PageRange): Promise<Outcome> {
  const found = await findFile(work, fileId);
  const request = found && (await requestFor(work, found));
  if (!request) return NOTHING;
  const start = performance.now();
  try {
    await reporting(work, fileId, request, async () => {
      await parseRange(work.ctx.bucket, request, range, work.checkpoint);
      return undefined;
    });
  } catch (error) {
    return failFile(work, found, error);
  }
  return { counters: { ranges_parsed: 1, parse_ms: Math.round(performance.now() - start) } };
}

async function indexFound(work: Work, found: Found): Promise<Outcome | { parts: WorkItem[] }> {
  const { ctx, pipeline, claim } = work;
  const { file, membership, source, known, fingerprints } = found;
  const request = await requestFor(work, found);
  if (!request) return NOTHING;
  const target = membershipOf(work, file.id);
  try {
    const metadata = fileMetadata(pipeline, file, membership, source);
    const job = await jobFor(work, file.id, file.name, metadata);
    if (known?.contentFingerprint === fingerprints.content) {
      await job.sink.describe({ documentId: file.id, title: file.name, metadata });
      await ctx.db.batch([
        rememberIndexed(work, file.id, fingerprints, known),
        ctx.db.update(pipelineFiles).set(succeeded()).where(target),
      ]);
      return { counters: { described: 1 } };
    }
    const ahead = await parseAhead(work, file.id, request);
    const result = await ingestFile(job, request);
    if ('missing' in result) return { parts: result.missing.map((range) => pagesItem(file.id, range)) };
    const { chunkCount, pageCount, pagesNeedingOcr } = result;
    if (chunkCount === 0) throw nothingFound(result);
    const statusDetails = pagesNeedingOcr.length > 0 ? { pages_needing_ocr: pagesNeedingOcr } : null;
    const [, , forgotten] = await ctx.db.batch([
      rememberIndexed(work, file.id, fingerprints, { ...result, version: claim.version }),
      ctx.db
        .update(pipelineFiles)
        .set({ ...succeeded(), indexedPageCount: pageCount, chunkCount, statusDetails })
        .where(target),
      forgetIfRemoved(work, file.id),
    ]);
    // Its shard may have been opened after the removal had listed the shards.
    if (forgotten.meta.changes > 0) await job.sink.remove([file.id], claim.version);
    return { counters: { ...countersOf(result), ...ahead, bytes: request.size } };
  } catch (error) {
    if (error instanceof Overtaken) await leaveIfRemoved(work, file.id);
    return failFile(work, found, error);
  }
}

/** Writes down what no other attempt helps; throws everything else again. */
async function failFile(work: Work, { file, fingerprints }: Found, error: unknown): Promise<Outcome> {
  const failure = permanentFailure(error);
  if (!failure) throw error;
  const { ctx, pipeline, claim } = work;
  await removeOutdated(ctx, pipeline.id, file.id, file.contentHash ?? '');
  const needsOcr = error instanceof ParseError && error.reason === 'NEEDS_OCR';
  const inputs = needsOcr ? unreadFingerprint(fingerprints.content, ctx.ocr) : fingerprints.content;
  await ctx.db
    .update(pipelineFiles)
    .set(failed(claim.jobId, error, failure, inputs))
    .where(membershipOf(work, file.id));
  return { counters: { failed: 1 }, error: failure };
}

/** Brings the source's bytes in; an outcome when that is all that can be done for the file. */
async function fetchNow(work: Work, { file, source, fingerprints }: Found): Promise<Outcome | undefined> {
  const { ctx, pipeline, claim } = work;
  try {
    if (await fetchFile(ctx, file, source!)) return undefined;
    await takeOut(ctx, pipeline.id, [file.id]);
    return { counters: { removed: 1 } };
  } catch (error) {
    const failure = permanentFailure(error);
    if (!failure) throw error;
    // The old bytes are not what the source holds now, and it does not give the new ones.
    await removeFromIndexes(ctx, pipeline.id, [file.id]);
    failure.step = 'DATA_SOURCE';
    await ctx.db
      .update(pipelineFiles)
      .set(failed(claim.jobId, error, failure, fingerprints.fetch))
      .where(membershipOf(work, file.id));
    return { counters: { failed: 1 }, error: failure };
  }
}

/** Undefined when the file has no bytes (yet). */
async function requestFor(
  { ctx, pipeline, claim }: Work,
  { file }: Found,
): Promise<ParseRequest | undefined> {
  const { contentHash, storageKey } = file;
  if (!contentHash || !storageKey) return undefined;
  return {
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
}

async function findFile({ ctx, pipeline, index, shape }: Work, fileId: string) {
  const [row] = await ctx.db
    .select({
      file: files,
      membership: pipelineFiles,
      source: dataSources,
      known: indexedDocuments,
      content: fileContentFingerprint(shape),
      metadata: fileMetadataFingerprint,
      fetch: fetchFingerprint,
    })
    .from(pipelineFiles)
    .innerJoin(files, eq(files.id, pipelineFiles.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineFiles.dataSourceId))
    .leftJoin(indexedDocuments, isEntryOf(index, fileId))
    .where(and(eq(pipelineFiles.pipelineId, pipeline.id), eq(pipelineFiles.fileId, fileId)));
  if (!row) return undefined;
  const { content, metadata, fetch, ...rest } = row;
  return { ...rest, fingerprints: { content, metadata, fetch } };
}

const membershipOf = ({ pipeline }: Work, fileId: string) =>
  and(eq(pipelineFiles.pipelineId, pipeline.id), eq(pipelineFiles.fileId, fileId));

function pagesItem(fileId: string, range: PageRange): WorkItem {
  return { id: `pages:${fileId}:${range.from}`, kind: 'pages', fileId, range };
}
