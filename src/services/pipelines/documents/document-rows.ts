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

/** Texts of up to so many characters are kept in their rows, which are read anyway. */
const SHORT = 8_192;

/** What of a text its row keeps. A NUL ends a text for some of SQL's functions. */
export const keptInRow = (text: string): string | null =>
  text.length <= SHORT && !text.includes('\0') ? text.toWellFormed() : null;

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
