import { count, desc, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { type IngestionError, pipelineMembers } from '#src/db/schema/index.ts';
import {
  buildPipelineFileConditions,
  errorMessageColumn,
  type PipelineFileFilter,
} from './pipeline-file-lists.ts';
import { getPipeline } from './pipelines.ts';

/**
 * Maximum number of error messages in the list of failures. A limit is needed because messages that quote
 * file content may differ for every file.
 */
const MAX_REASONS = 100;

export interface Failures {
  pipeline_id: string;
  reasons: { reason: string; step: IngestionError['step'] | null; count: number }[];
  total_count: number;
}

export async function countFailuresByReason(
  ctx: TenantContext,
  pipelineId: string,
  filter: Pick<PipelineFileFilter, 'data_source_id' | 'only_manually_uploaded'>,
): Promise<Failures> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const where = buildPipelineFileConditions(pipeline.id, { ...filter, statuses: ['ERROR'] });
  const [rows, total] = await Promise.all([
    selectFailures(ctx, where).limit(MAX_REASONS),
    ctx.db.$count(pipelineMembers, where),
  ]);
  const reasons = rows.map(({ reason, step, n }) => ({ reason: reason ?? '', step, count: n }));
  return { pipeline_id: pipeline.id, reasons, total_count: total };
}

export function selectFailures(ctx: Context, where: SQL | undefined) {
  const step = sql<IngestionError['step'] | null>`${pipelineMembers.error} ->> '$.step'`;
  return ctx.db
    .select({ reason: sql<string | null>`${errorMessageColumn}`, step, n: count() })
    .from(pipelineMembers)
    .where(where)
    .groupBy(errorMessageColumn, step)
    .orderBy(desc(count()), errorMessageColumn)
    .$dynamic();
}
