import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { indexedDocuments as entries, pipelineMembers } from '#src/db/schema/index.ts';
import type { IngestJob, IngestResult } from '#src/ingest/index.ts';
import { removeOutdated } from '#src/services/indexes/removal.ts';
import type { Outcome } from '#src/work/sync-owner.ts';
import { buildFailedColumns, buildSucceededColumns, type Failure } from './item-result.ts';
import type { Work } from './work.ts';

export interface Subject {
  documentId: string;
  kind: 'file' | 'text';
  isMember: SQL | undefined;
  fingerprints: { content: string; metadata: string };
}

type IndexEntry = Pick<typeof entries.$inferSelect, 'version' | 'chunkCount' | 'pageCount' | 'contextHash'>;

type FileFacts = Partial<Pick<typeof pipelineMembers.$inferInsert, 'indexedPageCount' | 'statusDetails'>>;

export interface Indexed {
  subject: Subject;
  job: Pick<IngestJob, 'version' | 'contextHash'>;
  result: Pick<IngestResult, 'chunkCount' | 'pageCount'>;
  /** Further column values to store with a file. */
  facts?: FileFacts;
}

/** Records in the database that the chunks of documents are in the index. */
export async function recordIndexed(work: Work, indexed: readonly Indexed[]): Promise<void> {
  if (indexed.length === 0) return;
  const { ctx, pipeline } = work;
  const [, , forgotten] = await ctx.db.batch([
    buildEntryUpdate(
      work,
      indexed.map(({ subject, job, result }) => ({ subject, entry: { ...result, ...job } })),
    ),
    buildMemberUpdate(ctx, pipeline, indexed),
    deleteRemoved(
      work,
      indexed.map(({ subject }) => subject.documentId),
    ),
  ]);
  // The forgotten documents were removed from the pipeline during indexing. They are removed from the sink
  // again, because the earlier removal may have missed a new shard.
  await removeFromSink(work, forgotten);
}

/** Returns the SQL statement that marks files and texts as indexed. */
export function buildMemberUpdate(
  { db }: Pick<Context, 'db'>,
  { id: pipeline }: Pick<Work['pipeline'], 'id'>,
  indexed: readonly Pick<Indexed, 'subject' | 'result' | 'facts'>[],
) {
  const rows = indexed.map(({ subject, result, facts = {} }) => ({
    pipeline,
    id: subject.documentId,
    kind: subject.kind,
    chunks: result.chunkCount,
    pages: facts.indexedPageCount ?? null,
    details: facts.statusDetails ? JSON.stringify(facts.statusDetails) : null,
  }));
  return db
    .update(pipelineMembers)
    .set({
      ...buildSucceededColumns(),
      chunkCount: sql`row.value ->> 'chunks'`,
      indexedPageCount: sql`row.value ->> 'pages'`,
      statusDetails: sql`row.value ->> 'details'`,
    })
    .from(toRows(rows))
    .where(isMemberRow);
}

/** Records that the chunks, vectors, titles and metadata of documents are current. */
export async function recordDescribed(
  work: Work,
  described: readonly { subject: Subject; entry: IndexEntry }[],
): Promise<void> {
  if (described.length === 0) return;
  const { ctx, pipeline } = work;
  const rows = toRows(
    described.map(({ subject: { documentId: id, kind } }) => ({ pipeline: pipeline.id, id, kind })),
  );
  await ctx.db.batch([
    buildEntryUpdate(work, described),
    ctx.db.update(pipelineMembers).set(buildSucceededColumns()).from(rows).where(isMemberRow),
  ]);
}

/**
 * Stores a permanent failure of a document. `inputs` is the fingerprint of the inputs that failed. Chunks
 * with another content hash than `contentHash` are removed from the index.
 */
export async function recordFailure(
  { ctx, pipeline, claim }: Work,
  { documentId, isMember }: Subject,
  attempt: { error: unknown; failure: Failure; inputs: SQL<string> | string; contentHash: string },
): Promise<Outcome> {
  const { error, failure, inputs, contentHash } = attempt;
  await removeOutdated(ctx, pipeline.id, documentId, contentHash);
  await ctx.db
    .update(pipelineMembers)
    .set(buildFailedColumns(claim.jobId, error, failure, inputs))
    .where(isMember);
  return { counters: { failed: 1 }, error: failure };
}

export function buildEntryUpdate(
  { ctx, index }: Pick<Work, 'ctx' | 'index'>,
  indexed: readonly { subject: Pick<Subject, 'documentId' | 'fingerprints'>; entry: IndexEntry }[],
) {
  const rows = indexed.map(({ subject: { documentId: id, fingerprints }, entry }) => {
    const { version, chunkCount, pageCount, contextHash } = entry;
    return { index: index.id, id, ...fingerprints, version, chunkCount, pageCount, contextHash };
  });
  return ctx.db
    .update(entries)
    .set({
      contentFingerprint: sql`row.value ->> 'content'`,
      metadataFingerprint: sql`row.value ->> 'metadata'`,
      contextHash: sql`row.value ->> 'contextHash'`,
      version: sql`row.value ->> 'version'`,
      chunkCount: sql`row.value ->> 'chunkCount'`,
      pageCount: sql`row.value ->> 'pageCount'`,
    })
    .from(toRows(rows))
    .where(
      and(
        sql`${entries.indexId} = row.value ->> 'index'`,
        sql`${entries.documentId} = row.value ->> 'id'`,
        // The version check keeps a late attempt from overwriting a newer one.
        sql`${entries.version} <= row.value ->> 'version'`,
      ),
    );
}

/** Removes documents from the index that were removed from the pipeline while this attempt indexed them. */
export async function removeSuperseded(work: Work, documentIds: string[]): Promise<void> {
  if (documentIds.length > 0) await removeFromSink(work, await deleteRemoved(work, documentIds));
}

/**
 * Deletes the index entries of documents that are no longer in the pipeline. Queries do not find these
 * documents, because the data sink already has tombstones for them.
 */
function deleteRemoved({ ctx, pipeline, index }: Work, documentIds: string[]) {
  const isHeld = sql`exists (select 1 from pipeline_members
    where pipeline_id = ${pipeline.id} and document_id = ${entries.documentId})`;
  return ctx.db
    .delete(entries)
    .where(and(eq(entries.indexId, index.id), isInList(entries.documentId, documentIds), sql`not ${isHeld}`))
    .returning({ id: entries.documentId });
}

async function removeFromSink({ tools, claim }: Work, forgotten: readonly { id: string }[]): Promise<void> {
  if (forgotten.length === 0) return;
  const { sink } = await tools();
  await sink.remove(
    forgotten.map(({ id }) => id),
    claim.version,
  );
}

/**
 * Passes rows to SQL as one JSON parameter, whose elements are available as `row.value`. Each row contains
 * the complete key, so that the database uses its index.
 */
const toRows = (rows: readonly object[]) => sql`json_each(${JSON.stringify(rows)}) row`;

const isMemberRow = and(
  sql`${pipelineMembers.pipelineId} = row.value ->> 'pipeline'`,
  sql`${pipelineMembers.kind} = row.value ->> 'kind'`,
  sql`${pipelineMembers.documentId} = row.value ->> 'id'`,
);
