import { and, asc, count, eq, inArray, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '../../context.ts';
import { type IngestionStatus, indexedDocuments, pipelineDocuments } from '../../db/schema/index.ts';
import { Conflict, NotFound } from '../../errors.ts';
import { keys } from '../../files/keys.ts';
import type { StoredChunk } from '../../search/types.ts';
import { liveIndex, openIndexes, openSink, type Pipeline, removeFromIndexes } from '../indexes.ts';
import { identify, type NewDocument } from './document-input.ts';
import { getPipeline, getWritablePipeline } from './pipelines.ts';

export type DocumentRow = typeof pipelineDocuments.$inferSelect;
export type PipelineDocument = { row: DocumentRow; text: string };

/** Ids of a statement; SQL takes 100 parameters. */
const IDS_PER_QUERY = 90;
/** Objects read or written side by side. */
const AT_ONCE = 6;
const CHUNKS_PER_READ = 500;

/**
 * Puts texts into the pipeline and has them indexed. `replace`: documents of known ids get the new text.
 * Otherwise a known id is a Conflict, unless what is sent is what is there: a repeated call does no harm.
 */
export async function putDocuments(
  ctx: TenantContext,
  pipelineId: string,
  input: NewDocument[],
  options: { replace: boolean },
): Promise<PipelineDocument[]> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const given = [
    ...new Map((await Promise.all(input.map(identify))).map((each) => [each.documentId, each])).values(),
  ];
  const known = await findRows(
    ctx,
    pipeline.id,
    given.map((each) => each.documentId),
  );
  if (!options.replace) {
    const changed = given.find(({ documentId, contentHash }) => {
      const row = known.get(documentId);
      return row !== undefined && row.contentHash !== contentHash;
    });
    if (changed) throw new Conflict(`A document ${changed.documentId} is in the pipeline already.`);
  }
  const keyOf = (hash: string) => keys.documentText(pipeline.projectId, pipeline.id, hash);
  const unwritten = given.filter((each) => known.get(each.documentId)?.contentHash !== each.contentHash);
  await inParallel(unwritten, async (each) => {
    await ctx.bucket.put(keyOf(each.contentHash), each.text);
  });
  const now = new Date();
  for (const each of given) {
    const { text: _, documentId, ...values } = each;
    const isNew = known.get(documentId)?.contentHash !== each.contentHash;
    const set = {
      ...values,
      describedAt: now,
      ...(isNew && { status: 'NOT_STARTED' as const, statusUpdatedAt: now, error: null, chunkCount: null }),
    };
    await ctx.db
      .insert(pipelineDocuments)
      .values({ pipelineId: pipeline.id, documentId, describedAt: now, ...values })
      .onConflictDoUpdate({ target: [pipelineDocuments.pipelineId, pipelineDocuments.documentId], set });
  }
  const replaced = unwritten.flatMap(({ documentId }) => known.get(documentId)?.contentHash ?? []);
  if (replaced.length > 0) await ctx.bucket.delete(replaced.map(keyOf));
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, { reason: 'change' });
  const rows = await findRows(
    ctx,
    pipeline.id,
    given.map((each) => each.documentId),
  );
  return given.flatMap(({ documentId, text }) => {
    const row = rows.get(documentId);
    return row ? [{ row, text }] : [];
  });
}

async function findRows(ctx: Context, pipelineId: string, ids: string[]): Promise<Map<string, DocumentRow>> {
  const found = new Map<string, DocumentRow>();
  for (let from = 0; from < ids.length; from += IDS_PER_QUERY) {
    const rows = await ctx.db.query.pipelineDocuments.findMany({
      where: and(
        eq(pipelineDocuments.pipelineId, pipelineId),
        inArray(pipelineDocuments.documentId, ids.slice(from, from + IDS_PER_QUERY)),
      ),
    });
    for (const row of rows) found.set(row.documentId, row);
  }
  return found;
}

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
  const documents: PipelineDocument[] = [];
  await inParallel([...rows.entries()], async ([position, row]) => {
    documents[position] = { row, text: await textOf(ctx, pipeline, row) };
  });
  return { documents, totalCount: total?.n ?? 0 };
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
    .orderBy(asc(pipelineDocuments.createdAt), asc(pipelineDocuments.documentId))
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
  return { row, text: await textOf(ctx, pipeline, row) };
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

async function textOf(ctx: Context, pipeline: Pipeline, row: DocumentRow): Promise<string> {
  const object = await ctx.bucket.get(keys.documentText(pipeline.projectId, pipeline.id, row.contentHash));
  return object ? object.text() : '';
}

/** From the return on, no query of the pipeline finds the document. */
export async function deleteDocument(ctx: TenantContext, pipelineId: string, id: string): Promise<void> {
  const { pipeline, row } = await findDocument(ctx, await getWritablePipeline(ctx, pipelineId), id);
  const { documentId } = row;
  await ctx.db
    .delete(pipelineDocuments)
    .where(and(eq(pipelineDocuments.pipelineId, pipeline.id), eq(pipelineDocuments.documentId, documentId)));
  await removeFromIndexes(ctx, pipeline.id, [documentId]);
  await ctx.bucket.delete(keys.documentText(pipeline.projectId, pipeline.id, row.contentHash));
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
  const index = await liveIndex(ctx, pipeline.id);
  if (!index) return { pipeline, row, chunks };
  const sink = openSink(ctx, index);
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

async function inParallel<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    await Promise.all(items.slice(from, from + AT_ONCE).map(work));
  }
}
