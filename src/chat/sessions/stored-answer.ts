import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { chatMessages, chatSessions } from '#src/db/schema/index.ts';

const node = z.looseObject({
  id: z.string(),
  citation: z.number(),
  document_id: z.string(),
  pipeline_id: z.string(),
});
const sources = z.object({ nodes: z.array(node.nullable().catch(null)) });
const citations = z.object({ citations: z.array(z.object({ citation: z.number() })) });
const metadata = z.object({ retrieval: z.object({ searched_for: z.string() }) });

/** Answer in a chat session with its question and the passages that it cites. */
export interface StoredAnswer {
  /** Question as it was searched, or as it was asked if the search used the same words. */
  question: string;
  text: string;
  cited: { citation: number; chunk_id: string; document_id: string; pipeline_id: string }[];
}

/**
 * Returns an answer in one of the caller's own chat sessions. Returns `undefined` if there is none, or if its question
 * was deleted.
 */
export async function findOwnAnswer(
  ctx: TenantContext,
  messageId: string,
): Promise<StoredAnswer | undefined> {
  const [found] = await ctx.db
    .select({ message: chatMessages })
    .from(chatMessages)
    .innerJoin(chatSessions, eq(chatSessions.id, chatMessages.sessionId))
    .where(and(eq(chatMessages.id, messageId), eq(chatSessions.userId, ctx.actor.userId)));
  const { answers, annotations, content, sessionId } = found?.message ?? {};
  if (!answers || !sessionId) return undefined;
  const question = await ctx.db.query.chatMessages.findFirst({
    where: and(eq(chatMessages.id, answers), eq(chatMessages.sessionId, sessionId)),
  });
  if (!question?.content) return undefined;
  const read = <Shape>(type: string, schema: z.ZodType<Shape>) => readJson(annotations, type, schema);
  const numbers = new Set(read('citations', citations)?.citations.map(({ citation }) => citation));
  const cited = (read('sources', sources)?.nodes ?? []).flatMap((each) =>
    each && numbers.has(each.citation)
      ? [
          {
            citation: each.citation,
            chunk_id: each.id,
            document_id: each.document_id,
            pipeline_id: each.pipeline_id,
          },
        ]
      : [],
  );
  const searched = read('metadata', metadata)?.retrieval.searched_for;
  return { question: searched ?? question.content, text: content ?? '', cited };
}

function readJson<Shape>(
  annotations: { type: string; data: string }[] | null | undefined,
  type: string,
  schema: z.ZodType<Shape>,
): Shape | undefined {
  const data = annotations?.find((each) => each.type === type)?.data;
  if (data === undefined) return undefined;
  return schema.safeParse(JSON.parse(data)).data;
}
