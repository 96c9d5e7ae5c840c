import type { z } from 'zod';
import type { Sink } from '#src/ports/sink.ts';
import type { SinkDriver } from '#src/sinks/define.ts';
import { externalSink } from '#src/sinks/external/external-sink.ts';
import type { VectorStore } from '#src/sinks/external/vector-store.ts';
import type { IndexDeps } from '#src/sinks/managed/index-deps.ts';
import { managedIndex } from '#src/sinks/managed/managed-index.ts';
import { openDriver } from '#src/sinks/open-driver.ts';
import { Directory, managedDeps } from './managed-index.ts';

type Open = (indexId: string, directory: Directory, silence?: number) => Sink;

/** An index as the service opens it, with the shards of the runtime beside it. */
export function opening(driver: SinkDriver, component: () => Record<string, unknown>): Open {
  return (indexId, directory, silence = 30) => {
    const settings = { ...managedDeps.settings, SILENCE_SECONDS: silence };
    const deps = { ...managedDeps, settings, indexId, directory };
    return openDriver(driver, driver.settings.parse(component()), deps);
  };
}

/** A driver whose store is never named documents that pass filters: it is told of filters what it can be told. */
export function namingNone<Settings extends z.ZodObject>(
  driver: SinkDriver<string, Settings>,
  open: (settings: z.output<Settings>, deps: IndexDeps) => VectorStore,
): SinkDriver<string, Settings> {
  return {
    ...driver,
    open: (settings, deps) =>
      externalSink({ store: open(settings, deps), index: managedIndex(deps), deps, namedDocuments: 0 }),
  };
}

/** A new index of its own, opened as often as wanted. */
export function fresh(open: Open): () => Sink {
  const index = [crypto.randomUUID(), new Directory()] as const;
  return () => open(...index);
}
