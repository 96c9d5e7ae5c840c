import type { Context } from '#src/context/context.ts';
import type { PipelineIndex } from '#src/db/schema/index.ts';
import type { Sink, SinkDeps } from '#src/ports/sink.ts';
import { sinkOfIndex } from '#src/services/connections/index-sink.ts';
import managed from '#src/sinks/managed/managed.ts';
import { openDriver } from '#src/sinks/open-driver.ts';
import { sinkDriver } from '#src/sinks/registry.ts';
import { directoryOf } from './directory.ts';

/** Returns the dependencies of a sink driver. */
export function sinkDeps(ctx: Context): SinkDeps {
  return { fetch: (input, init) => fetch(input, init), log: ctx.log, settings: ctx.settings };
}

/**
 * Opens the store that holds an index, even if its pipeline uses another one now. Throws SinkError if it
 * cannot be opened.
 */
export async function openSink(ctx: Context, index: PipelineIndex): Promise<Sink> {
  const directory = directoryOf(ctx, index);
  const deps = { ...sinkDeps(ctx), indexId: index.id, objects: ctx.objects, directory };
  const config = await sinkOfIndex(ctx, index);
  if (!config) return openDriver(managed, managed.settings.parse({}), deps);
  return openDriver(sinkDriver(config.type, config.component), config.component, deps);
}
