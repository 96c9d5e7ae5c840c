import type { Context } from '#src/context.ts';
import type { PipelineIndex } from '#src/db/schema/index.ts';
import { sinkOfIndex } from '#src/services/connections/index-sink.ts';
import managed from '#src/sinks/managed/managed.ts';
import type { ShardDirectory } from '#src/sinks/managed/shard-directory.ts';
import { openDriver } from '#src/sinks/open-driver.ts';
import { sinkDriver } from '#src/sinks/registry.ts';
import type { Sink, SinkDeps } from '#src/sinks/sink.ts';
import { directoryOf } from './directory.ts';

/** What a driver is given of the service. */
export function sinkDeps(ctx: Context): SinkDeps {
  return { fetch: (input, init) => fetch(input, init), log: ctx.log, settings: ctx.settings };
}

/** The store that an index is in, whatever its pipeline writes to by now. Throws SinkError when nothing opens it. */
export async function openSink(ctx: Context, index: PipelineIndex): Promise<Sink> {
  const deps = { ...sinkDeps(ctx), indexId: index.id };
  const directory = directoryOf(ctx, index);
  const config = await sinkOfIndex(ctx, index);
  if (!config) {
    return openDriver(managed, managed.settings.parse({}), { ...deps, objects: ctx.objects, directory });
  }
  const driver = sinkDriver(config.type, config.component);
  return withEntries(openDriver(driver, config.component, deps), directory);
}

/**
 * A sink that enters a document in the index's table before its first chunks are staged, as the managed index does
 * with its shards: what was begun and never finished is found by the next run and taken out again.
 */
export function withEntries(sink: Sink, directory: Pick<ShardDirectory, 'assign'>): Sink {
  const entered = new Set<string>();
  const enter = async (documentId: string) => {
    if (entered.has(documentId)) return;
    await directory.assign(documentId);
    entered.add(documentId);
  };
  return {
    ...sink,
    async stage(document, chunks) {
      await enter(document.documentId);
      return sink.stage(document, chunks);
    },
    async publish(document, lastChunks, chunkCount) {
      await enter(document.documentId);
      return sink.publish(document, lastChunks, chunkCount);
    },
  };
}
