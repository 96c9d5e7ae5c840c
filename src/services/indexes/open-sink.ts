import type { Context } from '#src/context/context.ts';
import type { PipelineIndex } from '#src/db/schema/index.ts';
import type { Sink, SinkDeps } from '#src/ports/sink.ts';
import { openIndexSink } from '#src/services/connections/index-sink.ts';
import managed from '#src/sinks/managed/managed.ts';
import { openDriver } from '#src/sinks/open-driver.ts';
import { sinkDriver } from '#src/sinks/registry.ts';
import { createDirectory } from './directory.ts';
import { createVersionLedger } from './version-ledger.ts';

export function createSinkDeps(ctx: Context): SinkDeps {
  return { fetch: (input, init) => fetch(input, init), log: ctx.log, settings: ctx.settings };
}

/**
 * Opens the vector store of an index, even if its pipeline uses another one now. Throws SinkError if the
 * store cannot be opened.
 */
export async function openSink(ctx: Context, index: PipelineIndex): Promise<Sink> {
  const directory = createDirectory(ctx, index);
  const ledger = createVersionLedger(ctx, index.id);
  const deps = { ...createSinkDeps(ctx), indexId: index.id, objects: ctx.objects, directory, ledger };
  const config = await openIndexSink(ctx, index);
  if (!config) return openDriver(managed, managed.settings.parse({}), deps);
  return openDriver(sinkDriver(config.type, config.component), config.component, deps);
}
