import { and, eq } from 'drizzle-orm';
import { isInList } from '#src/db/is-in-list.ts';
import { textMemberColumns, whereText, whereTexts } from '#src/db/pipeline-members.ts';
import { dataSources, files, indexedDocuments, pipelineMembers } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import { addLeadingPage } from '#src/ingest/chunking/page-spans.ts';
import { type IngestJob, type IngestResult, indexDocuments, withinQuota } from '#src/ingest/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { buildDocumentMetadata, getClientDocumentMetadata } from '#src/services/indexes/node-metadata.ts';
import { readText } from '#src/services/pipelines/documents/document-rows.ts';
import { buildContentFingerprint, buildMetadataFingerprint } from './difference.ts';
import { indexMembers, type Member, type Result } from './index-members.ts';
import { NO_OUTCOME, permanentFailure, toCounters } from './item-result.ts';
import { recordFailure } from './record.ts';
import { type Work, whereIndexEntry } from './work.ts';

type Found = Awaited<ReturnType<typeof findTexts>>[number];
interface TextMember extends Member {
  found: Found;
}

/** Thrown if a text was replaced or deleted after its row was read. Its fingerprints are then outdated. */
class TextReplaced extends Error {}

export async function indexTexts(work: Work, documentIds: string[]): Promise<Map<string, Result>> {
  const results = new Map<string, Result>(
    documentIds.map((id) => [id, { status: 'fulfilled', value: NO_OUTCOME }]),
  );
  const found = await findTexts(work, documentIds);
  const indexed = await indexMembers(
    work,
    found.map((each) => toMember(work, each)),
    {
      ingest: (entries) => ingest(work, entries),
      success(_, result) {
        if (result.chunkCount === 0) {
          throw new ParseError('NO_DATA_FOUND_IN_FILE', 'The document has no text.');
        }
        return { counters: toCounters(result) };
      },
      async fail({ subject, found: { document } }, error) {
        const failure = permanentFailure(error);
        if (!failure) throw error;
        const { contentHash } = document;
        return recordFailure(work, subject, {
          error,
          failure,
          inputs: subject.fingerprints.content,
          contentHash,
        });
      },
    },
  );
  const replaced: string[] = [];
  for (const [{ subject }, result] of indexed) {
    if (result.status === 'rejected' && result.reason instanceof TextReplaced)
      replaced.push(subject.documentId);
    else results.set(subject.documentId, result);
  }
  if (replaced.length > 0) {
    await work.checkpoint();
    for (const [id, result] of await indexTexts(work, replaced)) results.set(id, result);
  }
  return results;
}

async function ingest(
  { ctx, pipeline, quota }: Work,
  entries: readonly { member: TextMember; job: IngestJob }[],
): Promise<PromiseSettledResult<IngestResult>[]> {
  const read = await inParallel(entries, async ({ member: { found }, job }) => {
    const work = async () => {
      const current = await readText(ctx, pipeline, found.document);
      if (current?.row.textId !== found.document.textId) throw new TextReplaced();
      const pageStarts = found.document.pagePositions ?? [];
      return { job, document: { text: current.text, pageStarts, pages: [] } };
    };
    return (await Promise.allSettled([work()]))[0];
  });
  const results = await withinQuota(
    quota,
    read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    ({ document }) => addLeadingPage(document.pageStarts).length,
    indexDocuments,
  );
  return read.map((each) => (each.status === 'rejected' ? each : results.shift()!));
}

function toMember({ pipeline }: Work, found: Found): TextMember {
  const { document, known, fingerprints } = found;
  const { documentId } = document;
  const titleKey = document.metadata.file_name === undefined ? 'title' : 'file_name';
  const described = {
    documentId,
    title: String(document.metadata[titleKey] ?? ''),
    titleKey,
    survivesRename: false,
    metadata: buildDocumentMetadata(pipeline, document),
    clientMetadata: getClientDocumentMetadata(document),
    excludedKeys: document.excludedEmbedMetadataKeys,
  };
  const isMember = whereText(pipeline.id, documentId);
  return { subject: { documentId, kind: 'text', isMember, fingerprints }, described, known, found };
}

/** Returns the given documents that still exist, with their index entries and fingerprints. */
async function findTexts({ ctx, pipeline, index, shape }: Work, documentIds: string[]) {
  const rows = await ctx.db
    .select({
      document: textMemberColumns,
      known: indexedDocuments,
      content: buildContentFingerprint(shape),
      metadata: buildMetadataFingerprint(shape),
    })
    .from(pipelineMembers)
    // The SQL of the fingerprints also reads columns of files and data sources, which are null for texts.
    .leftJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .leftJoin(indexedDocuments, whereIndexEntry(index, pipelineMembers.documentId))
    .where(and(whereTexts(pipeline.id), isInList(pipelineMembers.documentId, documentIds)));
  return rows.map(({ content, metadata, ...rest }) => ({ ...rest, fingerprints: { content, metadata } }));
}
