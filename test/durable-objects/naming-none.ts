import type { SinkDriver } from '#src/sinks/define.ts';
import { externalSink } from '#src/sinks/external/external-sink.ts';
import type { VectorStore } from '#src/sinks/external/vector-store.ts';
import type { IndexDeps } from '#src/sinks/managed/index-deps.ts';
import { managedIndex } from '#src/sinks/managed/managed-index.ts';

/** A driver whose store is never named documents that pass filters: it is told of filters what it can be told. */
export function namingNone<Driver extends SinkDriver, Opened>(
  driver: Driver,
  open: (settings: Opened, deps: IndexDeps) => VectorStore,
): Driver {
  return {
    ...driver,
    open: (settings: Opened, deps: IndexDeps) =>
      externalSink({ store: open(settings, deps), index: managedIndex(deps), deps, namedDocuments: 0 }),
  };
}
