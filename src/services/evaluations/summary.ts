import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { RunSummary } from '#src/db/schema/index.ts';
import { METRICS } from '#src/evaluation/metrics.ts';

/** SQL expression for a measure in the column `metrics` of a result. Null if the question does not have it. */
export const readMetric = (metric: string): SQL => sql.raw(`json_extract(result.metrics, '$."${metric}"')`);

/** SQL columns with the mean of each measure, in the order of METRICS. */
const MEANS = sql.join(
  METRICS.map((metric, index) => sql`avg(${readMetric(metric)}) as ${sql.raw(`m${index}`)}`),
  sql`, `,
);

const COUNTS = sql`count(*) filter (where result.status = 'completed') as completed,
  count(*) filter (where result.status = 'failed') as failed,
  count(json_extract(result.metrics, '$.mrr')) as scored`;

type SummaryRow = Record<string, number | null> & { completed: number; failed: number; scored: number };

const toSummary = ({ completed, failed, scored, ...means }: SummaryRow): RunSummary => ({
  completed,
  failed,
  scored,
  metrics: Object.fromEntries(
    METRICS.flatMap((metric, index) => {
      const mean = means[`m${index}`];
      return typeof mean === 'number' ? [[metric, mean]] : [];
    }),
  ),
});

/** Computes the means of a run from the results that it has so far. */
export async function summarizeRun(ctx: Context, runId: string): Promise<RunSummary> {
  const row = await ctx.db.get<SummaryRow>(
    sql`select ${COUNTS}, ${MEANS} from evaluation_results as result where run_id = ${runId}`,
  );
  return toSummary(row);
}

export const BREAKDOWNS = ['tag', 'document'] as const;
export type Breakdown = (typeof BREAKDOWNS)[number];

/** Maximum number of groups in a breakdown. */
export const MAX_GROUPS = 500;

export interface Group extends RunSummary {
  /** Tag, or id of a document. */
  key: string;
  /** Name of the document's file. Null for tags, text documents and deleted files. */
  name: string | null;
}

const KEYS = {
  tag: sql`select run_id, question_id, value as key from evaluation_results, json_each(tags)`,
  document: sql`select distinct run_id, question_id, expected.value ->> 'document_id' as key
    from evaluation_results, json_each(expectations) as list, json_each(list.value) as expected
    where expected.value ->> 'document_id' is not null`,
} as const satisfies Record<Breakdown, SQL>;

/**
 * Computes the means of a run for the questions of each tag, or for the questions that expect each document. Groups
 * with more questions come first.
 */
export async function breakDownRun(ctx: Context, runId: string, by: Breakdown): Promise<Group[]> {
  const rows = await ctx.db.all<SummaryRow & { key: string; name: string | null }>(sql`
    select grouped.key as key, (select name from files where files.id = grouped.key
        and files.project_id = result.project_id) as name, ${COUNTS}, ${MEANS}
    from (select * from (${KEYS[by]}) where run_id = ${runId}) as grouped
    join evaluation_results as result on result.run_id = grouped.run_id
      and result.question_id = grouped.question_id
    group by grouped.key order by count(*) desc, grouped.key limit ${MAX_GROUPS}`);
  return rows.map(({ key, name, ...row }) => ({
    key,
    name: by === 'document' ? name : null,
    ...toSummary(row as unknown as SummaryRow),
  }));
}
