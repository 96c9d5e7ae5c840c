import { and, eq } from 'drizzle-orm';
import { indexedDocuments, pipelineDocuments } from '#src/db/schema/index.ts';
import { indexDocument, Overtaken } from '#src/ingest/index.ts';
import { ParseError } from '#src/parsing/errors.ts';
import { removeOutdated } from '#src/services/indexes/indexes.ts';
import { documentMetadata } from '#src/services/indexes/node-metadata.ts';
import { withText } from '#src/services/pipelines/document-rows.ts';
import type { Outcome } from '#src/work/sync-owner.ts';
import { documentContentFingerprint, documentMetadataFingerprint } from './difference.ts';
import { countersOf, failed, NOTHING, permanentFailure, succeeded } from './item-result.ts';
import { forgetIfRemoved, isEntryOf, jobFor, leaveIfRemoved, rememberIndexed, type Work } from './work.ts';

/** Brings a document, which came as text, into the index. */
export async function indexTextDocument(work: Work, documentId: string): Promise<Outcome> {
  const { ctx, pipeline, index, shape, claim } = work;
  const target = and(
    eq(pipelineDocuments.pipelineId, pipeline.id),
    eq(pipelineDocuments.documentId, documentId),
  );
  const [found] = await ctx.db
    .select({
      document: pipelineDocuments,
      known: indexedDocuments,
      content: documentContentFingerprint(shape),
      metadata: documentMetadataFingerprint,
    })
    .from(pipelineDocuments)
    .leftJoin(indexedDocuments, isEntryOf(index, documentId))
    .where(target);
  if (!found) return NOTHING;
  const { document, known, ...fingerprints } = found;
  const metadata = documentMetadata(pipeline, document);
  const titleKey = document.metadata.file_name === undefined ? 'title' : 'file_name';
  const title = String(document.metadata[titleKey] ?? '');
  try {
    const job = await jobFor(work, documentId, title, metadata);
    job.embedTitle &&= !document.excludedEmbedMetadataKeys.includes(titleKey);
    if (known?.contentFingerprint === fingerprints.content) {
      await job.sink.describe({ documentId, title, metadata });
      await ctx.db.batch([
        rememberIndexed(work, documentId, fingerprints, known),
        ctx.db.update(pipelineDocuments).set(succeeded()).where(target),
      ]);
      return { counters: { described: 1 } };
    }
    const current = await withText(ctx, pipeline, document);
    // Replaced or deleted in between: the fingerprints are those of another text.
    if (current?.row.textId !== document.textId) return indexTextDocument(work, documentId);
    const { text } = current;
    const result = await indexDocument(job, { text, pageStarts: document.pagePositions ?? [], pages: [] });
    const { chunkCount } = result;
    if (chunkCount === 0) throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The document has no text.');
    const [, , forgotten] = await ctx.db.batch([
      rememberIndexed(work, documentId, fingerprints, { ...result, version: claim.version }),
      ctx.db
        .update(pipelineDocuments)
        .set({ ...succeeded(), chunkCount })
        .where(target),
      forgetIfRemoved(work, documentId),
    ]);
    // Its shard may have been opened after the removal had listed the shards.
    if (forgotten.meta.changes > 0) await job.sink.remove([documentId], claim.version);
    return { counters: countersOf(result) };
  } catch (error) {
    if (error instanceof Overtaken) await leaveIfRemoved(work, documentId);
    const failure = permanentFailure(error);
    if (!failure) throw error;
    await removeOutdated(ctx, pipeline.id, documentId, document.contentHash);
    await ctx.db
      .update(pipelineDocuments)
      .set(failed(claim.jobId, error, failure, fingerprints.content))
      .where(target);
    return { counters: { failed: 1 }, error: failure };
  }
}
