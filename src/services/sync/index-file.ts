import { eq } from 'drizzle-orm';
import { fileMember, isFileOf } from '#src/db/pipeline-members.ts';
import { dataSources, files, indexedDocuments, pipelineMembers } from '#src/db/schema/index.ts';
import { ingestFile, Overtaken } from '#src/ingest/index.ts';
import { ParseError } from '#src/parsing/errors.ts';
import { type PageRange, rangesOf } from '#src/parsing/page-selection.ts';
import { parseParameters } from '#src/parsing/parameters.ts';

import type { FileRequest } from '#src/parsing/service.ts';

import { fileMetadata, givenFileMetadata } from '#src/services/indexes/node-metadata.ts';
import { removeFromIndexes } from '#src/services/indexes/removal.ts';
import { openParser } from '#src/services/parsing/open-parser.ts';
import { openParameters } from '#src/services/pipelines/configuration.ts';
import type { Outcome, WorkItem } from '#src/work/sync-owner.ts';
import {
  contentFingerprint,
  fetchFingerprint,
  metadataFingerprint,
  unreadFingerprint,
} from './difference.ts';
import { partsOf } from './file-parts.ts';
import { countersOf, failed, NOTHING, nothingFound, permanentFailure } from './item-result.ts';
import { forgetIfRemoved, recordFailure, recordIndexed, redescribe, type Subject } from './record.ts';
import { parseAhead, reporting } from './reporting.ts';
import { fetchFile, removeSourceFiles } from './sources.ts';
import { isEntryOf, isIndexed, jobFor, type Work } from './work.ts';

/** A part that takes longer leaves its last ranges to others. */
const PART_MS = 60_000;

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

/** Parses a part of a large file; what is wrong with the file is said by the file's own item. */
export async function parsePages(work: Work, fileId: string, range: PageRange): Promise<Outcome> {
  const found = await findFile(work, fileId);
  const request = found && (await requestFor(work, found));
  if (!request) return NOTHING;
  const start = performance.now();
  try {
    let left = rangesOf(range.to, range.from);
    const ranges = left.length;
    const { parser } = await openParser(work.ctx, request.projectId, request.parameters, request.name);
    await reporting(work, fileId, request, async () => {
      // What is left after that is found missing by the file's own item, which makes new parts of it.
      do left = await parser.parseRanges(request, left, work.checkpoint);
      while (left.length > 0 && performance.now() - start < PART_MS);
      return undefined;
    });
    const counters = { ranges_parsed: ranges - left.length, parse_ms: Math.round(performance.now() - start) };
    return { counters };
  } catch (error) {
    return failFile(work, found, error);
  }
}

async function indexFound(work: Work, found: Found): Promise<Outcome | { parts: WorkItem[] }> {
  const { pipeline } = work;
  const { file, member, source, known, fingerprints } = found;
  const request = await requestFor(work, found);
  if (!request) return NOTHING;
  const subject = subjectOf(work, found);
  try {
    const job = await jobFor(work, {
      documentId: file.id,
      title: file.name,
      titleKey: 'file_name',
      outlivesTitle: true,
      metadata: fileMetadata(pipeline, file, member, source),
      given: givenFileMetadata(member, source),
      excludedKeys: [],
    });
    if (isIndexed(known, fingerprints, job)) return await redescribe(subject, job, known);
    const { parser } = await openParser(work.ctx, request.projectId, request.parameters, request.name);
    const ahead = await parseAhead(work, file.id, request, parser);
    const result = await ingestFile(job, request, parser);
    if ('missing' in result)
      return { parts: partsOf(result.missing).map((part) => pagesItem(file.id, part)) };
    const { pageCount, pagesNeedingOcr } = result;
    if (result.chunkCount === 0) throw nothingFound(result);
    const statusDetails = pagesNeedingOcr.length > 0 ? { pages_needing_ocr: pagesNeedingOcr } : null;
    await recordIndexed(subject, job, result, { indexedPageCount: pageCount, statusDetails });
    return { counters: { ...countersOf(result), ...ahead, bytes: request.size } };
  } catch (error) {
    if (error instanceof Overtaken) await forgetIfRemoved(subject);
    return failFile(work, found, error);
  }
}

/** Writes down what no other attempt helps; throws everything else again. */
async function failFile(work: Work, found: Found, error: unknown): Promise<Outcome> {
  const failure = permanentFailure(error);
  if (!failure) throw error;
  const { file, fingerprints } = found;
  const needsOcr = error instanceof ParseError && error.reason === 'NEEDS_OCR';
  const inputs = needsOcr
    ? unreadFingerprint(fingerprints.content, await work.ctx.parser.ocrId())
    : fingerprints.content;
  const contentHash = file.contentHash ?? '';
  return recordFailure(subjectOf(work, found), { error, failure, inputs, contentHash });
}

/** Brings the source's bytes in; an outcome when that is all that can be done for the file. */
async function fetchNow(work: Work, { file, source, fingerprints }: Found): Promise<Outcome | undefined> {
  const { ctx, pipeline, claim } = work;
  try {
    const run = { pipelineId: pipeline.id, jobId: claim.jobId };
    if (await fetchFile(ctx, run, file, source!)) return undefined;
    await removeSourceFiles(ctx, pipeline.id, [file.id]);
    return { counters: { removed: 1 } };
  } catch (error) {
    const failure = permanentFailure(error);
    if (!failure) throw error;
    // The old bytes are not what the source holds now, and it does not give the new ones.
    await removeFromIndexes(ctx, pipeline.id, [file.id]);
    failure.step = 'DATA_SOURCE';
    await ctx.db
      .update(pipelineMembers)
      .set(failed(claim.jobId, error, failure, fingerprints.fetch))
      .where(isFileOf(pipeline.id, file.id));
    return { counters: { failed: 1 }, error: failure };
  }
}

/** Undefined when the file has no bytes (yet). */
async function requestFor({ ctx, pipeline, claim }: Work, { file }: Found): Promise<FileRequest | undefined> {
  const { contentHash, storageKey } = file;
  if (!contentHash || !storageKey) return undefined;
  return {
    projectId: file.projectId,
    contentHash,
    configHash: pipeline.parsingConfigHash,
    run: claim.jobId,
    begun: Date.now(),
    storageKey,
    name: file.name,
    size: file.fileSize ?? 0,
    parameters: parseParameters.parse(await openParameters(ctx, pipeline)),
  };
}

async function findFile({ ctx, pipeline, index, shape }: Work, fileId: string) {
  const [row] = await ctx.db
    .select({
      file: files,
      member: fileMember,
      source: dataSources,
      known: indexedDocuments,
      content: contentFingerprint(shape),
      metadata: metadataFingerprint(shape),
      fetch: fetchFingerprint,
    })
    .from(pipelineMembers)
    .innerJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .leftJoin(indexedDocuments, isEntryOf(index, fileId))
    .where(isFileOf(pipeline.id, fileId));
  if (!row) return undefined;
  const { content, metadata, fetch, ...rest } = row;
  return { ...rest, fingerprints: { content, metadata, fetch } };
}

const subjectOf = (work: Work, { file, fingerprints }: Found): Subject => ({
  work,
  documentId: file.id,
  isMember: isFileOf(work.pipeline.id, file.id),
  fingerprints,
});

function pagesItem(fileId: string, range: PageRange): WorkItem {
  return { id: `pages:${fileId}:${range.from}`, kind: 'pages', fileId, range };
}
