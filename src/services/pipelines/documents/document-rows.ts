import { and } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { type TextMember, textMemberColumns, whereTexts } from '#src/db/pipeline-members.ts';
import { type Pipeline, pipelineMembers } from '#src/db/schema/index.ts';

export type PipelineDocument = { row: TextMember; text: string };

export async function findTextRows(
  ctx: Context,
  pipelineId: string,
  ids: string[],
): Promise<Map<string, TextMember>> {
  const rows = await ctx.db
    .select(textMemberColumns)
    .from(pipelineMembers)
    .where(and(whereTexts(pipelineId), isInList(pipelineMembers.documentId, ids)));
  return new Map(rows.map((row) => [row.documentId, row]));
}

export const getTextKey = ({ projectId, id }: Pipeline, textId: string) =>
  keys.documentText(projectId, id, textId);

/**
 * Returns the text if it can be stored in the database row. Returns null if the text is too long or contains
 * the character NUL, which truncates texts in some SQL functions. Such texts are stored in the bucket.
 */
export const getRowText = ({ settings }: Context, text: string): string | null =>
  text.length <= settings.DOCUMENT_ROW_CHARACTERS && !text.includes('\0') ? text.toWellFormed() : null;

/**
 * Returns a stored document with its text. If the text was replaced in the meantime, returns the new version.
 * Returns `undefined` if the document was deleted.
 */
export async function readText(
  ctx: Context,
  pipeline: Pipeline,
  row: TextMember,
): Promise<PipelineDocument | undefined> {
  for (let current: TextMember | undefined = row; current; ) {
    const { documentId, textId, text }: TextMember = current;
    if (text !== null) return { row: current, text };
    const object = await ctx.bucket.get(getTextKey(pipeline, textId));
    if (object) return { row: current, text: await object.text() };
    current = (await findTextRows(ctx, pipeline.id, [documentId])).get(documentId);
    if (current?.textId === textId)
      throw new Error(`the text of document ${documentId} is not in the bucket`);
  }
  return undefined;
}
