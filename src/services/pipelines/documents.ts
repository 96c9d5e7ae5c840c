import { and, asc, count, eq, type SQL } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { isTextOf, type TextMember, textMember, textsOf } from '#src/db/pipeline-members.ts';
import {
  type IngestionStatus,
  indexedDocuments,
  type Pipeline,
  pipelineMembers,
} from '#src/db/schema/index.ts';
import { NotFound } from '#src/errors.ts';
import { inParallel } from '#src/lib/in-parallel.ts';
import type { StoredChunk } from '#src/search/types.ts';
import { liveIndex, openIndexes } from '#src/services/indexes/indexes.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import { statusCounts } from '#src/services/sync/statuses.ts';
import { spellingsOf } from './document-id-spellings.ts';
import { findRows, type PipelineDocument, textKey, withText } from './document-rows.ts';
import { getPipeline, getWritablePipeline } from './pipelines.ts';
import { removeMembers } from './remove-members.ts';

const CHUNKS_PER_READ = 500;

export interface DocumentPage {
  documents: PipelineDocument[];
  totalCount: number;
}

/** In the order they came in. */
export async function listDocuments(
  ctx: TenantContext,
  pipelineId: string,
  page: { skip: number; limit: number },
): Promise<DocumentPage> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const [rows, [total]] = await ctx.db.batch([
    documentRows(ctx, textsOf(pipeline.id), page),
    ctx.db.select({ n: count() }).from(pipelineMembers).where(textsOf(pipeline.id)),
  ]);
  const documents = await inParallel(rows, (row) => withText(ctx, pipeline, row));
  return { documents: documents.filter((each) => each !== undefined), totalCount: total?.n ?? 0 };
}

export const documentRows = (ctx: Context, where: SQL | undefined, page: { skip: number; limit: number }) =>
  ctx.db
    .select(textMember)
    .from(pipelineMembers)
    .where(where)
    // Those of one call are of one moment; their ids rise.
    .orderBy(asc(pipelineMembers.createdAt), asc(pipelineMembers.id))
    .limit(page.limit)
    .offset(page.skip);

export async function getDocument(
  ctx: TenantContext,
  pipelineId: string,
  id: string,
): Promise<PipelineDocument> {
  const { pipeline, row } = await findDocument(ctx, await getPipeline(ctx, pipelineId), id);
  const document = await withText(ctx, pipeline, row);
  if (!document) throw new NotFound('Document', id);
  return document;
}

/** Some clients quote ids several times: an id that is not there as it came may be there unquoted. */
export async function findDocument(
  ctx: TenantContext,
  pipeline: Pipeline,
  id: string,
): Promise<{ pipeline: Pipeline; row: TextMember }> {
  const spellings = spellingsOf(id);
  const rows = await findRows(ctx, pipeline.id, spellings);
  const found = spellings.find((each) => rows.has(each));
  if (found === undefined) throw new NotFound('Document', id);
  return { pipeline, row: rows.get(found)! };
}

/** From the return on, no query of the pipeline finds the document. */
export async function deleteDocument(ctx: TenantContext, pipelineId: string, id: string): Promise<void> {
  const { pipeline, row } = await findDocument(ctx, await getWritablePipeline(ctx, pipelineId), id);
  const { documentId } = row;
  const isIt = isTextOf(pipeline.id, documentId);
  const deleted = await removeMembers(ctx, pipeline.id, [documentId], isIt);
  await ctx.bucket.delete(deleted.flatMap(({ textId }) => (textId ? [textKey(pipeline, textId)] : [])));
}

/** Indexes the document anew, also when an attempt with the same inputs failed before. */
export async function syncDocument(ctx: TenantContext, pipelineId: string, id: string): Promise<TextMember> {
  const { pipeline, row } = await findDocument(ctx, await getWritablePipeline(ctx, pipelineId), id);
  const [updated] = await ctx.db
    .update(pipelineMembers)
    .set({ failedFingerprint: null, status: 'NOT_STARTED', statusUpdatedAt: new Date(), error: null })
    .where(isTextOf(pipeline.id, row.documentId))
    .returning(textMember);
  for (const index of await openIndexes(ctx, pipeline.id)) {
    await ctx.db
      .update(indexedDocuments)
      .set({ contentFingerprint: '' })
      .where(and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, row.documentId)));
  }
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, { reason: 'request' });
  return updated ?? row;
}

/** Empty while the document has not been indexed. */
export async function chunksOfDocument(
  ctx: TenantContext,
  pipelineId: string,
  id: string,
): Promise<{ pipeline: Pipeline; row: TextMember; chunks: StoredChunk[] }> {
  const { pipeline, row } = await findDocument(ctx, await getPipeline(ctx, pipelineId), id);
  const chunks: StoredChunk[] = [];
  const [index] = await liveIndex(ctx, pipeline.id);
  if (!index) return { pipeline, row, chunks };
  const sink = await openSink(ctx, index);
  for (;;) {
    const page = await sink.chunksOf(row.documentId, { from: chunks.length, limit: CHUNKS_PER_READ });
    chunks.push(...page);
    if (page.length < CHUNKS_PER_READ) return { pipeline, row, chunks };
  }
}

export async function documentStatusCounts(
  ctx: TenantContext,
  pipelineId: string,
): Promise<Partial<Record<IngestionStatus, number>>> {
  const pipeline = await getPipeline(ctx, pipelineId);
  return statusCounts(ctx, textsOf(pipeline.id));
}

export interface ExcludedKeys {
  embed: string[];
  llm: string[];
}

/** The keys that documents themselves keep from models; files have none. */
export async function excludedKeysOf(
  ctx: Context,
  pipelineId: string,
  chunks: Pick<StoredChunk, 'documentId' | 'metadata'>[],
): Promise<Map<string, ExcludedKeys>> {
  const ids = new Set(chunks.filter((each) => !each.metadata.file_id).map((each) => each.documentId));
  if (ids.size === 0) return new Map();
  const rows = await ctx.db
    .select({
      id: textMember.documentId,
      embed: textMember.excludedEmbedMetadataKeys,
      llm: textMember.excludedLlmMetadataKeys,
    })
    .from(pipelineMembers)
    .where(and(textsOf(pipelineId), isOneOf(pipelineMembers.documentId, [...ids])));
  return new Map(rows.map(({ id, embed, llm }) => [id, { embed, llm }]));
}
