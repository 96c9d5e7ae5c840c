import { eq } from 'drizzle-orm';
import type { Context } from '../../context.ts';
import { dataSinks } from '../../db/schema/index.ts';
import { requireSink } from '../../ingest/sinks/registry.ts';
import type { Pipeline } from '../indexes.ts';

/** Throws SinkError when the pipeline is to write to a data sink that it cannot write to. */
export async function requireDataSink(ctx: Context, { dataSinkId }: Pipeline): Promise<void> {
  if (!dataSinkId) return;
  const sink = await ctx.db.query.dataSinks.findFirst({ where: eq(dataSinks.id, dataSinkId) });
  if (sink) requireSink(sink.sinkType, sink.component);
}
