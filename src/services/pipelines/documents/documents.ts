import { and, asc, count, eq, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import {
  selectIdsOfBothKinds,
  textMemberColumns,
  whereMembers,
  whereTexts,
} from '#src/db/pipeline-members.ts';
import {
  type IngestionStatus,
  indexedDocuments,
  type Pipeline,
  pipelineMembers,
} from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import { selectOpenIndexes } from '#src/services/indexes/indexes.ts';
import { countByStatus } from '../member-statuses.ts';
import { getPipeline, getWritablePipeline } from '../pipelines.ts';
import {
  buildDocumentConditions,
  type DocumentFilter,
  type DocumentMember,
  findMembers,
  isFiltered,
  type Member,
  selectDocuments,
  whereMember,
} from './document-members.ts';
import { getTextKey } from './document-rows.ts';
import { type ShownDocument, showDocument, showDocuments } from './document-texts.ts';
import { removeMembers } from './remove-members.ts';

/** Maximum number of times a document id is URL-decoded, in addition to the router's decoding of the path. */
const MAX_DECODING_ROUNDS = 3;

export interface DocumentPage {
  documents: ShownDocument[];
  totalCount: number;
}

export async function listDocuments(
  ctx: TenantContext,
  pipelineId: string,
  filter: DocumentFilter,
  page: { skip: number; limit: number },
): Promise<DocumentPage> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const where = buildDocumentConditions(pipeline.id, filter);
  // The two queries are not sent as a D1 batch, which loses columns with equal names in joined tables.
  const [rows, [total]] = await Promise.all([
    selectDocumentPage(ctx, pipeline.id, filter, page),
    ctx.db.select({ n: count() }).from(pipelineMembers).where(where),
  ]);
  return { documents: await showDocuments(ctx, pipeline, rows), totalCount: total?.n ?? 0 };
}

/** Selects a page of documents. Documents of one call have the same creation time, so they are sorted by their ids. */
export function selectDocumentPage(
  ctx: Context,
  pipelineId: string,
  filter: DocumentFilter,
  page: { skip: number; limit: number },
) {
  const sorted = [asc(pipelineMembers.createdAt), asc(pipelineMembers.id)];
  if (isFiltered(filter)) {
    const where = buildDocumentConditions(pipelineId, filter);
    return selectDocuments(ctx, where)
      .orderBy(...sorted)
      .limit(page.limit)
      .offset(page.skip);
  }
  const ids = selectIdsOfBothKinds(ctx, pipelineId, asc, page);
  return selectDocuments(ctx, sql`${pipelineMembers.id} in (select id from ${ids})`).orderBy(...sorted);
}

export async function getDocument(
  ctx: TenantContext,
  pipelineId: string,
  id: string,
): Promise<ShownDocument> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const document = await showDocument(ctx, pipeline, await findDocument(ctx, pipeline, id));
  if (!document) throw new NotFound('Document', id);
  return document;
}

/**
 * Returns a document by id. Some clients encode ids several times, so an id that is not found is decoded and
 * looked up again.
 */
export async function findDocument(
  ctx: TenantContext,
  pipeline: Pipeline,
  id: string,
): Promise<DocumentMember> {
  const decodings = listDecodings(id);
  const rows = await findMembers(ctx, pipeline.id, decodings);
  const found = decodings.find((each) => rows.has(each));
  if (found === undefined) throw new NotFound('Document', id);
  return rows.get(found)!;
}

/** Removes a document from a pipeline, so that queries no longer find it. A file stays in the project. */
export async function deleteDocument(ctx: TenantContext, pipelineId: string, id: string): Promise<void> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const { member } = await findDocument(ctx, pipeline, id);
  const deleted = await removeMembers(ctx, pipeline.id, [member.documentId], whereMember(member));
  await ctx.bucket.delete(deleted.flatMap(({ textId }) => (textId ? [getTextKey(pipeline, textId)] : [])));
}

/** Indexes a document again, even if indexing the same content failed before. */
export async function syncDocument(ctx: TenantContext, pipelineId: string, id: string): Promise<Member> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const { member } = await findDocument(ctx, pipeline, id);
  const { documentId } = member;
  const [updated] = await ctx.db
    .update(pipelineMembers)
    .set({ failedFingerprint: null, status: 'NOT_STARTED', statusUpdatedAt: new Date(), error: null })
    .where(whereMember(member))
    .returning();
  for (const index of await selectOpenIndexes(ctx, pipeline.id)) {
    await ctx.db
      .update(indexedDocuments)
      .set({ contentFingerprint: '' })
      .where(and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, documentId)));
  }
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, { reason: 'request' });
  return updated ?? member;
}

export async function countDocumentsByStatus(
  ctx: TenantContext,
  pipelineId: string,
): Promise<Partial<Record<IngestionStatus, number>>> {
  const pipeline = await getPipeline(ctx, pipelineId);
  return countByStatus(ctx, whereMembers(pipeline.id));
}

export interface ExcludedKeys {
  embed: string[];
  llm: string[];
}

/**
 * Returns the metadata keys that documents exclude from embedding and language models, by document id. Files
 * exclude none.
 */
export async function readExcludedKeys(
  ctx: Context,
  pipelineId: string,
  chunks: Pick<StoredChunk, 'documentId' | 'metadata'>[],
): Promise<Map<string, ExcludedKeys>> {
  const ids = new Set(chunks.filter((each) => !each.metadata.file_id).map((each) => each.documentId));
  if (ids.size === 0) return new Map();
  const rows = await ctx.db
    .select({
      id: textMemberColumns.documentId,
      embed: textMemberColumns.excludedEmbedMetadataKeys,
      llm: textMemberColumns.excludedLlmMetadataKeys,
    })
    .from(pipelineMembers)
    .where(and(whereTexts(pipelineId), isInList(pipelineMembers.documentId, [...ids])));
  return new Map(rows.map(({ id, embed, llm }) => [id, { embed, llm }]));
}

/**
 * Returns possible spellings of an id from a URL path: the unchanged id first, then repeated URL-decodings. A
 * `+` is both kept and read as a space.
 */
function listDecodings(id: string): string[] {
  const spellings = new Set([id]);
  let round = [id];
  for (let rounds = 0; rounds < MAX_DECODING_ROUNDS; rounds += 1) {
    round = round.flatMap((each) => [decodeOnce(each), decodeOnce(each.replaceAll('+', ' '))]);
    for (const each of round) spellings.add(each);
  }
  return [...spellings];
}

function decodeOnce(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
