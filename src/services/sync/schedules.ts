import { and, eq, isNotNull } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { pipelineDataSources } from '#src/db/schema/index.ts';

export interface ScheduledSource {
  dataSourceId: string;
  intervalMs: number;
}

export async function scheduledSources(ctx: Context, pipelineId: string): Promise<ScheduledSource[]> {
  const rows = await ctx.db
    .select({ id: pipelineDataSources.dataSourceId, seconds: pipelineDataSources.syncInterval })
    .from(pipelineDataSources)
    .where(and(eq(pipelineDataSources.pipelineId, pipelineId), isNotNull(pipelineDataSources.syncInterval)));
  return rows.map(({ id, seconds }) => ({ dataSourceId: id, intervalMs: seconds! * 1000 }));
}
