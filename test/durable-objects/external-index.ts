import type { z } from 'zod';
import type { Sink } from '#src/ports/sink.ts';
import type { SinkDriver } from '#src/sinks/define.ts';
import { externalSink } from '#src/sinks/external/external-sink.ts';
import type { VectorStore } from '#src/sinks/external/vector-store.ts';
import type { IndexDeps } from '#src/sinks/managed/index-deps.ts';
import { createManagedIndex } from '#src/sinks/managed/managed-index.ts';
import { openDriver } from '#src/sinks/open-driver.ts';
import { openTestLedger } from '#test/support/version-ledger.ts';
import { Directory, managedDeps } from './managed-index.ts';

type Open = (indexId: string, directory: Directory, silence?: number) => Sink;

/** Returns a function that opens an index of the driver with the shards of the test runtime. */
export function opening(driver: SinkDriver, component: () => Record<string, unknown>): Open {
  return (indexId, directory, silence = 30) => {
    const settings = { ...managedDeps.settings, SILENCE_SECONDS: silence };
    const deps = { ...managedDeps, settings, indexId, directory, ledger: openTestLedger(indexId) };
    return openDriver(driver, driver.settings.parse(component()), deps);
  };
}

/**
 * Returns a driver whose store never receives document ids as a filter, only the metadata filters that it can
 * evaluate.
 */
export function namingNone<Settings extends z.ZodObject>(
  driver: SinkDriver<string, Settings>,
  open: (settings: z.output<Settings>, deps: IndexDeps) => VectorStore,
): SinkDriver<string, Settings> {
  return {
    ...driver,
    open: (settings, deps) =>
      externalSink({ store: open(settings, deps), index: createManagedIndex(deps), deps, namedDocuments: 0 }),
  };
}

/** Creates a new index and returns a function that opens it. */
export function fresh(open: Open): () => Sink {
  const index = [crypto.randomUUID(), new Directory()] as const;
  return () => open(...index);
}
