import { and, eq, sql } from 'drizzle-orm';
import { isInList } from '#src/db/is-in-list.ts';
import { fileMemberColumns, whereFile, whereFiles } from '#src/db/pipeline-members.ts';
import { dataSources, files, indexedDocuments, pipelineMembers } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import { type PageRange, splitIntoRanges } from '#src/documents/page-selection.ts';
import { type FileResult, type IngestJob, ingestFiles } from '#src/ingest/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { settleEach } from '#src/lib/async/settle-each.ts';
import type { FileRequest } from '#src/parse/service.ts';
import { buildFileMetadata, getClientFileMetadata } from '#src/services/indexes/node-metadata.ts';
import { removeFromIndexes } from '#src/services/indexes/removal.ts';
import { findExhaustedQuotaError, selectExhaustedQuota } from '#src/services/limits/storage.ts';
import type { Outcome, WorkItem } from '#src/work/sync-owner.ts';
import {
  buildContentFingerprint,
  buildMetadataFingerprint,
  buildUnreadFingerprint,
  fetchFingerprint,
} from './difference.ts';
import { groupIntoParts } from './file-parts.ts';
import { indexMembers, type Member, type Result } from './index-members.ts';
import {
  buildFailedColumns,
  createNoTextError,
  describeUnreadPages,
  NO_OUTCOME,
  permanentFailure,
  toCounters,
} from './item-result.ts';
import { recordFailure, type Subject } from './record.ts';
import { parseAhead, reportParse } from './reporting.ts';
import { fetchFile, removeSourceFiles } from './sources.ts';
import { type Work, whereIndexEntry } from './work.ts';

/**
 * Time in milliseconds after which a sync item parses no further page ranges and leaves the rest to new
 * items.
 */
const PART_MS = 60_000;

type Found = Awaited<ReturnType<typeof findFiles>>[number];

/** Indexes files. Each file is downloaded, parsed, split into chunks and embedded as far as necessary. */
export async function indexFiles(work: Work, fileIds: string[]): Promise<Map<string, Result>> {
  const results = new Map<string, Result>(
    fileIds.map((id) => [id, { status: 'fulfilled', value: NO_OUTCOME }]),
  );
  const found = await findFiles(work, fileIds);
  const fetched = new Set<string>();
  await inParallel(found.filter(needsDownload), async (each) => {
    const [ended] = await Promise.allSettled([fetchNow(work, each)]);
    const { id } = each.file;
    if (ended.status === 'rejected') results.set(id, ended);
    else if (ended.value) results.set(id, { status: 'fulfilled', value: ended.value });
    else fetched.add(id);
  });
  await work.checkpoint();
  const ready = [
    ...found.filter((each) => !needsDownload(each)),
    ...(fetched.size > 0 ? await findFiles(work, [...fetched]) : []),
  ];
  for (const [{ file }, result] of await indexFound(work, ready)) {
    const isNew = fetched.has(file.id) && result.status === 'fulfilled' && 'counters' in result.value;
    if (isNew)
      results.set(file.id, { ...result, value: withCounters(result.value as Outcome, { fetched: 1 }) });
    else results.set(file.id, result);
  }
  return results;
}

const withCounters = (outcome: Outcome, counters: Outcome['counters']): Outcome => ({
  ...outcome,
  counters: { ...outcome.counters, ...counters },
});

const needsDownload = ({ file, source }: Found) =>
  source !== null && file.sourceVersion !== file.fetchedVersion;

/**
 * Parses a part of a large file. Errors in the file's content are not reported here, but by the item that
 * indexes the file.
 */
export async function parsePages(work: Work, fileId: string, range: PageRange): Promise<Outcome> {
  const [found] = await findFiles(work, [fileId]);
  const request = found && (await buildRequest(work, found));
  if (!request) return NO_OUTCOME;
  const start = performance.now();
  try {
    work.quota?.require();
    let left = splitIntoRanges(range.to, range.from);
    const ranges = left.length;
    const { parser } = await work.openParsing(request.projectId);
    await reportParse(work, fileId, request, async () => {
      // Page ranges that are left after the time limit are parsed later. The item that indexes the file
      // creates new items for them.
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

interface FileMember extends Member {
  found: Found;
  request: FileRequest;
  ahead: Outcome['counters'];
}

async function indexFound(work: Work, found: Found[]): Promise<Map<Found, Result>> {
  const results = new Map<Found, Result>();
  const members: FileMember[] = [];
  for (const each of found) {
    const [request] = await Promise.allSettled([buildRequest(work, each)]);
    if (request.status === 'rejected') {
      results.set(each, (await Promise.allSettled([failFile(work, each, request.reason)]))[0]);
    } else if (request.value) members.push(toMember(work, each, request.value));
  }
  const indexed = await indexMembers(work, members, {
    ingest: (entries) => ingest(work, entries),
    success({ request, ahead }, result) {
      if (result.chunkCount === 0) throw createNoTextError(result);
      const statusDetails = describeUnreadPages(result);
      const counters = { ...toCounters(result), ...ahead, bytes: request.size };
      return { counters, facts: { indexedPageCount: result.pageCount, statusDetails } };
    },
    parts: ({ found: { file } }, missing) => groupIntoParts(missing).map((part) => pagesItem(file.id, part)),
    fail: (member, error) => failFile(work, member.found, error),
  });
  for (const [member, result] of indexed) results.set(member.found, result);
  return results;
}

/**
 * If the pipeline has webhook endpoints, parses files one by one and reports each parse. Then indexes all
 * files together.
 */
async function ingest(
  work: Work,
  entries: readonly { member: FileMember; job: IngestJob }[],
): Promise<PromiseSettledResult<FileResult>[]> {
  const [first] = entries;
  if (!first) return [];
  const { projectId } = first.member.request;
  const { parser } = await work.openParsing(projectId);
  const ahead = await settleEach(entries, work.checkpoint, async ({ member }) => {
    work.quota?.require();
    member.ahead = await parseAhead(work, member.found.file.id, member.request, parser);
  });
  const parsed = entries.filter((_, at) => ahead[at]!.status === 'fulfilled');
  const results = await ingestFiles(
    parsed.map(({ member: { request }, job }) => ({ request, job })),
    parser,
    work.quota,
  );
  return ahead.map((each) => (each.status === 'rejected' ? each : results.shift()!));
}

function toMember(work: Work, found: Found, request: FileRequest): FileMember {
  const { file, member, source, known } = found;
  const described = {
    documentId: file.id,
    title: file.name,
    titleKey: 'file_name',
    survivesRename: true,
    metadata: buildFileMetadata(work.pipeline, file, member, source),
    clientMetadata: getClientFileMetadata(member, source),
    excludedKeys: [],
  };
  return { subject: toSubject(work, found), described, known, found, request, ahead: {} };
}

async function failFile(work: Work, found: Found, error: unknown): Promise<Outcome> {
  const failure = permanentFailure(error);
  if (!failure) throw error;
  const { file, fingerprints } = found;
  const needsOcr = error instanceof ParseError && error.reason === 'NEEDS_OCR';
  const inputs = needsOcr
    ? buildUnreadFingerprint(fingerprints.content, await work.ctx.parser.ocrId())
    : fingerprints.content;
  const contentHash = file.contentHash ?? '';
  return recordFailure(work, toSubject(work, found), { error, failure, inputs, contentHash });
}

/**
 * Downloads a file from its data source. Returns an outcome if the file was removed or the download failed,
 * and otherwise `undefined`.
 */
async function fetchNow(
  work: Work,
  { file, source, full, fingerprints }: Found,
): Promise<Outcome | undefined> {
  const { ctx, pipeline, claim } = work;
  try {
    // If the project's storage limit is reached, no new file is downloaded. A file with stored content is,
    // because new bytes replace the old ones.
    const refusal =
      full && file.storageKey === null && (await findExhaustedQuotaError(ctx, pipeline.projectId, full));
    if (refusal) throw refusal;
    const run = { pipelineId: pipeline.id, jobId: claim.jobId };
    if (await fetchFile(ctx, run, file, source!)) return undefined;
    await removeSourceFiles(ctx, pipeline.id, [file.id]);
    return { counters: { removed: 1 } };
  } catch (error) {
    const failure = permanentFailure(error);
    if (!failure) throw error;
    // The old version is removed from the index, because queries must not find outdated content.
    await removeFromIndexes(ctx, pipeline.id, [file.id]);
    failure.step = 'DATA_SOURCE';
    await ctx.db
      .update(pipelineMembers)
      .set(buildFailedColumns(claim.jobId, error, failure, fingerprints.fetch))
      .where(whereFile(pipeline.id, file.id));
    return { counters: { failed: 1 }, error: failure };
  }
}

/** Returns the request for parsing a file. Returns `undefined` while the file has no content. */
async function buildRequest(
  { pipeline, claim, openParsing: parsing }: Work,
  { file }: Found,
): Promise<FileRequest | undefined> {
  const { contentHash, storageKey } = file;
  if (!contentHash || !storageKey) return undefined;
  const { parameters } = await parsing(file.projectId);
  return {
    projectId: file.projectId,
    contentHash,
    configHash: pipeline.parsingConfigHash,
    run: claim.jobId,
    begun: Date.now(),
    storageKey,
    name: file.name,
    size: file.fileSize ?? 0,
    parameters,
  };
}

/** Returns the given files that still exist, with their index entries and fingerprints. */
async function findFiles({ ctx, pipeline, index, shape }: Work, fileIds: string[]) {
  const rows = await ctx.db
    .select({
      file: files,
      member: fileMemberColumns,
      source: dataSources,
      known: indexedDocuments,
      content: buildContentFingerprint(shape),
      metadata: buildMetadataFingerprint(shape),
      fetch: fetchFingerprint,
      full: selectExhaustedQuota(ctx, sql`${pipeline.projectId}`),
    })
    .from(pipelineMembers)
    .innerJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .leftJoin(indexedDocuments, whereIndexEntry(index, pipelineMembers.documentId))
    .where(and(whereFiles(pipeline.id), isInList(pipelineMembers.documentId, fileIds)));
  return rows.map(({ content, metadata, fetch, ...rest }) => ({
    ...rest,
    fingerprints: { content, metadata, fetch },
  }));
}

const toSubject = (work: Work, { file, fingerprints }: Found): Subject => ({
  documentId: file.id,
  kind: 'file',
  isMember: whereFile(work.pipeline.id, file.id),
  fingerprints,
});

function pagesItem(fileId: string, range: PageRange): WorkItem {
  return { id: `pages:${fileId}:${range.from}`, kind: 'pages', fileId, range };
}
