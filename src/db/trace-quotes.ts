import { eq, sql } from 'drizzle-orm';
import type { Database } from './client.ts';
import { traces } from './schema/index.ts';

/** Maximum number of traces that one statement looks through. */
const TRACES_PER_PAGE = 500;

/** Members of a recorded answer that may quote its passages. */
interface QuotingAnswer {
  text: string | null;
  characters: number;
  condensed_question: string | null;
  searched_parts: string[] | null;
  removed_citations: { reason: string; statement: string | null }[];
}

/** Members of a trace that say what its answer may quote. */
interface QuotingDetails {
  has_text: boolean;
  is_redacted: boolean;
  candidates: { document_id: string; pipeline_id: string; rank_after: number | null }[];
  answer: QuotingAnswer | null;
}

/** Removes the number of the statement that a reason names. */
export function hideNumber(reason: string): string {
  const digit = reason.search(/\p{Nd}/u);
  return digit < 0 ? reason : reason.slice(0, Math.max(0, reason.lastIndexOf(' ', digit)));
}

/** Returns whether an answer has texts that may quote its passages. */
export const hasQuotes = (answer: QuotingAnswer | null): boolean =>
  answer !== null &&
  (answer.text !== null ||
    answer.condensed_question !== null ||
    answer.removed_citations.some(({ statement }) => statement !== null));

/** Returns whether the answer was recorded with its text, and the text was deleted with a passage. */
export const isErased = ({ has_text, is_redacted, answer }: QuotingDetails): boolean =>
  has_text && !is_redacted && answer !== null && answer.text === null && answer.characters > 0;

/** Returns an answer without the texts that may quote its passages. */
export const removeQuotes = <Answer extends QuotingAnswer>(answer: Answer | null): Answer | null =>
  answer && {
    ...answer,
    text: null,
    condensed_question: null,
    searched_parts: null,
    removed_citations: answer.removed_citations.map((each) => ({
      ...each,
      reason: hideNumber(each.reason),
      statement: null,
    })),
  };

/**
 * Deletes what traces quote of documents that leave a pipeline. Looks page by page through the traces of the project
 * that were recorded with texts, and parses only those that contain the id of a document. May be repeated.
 */
export async function eraseQuotes(
  ctx: { db: Database },
  pipelineId: string,
  documentIds: readonly string[],
): Promise<void> {
  const ids = JSON.stringify(documentIds);
  for (let after = ''; ; ) {
    const page = sql`select id, details from traces where project_id =
        (select project_id from pipelines where id = ${pipelineId})
      and details ->> '$.has_text' = 1 and id > ${after} order by id limit ${TRACES_PER_PAGE}`;
    const [last] = await ctx.db.all<{ id: string | null; found: string }>(sql`
      select max(id) as id, json_group_array(id) filter (where instr(details, ${pipelineId}) > 0
        and exists (select 1 from json_each(${ids}) as gone where instr(details, gone.value) > 0)
        and details ->> '$.answer.status' is not null) as found from (${page})`);
    if (!last?.id) return;
    for (const id of JSON.parse(last.found) as string[]) {
      await eraseQuotesOfTrace(ctx, id, pipelineId, new Set(documentIds));
    }
    after = last.id;
  }
}

async function eraseQuotesOfTrace(
  ctx: { db: Database },
  id: string,
  pipelineId: string,
  documentIds: ReadonlySet<string>,
): Promise<void> {
  const row = await ctx.db.query.traces.findFirst({ where: eq(traces.id, id) });
  const details = (row?.details ?? null) as QuotingDetails | null;
  if (!details || !hasQuotes(details.answer)) return;
  const mayQuote = details.candidates.some(
    (each) =>
      each.rank_after !== null && each.pipeline_id === pipelineId && documentIds.has(each.document_id),
  );
  if (!mayQuote) return;
  const safe = { ...details, answer: removeQuotes(details.answer) };
  await ctx.db.update(traces).set({ details: safe }).where(eq(traces.id, id));
}
