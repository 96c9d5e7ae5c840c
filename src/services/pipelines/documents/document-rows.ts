import { and } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { type TextMember, textMember, textsOf } from '#src/db/pipeline-members.ts';
import { type Pipeline, pipelineMembers } from '#src/db/schema/index.ts';

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

/** Maximum characters of a text that is stored in its row. Longer ones are stored in the bucket. */
const SHORT = 8_192;

/**
 * Returns the text to store in the row, or null if the bucket stores it. Texts with NUL are stored in the
 * bucket, because some SQL functions end at NUL.
 */
export const keptInRow = (text: string): string | null =>
  text.length <= SHORT && !text.includes('\0') ? text.toWellFormed() : null;

/**
 * Returns the row with its text. If the text was replaced in the meantime, the row is read again; undefined
 * if the document was deleted.
 */
export async function withText(
  ctx: Context,
  pipeline: Pipeline,
  row: TextMember,
): Promise<PipelineDocument | undefined> {
  for (let current: TextMember | undefined = row; current; ) {
    const { documentId, textId, text }: TextMember = current;
    if (text !== null) return { row: current, text };
    const object = await ctx.bucket.get(textKey(pipeline, textId));
    if (object) return { row: current, text: await object.text() };
    current = (await findRows(ctx, pipeline.id, [documentId])).get(documentId);
    if (current?.textId === textId)
      throw new Error(`the text of document ${documentId} is not in the bucket`);
  }
  return undefined;
}
