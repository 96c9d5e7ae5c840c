import { eq } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { dataSinks } from '#src/db/schema/index.ts';
import type { Pipeline } from '#src/services/indexes/indexes.ts';
import { requireSink } from '#src/sinks/registry.ts';

/** Throws SinkError when the pipeline is to write to a data sink that it cannot write to. */
export async function requireDataSink(ctx: Context, { dataSinkId }: Pipeline): Promise<void> {
  if (!dataSinkId) return;
  const sink = await ctx.db.query.dataSinks.findFirst({ where: eq(dataSinks.id, dataSinkId) });
  if (sink) requireSink(sink.sinkType, sink.component);
}
