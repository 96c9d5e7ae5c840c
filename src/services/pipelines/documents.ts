import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context.ts';
import { type IngestionStatus, indexedDocuments, pipelineDocuments } from '#src/db/schema/index.ts';
import { NotFound } from '#src/errors.ts';
import { inParallel } from '#src/lib/in-parallel.ts';
import type { StoredChunk } from '#src/search/types.ts';
import { liveIndex, openIndexes, type Pipeline } from '#src/services/indexes/indexes.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import { deleteFromIndexes } from '#src/services/indexes/removal.ts';
import { type DocumentRow, findRows, type PipelineDocument, textKey, withText } from './document-rows.ts';
import { getPipeline, getWritablePipeline } from './pipelines.ts';

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
  const ofPipeline = eq(pipelineDocuments.pipelineId, pipeline.id);
  const [rows, [total]] = await ctx.db.batch([
    documentRows(ctx, ofPipeline, page),
    documentTotal(ctx, ofPipeline),
  ]);
  const documents = await inParallel(rows, (row) => withText(ctx, pipeline, row));
  return { documents: documents.filter((each) => each !== undefined), totalCount: total?.n ?? 0 };
}

export const documentRows = (
  ctx: Context,
  where: ReturnType<typeof eq>,
  page: { skip: number; limit: number },
) =>
  ctx.db
    .select()
    .from(pipelineDocuments)
    .where(where)
    // Those of one call are of one moment.
    .orderBy(asc(pipelineDocuments.createdAt), sql`${pipelineDocuments}.rowid`)
    .limit(page.limit)
    .offset(page.skip);

const documentTotal = (ctx: Context, where: ReturnType<typeof eq>) =>
  ctx.db.select({ n: count() }).from(pipelineDocuments).where(where);

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

/** Some clients encode ids twice: an id that is not there as it came may be there decoded. */
export async function findDocument(
  ctx: TenantContext,
  pipeline: Pipeline,
  id: string,
): Promise<{ pipeline: Pipeline; row: DocumentRow }> {
  const spellings = [...new Set([id, decoded(id)])];
  const rows = await findRows(ctx, pipeline.id, spellings);
  const row = rows.get(id) ?? rows.get(decoded(id));
  if (!row) throw new NotFound('Document', id);
  return { pipeline, row };
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** From the return on, no query of the pipeline finds the document. */
export async function deleteDocument(ctx: TenantContext, pipelineId: string, id: string): Promise<void> {
  const { pipeline, row } = await findDocument(ctx, await getWritablePipeline(ctx, pipelineId), id);
  const { documentId } = row;
  const isIt = and(
    eq(pipelineDocuments.pipelineId, pipeline.id),
    eq(pipelineDocuments.documentId, documentId),
  );
  const deleted = await deleteFromIndexes(ctx, [pipeline.id], [documentId], () =>
    ctx.db.delete(pipelineDocuments).where(isIt).returning({ textId: pipelineDocuments.textId }),
  );
  await ctx.bucket.delete(deleted.map(({ textId }) => textKey(pipeline, textId)));
}

/** Indexes the document anew, also when an attempt with the same inputs failed before. */
export async function syncDocument(ctx: TenantContext, pipelineId: string, id: string): Promise<DocumentRow> {
  const { pipeline, row } = await findDocument(ctx, await getWritablePipeline(ctx, pipelineId), id);
  const [updated] = await ctx.db
    .update(pipelineDocuments)
    .set({ failedFingerprint: null, status: 'NOT_STARTED', statusUpdatedAt: new Date(), error: null })
    .where(
      and(eq(pipelineDocuments.pipelineId, pipeline.id), eq(pipelineDocuments.documentId, row.documentId)),
    )
    .returning();
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
): Promise<{ pipeline: Pipeline; row: DocumentRow; chunks: StoredChunk[] }> {
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
  const rows = await ctx.db
    .select({ status: pipelineDocuments.status, n: count() })
    .from(pipelineDocuments)
    .where(eq(pipelineDocuments.pipelineId, pipeline.id))
    .groupBy(pipelineDocuments.status);
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
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
      id: pipelineDocuments.documentId,
      embed: pipelineDocuments.excludedEmbedMetadataKeys,
      llm: pipelineDocuments.excludedLlmMetadataKeys,
    })
    .from(pipelineDocuments)
    .where(
      and(
        eq(pipelineDocuments.pipelineId, pipelineId),
        sql`${pipelineDocuments.documentId} in (select value from json_each(${JSON.stringify([...ids])}))`,
      ),
    );
  return new Map(rows.map(({ id, embed, llm }) => [id, { embed, llm }]));
}
