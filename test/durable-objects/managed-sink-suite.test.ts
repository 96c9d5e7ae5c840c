import managed from '#src/sinks/managed/managed.ts';
import { openDriver } from '#src/sinks/open-driver.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { Directory, managedDeps, openManaged } from './managed-index.ts';

/** Shards that never answer. */
const silent = new Proxy({}, { get: () => () => new Promise(() => {}) });

sinkSuite({
  kind: managed.kind,
  capabilities: managed.capabilities,
  fresh() {
    const [indexId, directory] = [crypto.randomUUID(), new Directory()];
    return () => openManaged(indexId, directory);
  },
  failing: {
    timeout: () => {
      const directory = new Directory();
      directory.ranges.set('a', { first: 0, last: 0 });
      return openDriver(managed, managed.settings.parse({}), {
        ...managedDeps,
        settings: { ...managedDeps.settings, SILENCE_SECONDS: 0.02 },
        objects: { searchShard: () => silent as never, hasVectorCopies: false },
        indexId: crypto.randomUUID(),
        directory,
      });
    },
  },
});
