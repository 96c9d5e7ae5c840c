import { and } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { type TextMember, textMember, textsOf } from '#src/db/pipeline-members.ts';
import { type Pipeline, pipelineMembers } from '#src/db/schema/index.ts';
import { keys } from '#src/files/keys.ts';

export type PipelineDocument = { row: TextMember; text: string };

export async function findRows(
  ctx: Context,
  pipelineId: string,
  ids: string[],
): Promise<Map<string, TextMember>> {
  const rows = await ctx.db
    .select(textMember)
    .from(pipelineMembers)
    .where(and(textsOf(pipelineId), isOneOf(pipelineMembers.documentId, ids)));
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
  row: TextMember,
): Promise<PipelineDocument | undefined> {
  for (let current: TextMember | undefined = row; current; ) {
    const { documentId, textId }: TextMember = current;
    const object = await ctx.bucket.get(textKey(pipeline, textId));
    if (object) return { row: current, text: await object.text() };
    current = (await findRows(ctx, pipeline.id, [documentId])).get(documentId);
    if (current?.textId === textId)
      throw new Error(`the text of document ${documentId} is not in the bucket`);
  }
  return undefined;
}
