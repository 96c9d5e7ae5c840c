import { and, asc, count, eq, type SQL } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { membersOf, textMember, textsOf } from '#src/db/pipeline-members.ts';
import {
  type IngestionStatus,
  indexedDocuments,
  type Pipeline,
  pipelineMembers,
} from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import { openIndexes } from '#src/services/indexes/indexes.ts';
import { getPipeline, getWritablePipeline } from '../pipelines.ts';
import { statusCounts } from '../statuses.ts';
import {
  type DocumentFilter,
  type DocumentMember,
  documentConditions,
  documentRows,
  findMembers,
  isMember,
  type Member,
} from './document-members.ts';
import { textKey } from './document-rows.ts';
import { type ShownDocument, showDocument, showDocuments } from './document-texts.ts';
import { removeMembers } from './remove-members.ts';

/** Maximum rounds of URL decoding, besides that of the path. */
const MOST_ROUNDS = 3;

export interface DocumentPage {
  documents: ShownDocument[];
  totalCount: number;
}

/** Lists texts and files in order of insertion. */
export async function listDocuments(
  ctx: TenantContext,
  pipelineId: string,
  filter: DocumentFilter,
  page: { skip: number; limit: number },
): Promise<DocumentPage> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const where = documentConditions(pipeline.id, filter);
  // Not a batch, because D1 returns batch rows by column name, and joined tables share column names.
  const [rows, [total]] = await Promise.all([
    documentPage(ctx, where, page),
    ctx.db.select({ n: count() }).from(pipelineMembers).where(where),
  ]);
  return { documents: await showDocuments(ctx, pipeline, rows), totalCount: total?.n ?? 0 };
}

export const documentPage = (ctx: Context, where: SQL | undefined, page: { skip: number; limit: number }) =>
  documentRows(ctx, where)
    // Documents of one call have the same time; their ids rise.
    .orderBy(asc(pipelineMembers.createdAt), asc(pipelineMembers.id))
    .limit(page.limit)
    .offset(page.skip);

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

/** Some clients encode ids several times. An id that is not found as sent is looked up in decoded form. */
export async function findDocument(
  ctx: TenantContext,
  pipeline: Pipeline,
  id: string,
): Promise<DocumentMember> {
  const spellings = spellingsOf(id);
  const rows = await findMembers(ctx, pipeline.id, spellings);
  const found = spellings.find((each) => rows.has(each));
  if (found === undefined) throw new NotFound('Document', id);
  return rows.get(found)!;
}

/** Removes a document. Once this returns, no query of the pipeline finds it. A file stays in the project. */
export async function deleteDocument(ctx: TenantContext, pipelineId: string, id: string): Promise<void> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const { member } = await findDocument(ctx, pipeline, id);
  const deleted = await removeMembers(ctx, pipeline.id, [member.documentId], isMember(member));
  await ctx.bucket.delete(deleted.flatMap(({ textId }) => (textId ? [textKey(pipeline, textId)] : [])));
}

/** Indexes the document again, even if an attempt with equal inputs failed. */
export async function syncDocument(ctx: TenantContext, pipelineId: string, id: string): Promise<Member> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const { member } = await findDocument(ctx, pipeline, id);
  const { documentId } = member;
  const [updated] = await ctx.db
    .update(pipelineMembers)
    .set({ failedFingerprint: null, status: 'NOT_STARTED', statusUpdatedAt: new Date(), error: null })
    .where(isMember(member))
    .returning();
  for (const index of await openIndexes(ctx, pipeline.id)) {
    await ctx.db
      .update(indexedDocuments)
      .set({ contentFingerprint: '' })
      .where(and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, documentId)));
  }
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, { reason: 'request' });
  return updated ?? member;
}

export async function documentStatusCounts(
  ctx: TenantContext,
  pipelineId: string,
): Promise<Partial<Record<IngestionStatus, number>>> {
  const pipeline = await getPipeline(ctx, pipelineId);
  return statusCounts(ctx, membersOf(pipeline.id));
}

export interface ExcludedKeys {
  embed: string[];
  llm: string[];
}

/** Returns metadata keys that individual documents exclude from models. Files have none. */
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

/**
 * Returns possible spellings of an id from a path, most likely first: unchanged, then decoded repeatedly,
 * also with `+` as a space.
 */
function spellingsOf(id: string): string[] {
  const spellings = new Set([id]);
  let round = [id];
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    round = round.flatMap((each) => [unquoted(each), unquoted(each.replaceAll('+', ' '))]);
    for (const each of round) spellings.add(each);
  }
  return [...spellings];
}

function unquoted(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
