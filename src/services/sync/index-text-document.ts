import { eq } from 'drizzle-orm';
import { isTextOf, textMember } from '#src/db/pipeline-members.ts';
import { dataSources, files, indexedDocuments, pipelineMembers } from '#src/db/schema/index.ts';
import { indexDocument, Overtaken } from '#src/ingest/index.ts';
import { ParseError } from '#src/parsing/errors.ts';
import { documentMetadata, givenDocumentMetadata } from '#src/services/indexes/node-metadata.ts';
import { withText } from '#src/services/pipelines/document-rows.ts';
import type { Outcome } from '#src/work/sync-owner.ts';
import { contentFingerprint, metadataFingerprint } from './difference.ts';
import { countersOf, NOTHING, permanentFailure } from './item-result.ts';
import { forgetIfRemoved, recordFailure, recordIndexed, redescribe, type Subject } from './record.ts';
import { isEntryOf, isIndexed, jobFor, type Work } from './work.ts';

type Found = NonNullable<Awaited<ReturnType<typeof findText>>>;

/** Brings a document, which came as text, into the index. */
export async function indexTextDocument(work: Work, documentId: string): Promise<Outcome> {
  const found = await findText(work, documentId);
  if (!found) return NOTHING;
  const { document, fingerprints } = found;
  const isMember = isTextOf(work.pipeline.id, documentId);
  const subject = { work, documentId, isMember, fingerprints };
  try {
    return await indexFound(subject, found);
  } catch (error) {
    if (error instanceof Overtaken) await forgetIfRemoved(subject);
    const failure = permanentFailure(error);
    if (!failure) throw error;
    const { contentHash } = document;
    return recordFailure(subject, { error, failure, inputs: fingerprints.content, contentHash });
  }
}

async function indexFound(subject: Subject, { document, known, fingerprints }: Found): Promise<Outcome> {
  const { work, documentId } = subject;
  const { ctx, pipeline } = work;
  const titleKey = document.metadata.file_name === undefined ? 'title' : 'file_name';
  const title = String(document.metadata[titleKey] ?? '');
  const job = await jobFor(work, {
    documentId,
    title,
    titleKey,
    outlivesTitle: false,
    metadata: documentMetadata(pipeline, document),
    given: givenDocumentMetadata(document),
    excludedKeys: document.excludedEmbedMetadataKeys,
  });
  if (isIndexed(known, fingerprints, job)) return redescribe(subject, job, known);
  const current = await withText(ctx, pipeline, document);
  // Replaced or deleted in between: the fingerprints are those of another text.
  if (current?.row.textId !== document.textId) return indexTextDocument(work, documentId);
  const { text } = current;
  const result = await indexDocument(job, { text, pageStarts: document.pagePositions ?? [], pages: [] });
  if (result.chunkCount === 0) throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The document has no text.');
  await recordIndexed(subject, job, result);
  return { counters: countersOf(result) };
}

async function findText({ ctx, pipeline, index, shape }: Work, documentId: string) {
  const [row] = await ctx.db
    .select({
      document: textMember,
      known: indexedDocuments,
      content: contentFingerprint(shape),
      metadata: metadataFingerprint(shape),
    })
    .from(pipelineMembers)
    // The fingerprints name what only files have; of a text it is null.
    .leftJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .leftJoin(indexedDocuments, isEntryOf(index, documentId))
    .where(isTextOf(pipeline.id, documentId));
  if (!row) return undefined;
  const { content, metadata, ...rest } = row;
  return { ...rest, fingerprints: { content, metadata } };
}
