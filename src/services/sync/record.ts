import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { indexedDocuments as entries, pipelineMembers } from '#src/db/schema/index.ts';
import type { IngestJob, IngestResult } from '#src/ingest/index.ts';
import { removeOutdated } from '#src/services/indexes/removal.ts';
import type { Outcome } from '#src/work/sync-owner.ts';
import { type Failure, failed, succeeded } from './item-result.ts';
import type { Work } from './work.ts';

/** A member that is being indexed, with its inputs. */
export interface Subject {
  documentId: string;
  kind: 'file' | 'text';
  /** Condition that selects its row. */
  isMember: SQL | undefined;
  fingerprints: { content: string; metadata: string };
}

type IndexEntry = Pick<typeof entries.$inferSelect, 'version' | 'chunkCount' | 'pageCount' | 'contextHash'>;

type FileFacts = Partial<Pick<typeof pipelineMembers.$inferInsert, 'indexedPageCount' | 'statusDetails'>>;

export interface Indexed {
  subject: Subject;
  job: Pick<IngestJob, 'version' | 'contextHash'>;
  result: Pick<IngestResult, 'chunkCount' | 'pageCount'>;
  /** Further columns of a file's row. */
  facts?: FileFacts;
}

/** Writes down that the chunks of this attempt are in the index, of all of them in one step. */
export async function recordIndexed(work: Work, indexed: readonly Indexed[]): Promise<void> {
  if (indexed.length === 0) return;
  const { ctx, pipeline } = work;
  const [, , forgotten] = await ctx.db.batch([
    rememberIndexed(
      work,
      indexed.map(({ subject, job, result }) => ({ subject, entry: { ...result, ...job } })),
    ),
    markIndexed(ctx, pipeline, indexed),
    deleteRemoved(
      work,
      indexed.map(({ subject }) => subject.documentId),
    ),
  ]);
  // The shard of such a document may have been created after the removal listed the shards.
  await removeForgotten(work, forgotten);
}

/** Statement that marks members as indexed. */
export function markIndexed(
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
      ...succeeded(),
      chunkCount: sql`row.value ->> 'chunks'`,
      indexedPageCount: sql`row.value ->> 'pages'`,
      statusDetails: sql`row.value ->> 'details'`,
    })
    .from(json(rows))
    .where(isRow);
}

/** Records that chunks, vectors, title and metadata of these members are current. */
export async function recordDescribed(
  work: Work,
  described: readonly { subject: Subject; entry: IndexEntry }[],
): Promise<void> {
  if (described.length === 0) return;
  const { ctx, pipeline } = work;
  const rows = json(
    described.map(({ subject: { documentId: id, kind } }) => ({ pipeline: pipeline.id, id, kind })),
  );
  await ctx.db.batch([
    rememberIndexed(work, described),
    ctx.db.update(pipelineMembers).set(succeeded()).from(rows).where(isRow),
  ]);
}

/**
 * Stores a permanent failure. `inputs` is the fingerprint of what was tried. Chunks of other content than
 * `contentHash` are removed from the index.
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
    .set(failed(claim.jobId, error, failure, inputs))
    .where(isMember);
  return { counters: { failed: 1 }, error: failure };
}

/** Statement that records what the index holds of documents. */
export function rememberIndexed(
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
    .from(json(rows))
    .where(
      and(
        sql`${entries.indexId} = row.value ->> 'index'`,
        sql`${entries.documentId} = row.value ->> 'id'`,
        // A late attempt does not overwrite a newer one.
        sql`${entries.version} <= row.value ->> 'version'`,
      ),
    );
}

/** Removes documents from the index that left the pipeline while this attempt indexed them. */
export async function forgetRemoved(work: Work, documentIds: string[]): Promise<void> {
  if (documentIds.length > 0) await removeForgotten(work, await deleteRemoved(work, documentIds));
}

/**
 * The sink's tombstone blocks chunks of removed documents. This statement deletes the entries that would
 * claim otherwise.
 */
function deleteRemoved({ ctx, pipeline, index }: Work, documentIds: string[]) {
  const isHeld = sql`exists (select 1 from pipeline_members
    where pipeline_id = ${pipeline.id} and document_id = ${entries.documentId})`;
  return ctx.db
    .delete(entries)
    .where(and(eq(entries.indexId, index.id), isOneOf(entries.documentId, documentIds), sql`not ${isHeld}`))
    .returning({ id: entries.documentId });
}

async function removeForgotten({ tools, claim }: Work, forgotten: readonly { id: string }[]): Promise<void> {
  if (forgotten.length === 0) return;
  const { sink } = await tools();
  await sink.remove(
    forgotten.map(({ id }) => id),
    claim.version,
  );
}

/**
 * Passes rows as one JSON parameter; each is a `row.value`. It contains the whole key, so that the database
 * looks up these rows instead of scanning the pipeline.
 */
const json = (rows: readonly object[]) => sql`json_each(${JSON.stringify(rows)}) row`;

const isRow = and(
  sql`${pipelineMembers.pipelineId} = row.value ->> 'pipeline'`,
  sql`${pipelineMembers.kind} = row.value ->> 'kind'`,
  sql`${pipelineMembers.documentId} = row.value ->> 'id'`,
);
