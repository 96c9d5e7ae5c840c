import { type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { type TextMember, textMemberColumns } from '#src/db/pipeline-members.ts';
import { buildInsertSelects } from '#src/db/rows.ts';
import { type Pipeline, pipelineMembers } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { Conflict } from '#src/lib/errors.ts';
import { newShortId } from '#src/lib/ids.ts';
import { deleteKeys } from '#src/services/files/bucket.ts';
import { runCleanup } from '#src/services/files/content.ts';
import { documentItem, prioritizeItems } from '#src/work/sync-items.ts';
import { getPipelineForInserts } from '../pipelines.ts';
import { buildDraft, type NewDocument } from './document-input.ts';
import { findTextRows, getRowText, getTextKey, type PipelineDocument } from './document-rows.ts';

type Draft = Awaited<ReturnType<typeof buildDraft>>;

/**
 * Inserts texts into a pipeline and indexes them. With `replace`, a document with the same id is replaced.
 * Otherwise it causes a Conflict error, unless its content is equal.
 */
export async function putDocuments(
  ctx: TenantContext,
  pipelineId: string,
  input: NewDocument[],
  options: { replace: boolean },
): Promise<PipelineDocument[]> {
  const pipeline = await getPipelineForInserts(ctx, pipelineId);
  const drafts = new Map((await Promise.all(input.map(buildDraft))).map((each) => [each.documentId, each]));
  const rows = await writeDocuments(ctx, pipeline, [...drafts.values()], options);
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, {
    reason: 'change',
    ...prioritizeItems([...drafts].map(([id, { text }]) => documentItem(id, text.length))),
  });
  return [...drafts].map(([id, { text }]) => ({ row: rows.get(id)!, text }));
}

/**
 * Stores the texts in the bucket, and then their rows in the database. If a row was changed concurrently, it
 * is read again and the write is retried.
 */
async function writeDocuments(
  ctx: Context,
  pipeline: Pipeline,
  drafts: Draft[],
  { replace }: { replace: boolean },
): Promise<Map<string, TextMember>> {
  const stored = new Map<string, TextMember>();
  const written = new Map<string, string>();
  const unused = new Set<string>();
  for (let rest = drafts; rest.length > 0; rest = drafts.filter((each) => !stored.has(each.documentId))) {
    const ids = rest.map((each) => each.documentId);
    const known = await findTextRows(ctx, pipeline.id, ids);
    // Rows of earlier releases have longer hashes, which begin with the same characters.
    const isKnown = ({ documentId, contentHash }: Draft) =>
      known.get(documentId)?.contentHash.startsWith(contentHash) === true;
    const fresh = rest.filter((each) => !isKnown(each));
    const changed = fresh.find((each) => !replace && known.has(each.documentId));
    if (changed) {
      await deleteTexts(ctx, pipeline, unused);
      throw new Conflict(`The pipeline already contains a document with the id ${changed.documentId}.`);
    }
    await inParallel(
      fresh.filter((each) => !written.has(each.documentId)),
      async ({ documentId, text }) => {
        const textId = newShortId();
        written.set(documentId, textId);
        if (getRowText(ctx, text) !== null) return;
        await ctx.bucket.put(getTextKey(pipeline, textId), text);
        unused.add(textId);
      },
    );
    const attempts = rest.map((draft) => {
      const seen = known.get(draft.documentId)?.textId ?? null;
      return { draft, seen, textId: isKnown(draft) ? seen! : written.get(draft.documentId)! };
    });
    for (const row of await storeUnchanged(ctx, pipeline, attempts)) {
      const before = known.get(row.documentId);
      if (before?.text === null) unused.add(before.textId);
      unused.delete(row.textId);
      stored.set(row.documentId, row);
    }
  }
  await deleteTexts(ctx, pipeline, unused);
  return stored;
}

interface Attempt {
  draft: Draft;
  /** Text id of the existing row when it was read. Null if there was no row. */
  seen: string | null;
  textId: string;
}

/**
 * Writes the rows in one batch, except rows whose text was changed since they were read. Returns the written
 * rows.
 */
async function storeUnchanged(ctx: Context, pipeline: Pipeline, attempts: Attempt[]): Promise<TextMember[]> {
  const describedAt = new Date();
  const rows = attempts.map(({ draft: { text, ...values }, seen, textId }) => {
    return {
      id: newShortId(),
      pipelineId: pipeline.id,
      kind: 'text' as const,
      ...values,
      textId,
      text: getRowText(ctx, text),
      describedAt,
      seen,
    };
  });
  const isUnchanged = sql`value ->> 'seen' is (select text_id from pipeline_members
    where pipeline_id = ${pipeline.id} and kind = 'text' and document_id = value ->> 'documentId')`;
  const unlessTextChanged = (column: string, otherwise: string | number | SQL | null) =>
    sql`case when text_id = excluded.text_id then ${sql.raw(column)} else ${otherwise} end`;
  const [first, ...more] = buildInsertSelects(pipelineMembers, rows, isUnchanged).map((page) =>
    ctx.db
      .insert(pipelineMembers)
      .select(page)
      .onConflictDoUpdate({
        target: [pipelineMembers.pipelineId, pipelineMembers.documentId, pipelineMembers.kind],
        set: {
          contentHash: unlessTextChanged('content_hash', sql`excluded.content_hash`),
          textId: sql`excluded.text_id`,
          text: sql`excluded.text`,
          metadata: sql`excluded.metadata`,
          excludedEmbedMetadataKeys: sql`excluded.excluded_embed_metadata_keys`,
          excludedLlmMetadataKeys: sql`excluded.excluded_llm_metadata_keys`,
          pagePositions: sql`excluded.page_positions`,
          describedAt,
          status: unlessTextChanged('status', 'NOT_STARTED'),
          statusUpdatedAt: unlessTextChanged('status_updated_at', describedAt.getTime()),
          error: unlessTextChanged('error', null),
          chunkCount: unlessTextChanged('chunk_count', null),
        },
      })
      .returning(textMemberColumns),
  );
  return first ? (await ctx.db.batch([first, ...more])).flat() : [];
}

function deleteTexts(ctx: Context, pipeline: Pipeline, textIds: Set<string>): Promise<void> {
  const unused = [...textIds].map((id) => getTextKey(pipeline, id));
  return runCleanup(ctx, deleteKeys(ctx.bucket, unused));
}
