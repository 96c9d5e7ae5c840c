import { and, lte, type SQL, sql } from 'drizzle-orm';
import { indexedDocuments, pipelineMembers } from '#src/db/schema/index.ts';
import type { IngestJob, IngestResult } from '#src/ingest/index.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import { removeOutdated } from '#src/services/indexes/removal.ts';
import type { Outcome } from '#src/work/sync-owner.ts';
import { type Failure, failed, succeeded } from './item-result.ts';
import { isEntryOf, type Work } from './work.ts';

/** A member that is being indexed, and the inputs that it is indexed from. */
export interface Subject {
  work: Work;
  documentId: string;
  /** Selects its row. */
  isMember: SQL | undefined;
  fingerprints: { content: string; metadata: string };
}

type IndexEntry = Pick<
  typeof indexedDocuments.$inferSelect,
  'version' | 'chunkCount' | 'pageCount' | 'contextHash'
>;

/** The chunks and vectors in the index are as they should be: only title and metadata are written anew. */
export async function redescribe(subject: Subject, job: IngestJob, known: IndexEntry): Promise<Outcome> {
  const { db } = subject.work.ctx;
  const { documentId, title, metadata } = job;
  await job.sink.describe({ documentId, title, metadata });
  await db.batch([
    rememberIndexed(subject, known),
    db.update(pipelineMembers).set(succeeded()).where(subject.isMember),
  ]);
  return { counters: { described: 1 } };
}

type FileFacts = Partial<Pick<typeof pipelineMembers.$inferInsert, 'indexedPageCount' | 'statusDetails'>>;

/** Writes down that the chunks of this attempt are in the index. */
export async function recordIndexed(
  subject: Subject,
  job: IngestJob,
  result: IngestResult,
  facts: FileFacts = {},
): Promise<void> {
  const { db } = subject.work.ctx;
  const { version, documentId, contextHash } = job;
  const { chunkCount, pageCount } = result;
  const [, , forgotten] = await db.batch([
    rememberIndexed(subject, { version, chunkCount, pageCount, contextHash }),
    db
      .update(pipelineMembers)
      .set({ ...succeeded(), ...facts, chunkCount })
      .where(subject.isMember),
    deleteEntryIfRemoved(subject),
  ]);
  // Its shard may have been opened after the removal had listed the shards.
  if (forgotten.meta.changes > 0) await job.sink.remove([documentId], version);
}

/**
 * Writes down a failure that no other attempt helps. `inputs` is the fingerprint of what was tried; chunks that were
 * made of other content than `contentHash` leave the index.
 */
export async function recordFailure(
  { work: { ctx, pipeline, claim }, documentId, isMember }: Subject,
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

/** The statement that remembers what the index now holds of a document. */
export function rememberIndexed({ work, documentId, fingerprints }: Subject, entry: IndexEntry) {
  const { version, chunkCount, pageCount, contextHash } = entry;
  const { content: contentFingerprint, metadata: metadataFingerprint } = fingerprints;
  return (
    work.ctx.db
      .update(indexedDocuments)
      .set({ contentFingerprint, metadataFingerprint, contextHash, version, chunkCount, pageCount })
      // A late attempt does not speak for a newer one.
      .where(and(isEntryOf(work.index, documentId), lte(indexedDocuments.version, version)))
  );
}

/** Makes the index forget a document that the pipeline ceased to hold while this attempt was indexing it. */
export async function forgetIfRemoved(subject: Subject): Promise<void> {
  const { work, documentId } = subject;
  const { meta } = await deleteEntryIfRemoved(subject);
  // Its shard may have been opened after the removal had listed the shards.
  if (meta.changes === 0) return;
  const sink = await openSink(work.ctx, work.index);
  await sink.remove([documentId], work.claim.version);
}

/**
 * The sink's tombstone keeps the chunks of a removed document out. This statement deletes the entry that would say
 * they were in.
 */
function deleteEntryIfRemoved({ work: { ctx, pipeline, index }, documentId }: Subject) {
  const isHeld = sql`exists (select 1 from pipeline_members
    where pipeline_id = ${pipeline.id} and document_id = ${documentId})`;
  return ctx.db.delete(indexedDocuments).where(and(isEntryOf(index, documentId), sql`not ${isHeld}`));
}
