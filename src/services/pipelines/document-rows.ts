import { and, eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { pipelineDocuments } from '#src/db/schema/index.ts';
import { keys } from '#src/files/keys.ts';
import type { Pipeline } from '#src/services/indexes/indexes.ts';

export type DocumentRow = typeof pipelineDocuments.$inferSelect;
export type PipelineDocument = { row: DocumentRow; text: string };

export async function findRows(
  ctx: Context,
  pipelineId: string,
  ids: string[],
): Promise<Map<string, DocumentRow>> {
  const rows = await ctx.db.query.pipelineDocuments.findMany({
    where: and(
      eq(pipelineDocuments.pipelineId, pipelineId),
      sql`${pipelineDocuments.documentId} in (select value from json_each(${JSON.stringify(ids)}))`,
    ),
  });
  return new Map(rows.map((row) => [row.documentId, row]));
}

export const textKey = ({ projectId, id }: Pipeline, textId: string) =>
  keys.documentText(projectId, id, textId);

/**
 * The row with its text. A text that was replaced since the row was read takes its own row with it; undefined
 * when the document is gone.
 */
export async function withText(
  ctx: Context,
  pipeline: Pipeline,
  row: DocumentRow,
): Promise<PipelineDocument | undefined> {
  for (let current: DocumentRow | undefined = row; current; ) {
    const { documentId, textId }: DocumentRow = current;
    const object = await ctx.bucket.get(textKey(pipeline, textId));
    if (object) return { row: current, text: await object.text() };
    current = (await findRows(ctx, pipeline.id, [documentId])).get(documentId);
    if (current?.textId === textId)
      throw new Error(`the text of document ${documentId} is not in the bucket`);
  }
  return undefined;
}
