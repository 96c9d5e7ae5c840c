import { sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { type TextMember, textMember } from '#src/db/pipeline-members.ts';
import { rowsToInsert } from '#src/db/rows.ts';
import { type Pipeline, pipelineMembers } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { Conflict } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { deleteKeys } from '#src/services/files/bucket.ts';
import { tidying } from '#src/services/files/content.ts';
import { documentItem, firstOf } from '#src/work/sync-items.ts';
import { getFillablePipeline } from '../pipelines.ts';
import { identify, type NewDocument } from './document-input.ts';
import { findRows, keptInRow, type PipelineDocument, textKey } from './document-rows.ts';

type Draft = Awaited<ReturnType<typeof identify>>;

/**
 * Inserts texts and indexes them. With `replace`, documents with existing ids get the new text. Otherwise an
 * existing id throws Conflict, unless its content is equal, so that a repeated call does no harm.
 */
export async function putDocuments(
  ctx: TenantContext,
  pipelineId: string,
  input: NewDocument[],
  options: { replace: boolean },
): Promise<PipelineDocument[]> {
  const pipeline = await getFillablePipeline(ctx, pipelineId);
  const drafts = new Map((await Promise.all(input.map(identify))).map((each) => [each.documentId, each]));
  const rows = await writeDocuments(ctx, pipeline, [...drafts.values()], options);
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, {
    reason: 'change',
    ...firstOf([...drafts].map(([id, { text }]) => documentItem(id, text.length))),
  });
  return [...drafts].map(([id, { text }]) => ({ row: rows.get(id)!, text }));
}

/** Writes texts before their rows. Rows that changed since they were read are read and written again. */
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
    const known = await findRows(ctx, pipeline.id, ids);
    const isKnown = ({ documentId, contentHash }: Draft) =>
      known.get(documentId)?.contentHash === contentHash;
    const fresh = rest.filter((each) => !isKnown(each));
    const changed = fresh.find((each) => !replace && known.has(each.documentId));
    if (changed) {
      await forgetTexts(ctx, pipeline, unused);
      throw new Conflict(`A document ${changed.documentId} is in the pipeline already.`);
    }
    await inParallel(
      fresh.filter((each) => !written.has(each.documentId)),
      async ({ documentId, text }) => {
        const textId = newId();
        written.set(documentId, textId);
        if (keptInRow(text) !== null) return;
        await ctx.bucket.put(textKey(pipeline, textId), text);
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
  await forgetTexts(ctx, pipeline, unused);
  return stored;
}

interface Attempt {
  draft: Draft;
  /** Text id of the row when it was read; null if there was no row. */
  seen: string | null;
  textId: string;
}

/** Writes the rows whose text has not changed since, in one step, and returns them. */
async function storeUnchanged(ctx: Context, pipeline: Pipeline, attempts: Attempt[]): Promise<TextMember[]> {
  const describedAt = new Date();
  const rows = attempts.map(({ draft: { text, ...values }, seen, textId }) => {
    return {
      id: newId(),
      pipelineId: pipeline.id,
      kind: 'text' as const,
      ...values,
      textId,
      text: keptInRow(text),
      describedAt,
      seen,
    };
  });
  const isAsSeen = sql`value ->> 'seen' is (select text_id from pipeline_members
    where pipeline_id = ${pipeline.id} and kind = 'text' and document_id = value ->> 'documentId')`;
  const unlessNew = (column: string, otherwise: string | number | null) =>
    sql`case when text_id = excluded.text_id then ${sql.raw(column)} else ${otherwise} end`;
  const [first, ...more] = rowsToInsert(pipelineMembers, rows, isAsSeen).map((page) =>
    ctx.db
      .insert(pipelineMembers)
      .select(page)
      .onConflictDoUpdate({
        target: [pipelineMembers.pipelineId, pipelineMembers.documentId, pipelineMembers.kind],
        set: {
          contentHash: sql`excluded.content_hash`,
          textId: sql`excluded.text_id`,
          text: sql`excluded.text`,
          metadata: sql`excluded.metadata`,
          excludedEmbedMetadataKeys: sql`excluded.excluded_embed_metadata_keys`,
          excludedLlmMetadataKeys: sql`excluded.excluded_llm_metadata_keys`,
          pagePositions: sql`excluded.page_positions`,
          describedAt,
          status: unlessNew('status', 'NOT_STARTED'),
          statusUpdatedAt: unlessNew('status_updated_at', describedAt.getTime()),
          error: unlessNew('error', null),
          chunkCount: unlessNew('chunk_count', null),
        },
      })
      .returning(textMember),
  );
  return first ? (await ctx.db.batch([first, ...more])).flat() : [];
}

function forgetTexts(ctx: Context, pipeline: Pipeline, textIds: Set<string>): Promise<void> {
  const unused = [...textIds].map((id) => textKey(pipeline, id));
  return tidying(ctx, deleteKeys(ctx.bucket, unused));
}
