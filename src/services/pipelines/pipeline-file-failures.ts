import { count, desc, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { type IngestionError, pipelineMembers } from '#src/db/schema/index.ts';
import { type PipelineFileFilter, pipelineFileConditions, reasonOf } from './pipeline-file-lists.ts';
import { getPipeline } from './pipelines.ts';

/** Maximum number of listed reasons. Messages that quote file content could be as many as there are files. */
const MOST_REASONS = 100;

export interface Failures {
  pipeline_id: string;
  reasons: { reason: string; step: IngestionError['step'] | null; count: number }[];
  total_count: number;
}

/** Counts the failed files by reason, most frequent first. */
export async function failuresByReason(
  ctx: TenantContext,
  pipelineId: string,
  filter: Pick<PipelineFileFilter, 'data_source_id' | 'only_manually_uploaded'>,
): Promise<Failures> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const where = pipelineFileConditions(pipeline.id, { ...filter, statuses: ['ERROR'] });
  const [rows, total] = await Promise.all([
    failureRows(ctx, where).limit(MOST_REASONS),
    ctx.db.$count(pipelineMembers, where),
  ]);
  const reasons = rows.map(({ reason, step, n }) => ({ reason: reason ?? '', step, count: n }));
  return { pipeline_id: pipeline.id, reasons, total_count: total };
}

export function failureRows(ctx: Context, where: SQL | undefined) {
  const step = sql<IngestionError['step'] | null>`${pipelineMembers.error} ->> '$.step'`;
  return ctx.db
    .select({ reason: sql<string | null>`${reasonOf}`, step, n: count() })
    .from(pipelineMembers)
    .where(where)
    .groupBy(reasonOf, step)
    .orderBy(desc(count()), reasonOf)
    .$dynamic();
}
