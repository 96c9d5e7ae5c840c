import { and, eq, sql } from 'drizzle-orm';
import { isOneOf } from '#src/db/is-one-of.ts';
import { fileMember, filesOf, isFileOf } from '#src/db/pipeline-members.ts';
import { dataSources, files, indexedDocuments, pipelineMembers } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import { type PageRange, rangesOf } from '#src/documents/page-selection.ts';
import { type FileResult, type IngestJob, ingestFiles } from '#src/ingest/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { settleEach } from '#src/lib/async/settle-each.ts';
import type { FileRequest } from '#src/parse/service.ts';
import { fileMetadata, givenFileMetadata } from '#src/services/indexes/node-metadata.ts';
import { removeFromIndexes } from '#src/services/indexes/removal.ts';
import { fullOf, whyFull } from '#src/services/limits/storage.ts';
import type { Outcome, WorkItem } from '#src/work/sync-owner.ts';
import {
  contentFingerprint,
  fetchFingerprint,
  metadataFingerprint,
  unreadFingerprint,
} from './difference.ts';
import { partsOf } from './file-parts.ts';
import { indexMembers, type Member, type Result } from './index-members.ts';
import {
  countersOf,
  describeUnreadPages,
  failed,
  NOTHING,
  nothingFound,
  permanentFailure,
} from './item-result.ts';
import { recordFailure, type Subject } from './record.ts';
import { parseAhead, reporting } from './reporting.ts';
import { fetchFile, removeSourceFiles } from './sources.ts';
import { isEntryOf, type Work } from './work.ts';

/** Milliseconds after which a part parses no further ranges and leaves them to new parts. */
const PART_MS = 60_000;

type Found = Awaited<ReturnType<typeof findFiles>>[number];

/** Indexes files: downloads, parses, chunks and embeds them, as far as necessary. */
export async function indexFiles(work: Work, fileIds: string[]): Promise<Map<string, Result>> {
  const results = new Map<string, Result>(fileIds.map((id) => [id, { status: 'fulfilled', value: NOTHING }]));
  const found = await findFiles(work, fileIds);
  const fetched = new Set<string>();
  await inParallel(found.filter(isToBeFetched), async (each) => {
    const [ended] = await Promise.allSettled([fetchNow(work, each)]);
    const { id } = each.file;
    if (ended.status === 'rejected') results.set(id, ended);
    else if (ended.value) results.set(id, { status: 'fulfilled', value: ended.value });
    else fetched.add(id);
  });
  await work.checkpoint();
  const ready = [
    ...found.filter((each) => !isToBeFetched(each)),
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

const isToBeFetched = ({ file, source }: Found) =>
  source !== null && file.sourceVersion !== file.fetchedVersion;

/** Parses a part of a large file. Errors of the file are reported by the item of the file itself. */
export async function parsePages(work: Work, fileId: string, range: PageRange): Promise<Outcome> {
  const [found] = await findFiles(work, [fileId]);
  const request = found && (await requestFor(work, found));
  if (!request) return NOTHING;
  const start = performance.now();
  try {
    work.quota?.require();
    let left = rangesOf(range.to, range.from);
    const ranges = left.length;
    const { parser } = await work.parsing(request.projectId);
    await reporting(work, fileId, request, async () => {
      // The item of the file finds the ranges that are still missing and makes new parts of them.
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
  /** Counters of a parse that was done before the other steps. */
  ahead: Outcome['counters'];
}

async function indexFound(work: Work, found: Found[]): Promise<Map<Found, Result>> {
  const results = new Map<Found, Result>();
  const members: FileMember[] = [];
  for (const each of found) {
    const [request] = await Promise.allSettled([requestFor(work, each)]);
    if (request.status === 'rejected') {
      results.set(each, (await Promise.allSettled([failFile(work, each, request.reason)]))[0]);
    } else if (request.value) members.push(memberOf(work, each, request.value));
  }
  const indexed = await indexMembers(work, members, {
    ingest: (entries) => ingest(work, entries),
    success({ request, ahead }, result) {
      if (result.chunkCount === 0) throw nothingFound(result);
      const statusDetails = describeUnreadPages(result);
      const counters = { ...countersOf(result), ...ahead, bytes: request.size };
      return { counters, facts: { indexedPageCount: result.pageCount, statusDetails } };
    },
    parts: ({ found: { file } }, missing) => partsOf(missing).map((part) => pagesItem(file.id, part)),
    fail: (member, error) => failFile(work, member.found, error),
  });
  for (const [member, result] of indexed) results.set(member.found, result);
  return results;
}

/** Files with webhook endpoints for their parse are parsed one by one, and each parse is reported. */
async function ingest(
  work: Work,
  entries: readonly { member: FileMember; job: IngestJob }[],
): Promise<PromiseSettledResult<FileResult>[]> {
  const [first] = entries;
  if (!first) return [];
  const { projectId } = first.member.request;
  const { parser } = await work.parsing(projectId);
  const ahead = await settleEach(entries, work.checkpoint, async ({ member }) => {
    work.quota?.require();
    member.ahead = await parseAhead(work, member.found.file.id, member.request, parser);
  });
  const heard = entries.filter((_, at) => ahead[at]!.status === 'fulfilled');
  const results = await ingestFiles(
    heard.map(({ member: { request }, job }) => ({ request, job })),
    parser,
    work.quota,
  );
  return ahead.map((each) => (each.status === 'rejected' ? each : results.shift()!));
}

function memberOf(work: Work, found: Found, request: FileRequest): FileMember {
  const { file, member, source, known } = found;
  const described = {
    documentId: file.id,
    title: file.name,
    titleKey: 'file_name',
    outlivesTitle: true,
    metadata: fileMetadata(work.pipeline, file, member, source),
    given: givenFileMetadata(member, source),
    excludedKeys: [],
  };
  return { subject: subjectOf(work, found), described, known, found, request, ahead: {} };
}

/** Stores a permanent failure and rethrows every other error. */
async function failFile(work: Work, found: Found, error: unknown): Promise<Outcome> {
  const failure = permanentFailure(error);
  if (!failure) throw error;
  const { file, fingerprints } = found;
  const needsOcr = error instanceof ParseError && error.reason === 'NEEDS_OCR';
  const inputs = needsOcr
    ? unreadFingerprint(fingerprints.content, await work.ctx.parser.ocrId())
    : fingerprints.content;
  const contentHash = file.contentHash ?? '';
  return recordFailure(work, subjectOf(work, found), { error, failure, inputs, contentHash });
}

/** Downloads the source's bytes. Returns an outcome if nothing else can be done for the file. */
async function fetchNow(
  work: Work,
  { file, source, full, fingerprints }: Found,
): Promise<Outcome | undefined> {
  const { ctx, pipeline, claim } = work;
  try {
    // If the project's quota is exhausted, a file without stored bytes is not downloaded. A file with stored
    // bytes is, because the new ones may fit in their place.
    const refusal = full && file.storageKey === null && (await whyFull(ctx, pipeline.projectId, full));
    if (refusal) throw refusal;
    const run = { pipelineId: pipeline.id, jobId: claim.jobId };
    if (await fetchFile(ctx, run, file, source!)) return undefined;
    await removeSourceFiles(ctx, pipeline.id, [file.id]);
    return { counters: { removed: 1 } };
  } catch (error) {
    const failure = permanentFailure(error);
    if (!failure) throw error;
    // The old bytes are outdated, and the source does not provide the new ones.
    await removeFromIndexes(ctx, pipeline.id, [file.id]);
    failure.step = 'DATA_SOURCE';
    await ctx.db
      .update(pipelineMembers)
      .set(failed(claim.jobId, error, failure, fingerprints.fetch))
      .where(isFileOf(pipeline.id, file.id));
    return { counters: { failed: 1 }, error: failure };
  }
}

/** Returns undefined while the file has no bytes. */
async function requestFor(
  { pipeline, claim, parsing }: Work,
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

/** Returns the files that exist. */
async function findFiles({ ctx, pipeline, index, shape }: Work, fileIds: string[]) {
  const rows = await ctx.db
    .select({
      file: files,
      member: fileMember,
      source: dataSources,
      known: indexedDocuments,
      content: contentFingerprint(shape),
      metadata: metadataFingerprint(shape),
      fetch: fetchFingerprint,
      full: fullOf(ctx, sql`${pipeline.projectId}`),
    })
    .from(pipelineMembers)
    .innerJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .leftJoin(indexedDocuments, isEntryOf(index, pipelineMembers.documentId))
    .where(and(filesOf(pipeline.id), isOneOf(pipelineMembers.documentId, fileIds)));
  return rows.map(({ content, metadata, fetch, ...rest }) => ({
    ...rest,
    fingerprints: { content, metadata, fetch },
  }));
}

const subjectOf = (work: Work, { file, fingerprints }: Found): Subject => ({
  documentId: file.id,
  kind: 'file',
  isMember: isFileOf(work.pipeline.id, file.id),
  fingerprints,
});

function pagesItem(fileId: string, range: PageRange): WorkItem {
  return { id: `pages:${fileId}:${range.from}`, kind: 'pages', fileId, range };
}
