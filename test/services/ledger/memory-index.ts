import type { Sink } from '#src/ports/sink.ts';
import { MANAGED_CAPABILITIES } from '#src/sinks/managed/managed.ts';
import { createLedgerSearch } from '#src/sinks/native/ledger/ledger-search.ts';
import type { VersionLedger } from '#src/sinks/native/ledger/version-ledger.ts';
import { nativeSink } from '#src/sinks/native/native-sink.ts';
import type { SearchStore } from '#src/sinks/native/search-store.ts';
import { Directory, managedDeps } from '#test/durable-objects/managed-index.ts';
import { openTestLedger } from '#test/support/version-ledger.ts';
import { MemoryChunkStore } from './memory-chunk-store.ts';

export interface MemoryIndex {
  store: MemoryChunkStore;
  ledger: VersionLedger;
  search: SearchStore;
  open(): Sink;
}

/** Creates an index in memory whose ledger is in the test database. */
export function createMemoryIndex(store = new MemoryChunkStore()): MemoryIndex {
  const indexId = crypto.randomUUID();
  const ledger = openTestLedger(indexId);
  const settings = { ...managedDeps.settings, SILENCE_SECONDS: 1 };
  const deps = { ...managedDeps, settings, indexId, directory: new Directory() };
  const search = createLedgerSearch({ store, ledger, deps });
  const open = () => ({
    ...nativeSink({ store: search, deps }),
    kind: 'memory',
    capabilities: MANAGED_CAPABILITIES,
  });
  return { store, ledger, search, open };
}
