import { expect, test } from 'vitest';
import managed from '#src/sinks/managed/managed.ts';
import { openDriver } from '#src/sinks/open-driver.ts';
import { document } from '#test/suites/sink/content.ts';
import { nearest, put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { Directory, managedDeps } from './managed-index.ts';
import { shardOf } from './shard.ts';
import { ring, useVectorize } from './vectorize-shard.ts';

const vectorize = useVectorize(2);

/** The managed index, whose alarms ring before every query: between any two the copy in Vectorize goes on. */
function openCopied(indexId: string, directory: Directory) {
  const objects = {
    searchShard: (id: string, number: number) =>
      new Proxy(managedDeps.objects.searchShard(id, number), {
        get(shard, name, receiver) {
          const method = Reflect.get(shard, name, receiver) as (...given: unknown[]) => Promise<unknown>;
          if (name !== 'query') return method;
          return async (...given: unknown[]) => {
            await ring(shardOf(id, number), 1);
            return method(...given);
          };
        },
      }),
  };
  return openDriver(managed, managed.settings.parse({}), { ...managedDeps, objects, indexId, directory });
}

sinkSuite({
  kind: managed.kind,
  capabilities: managed.capabilities,
  fresh() {
    const index = [crypto.randomUUID(), new Directory()] as const;
    return () => openCopied(...index);
  },
  failing: {},
});

test('these indexes are copied to Vectorize and asked there', async () => {
  const sink = openCopied(crypto.randomUUID(), new Directory());
  await put(sink, document('a'), ['one', 'two', 'three']);
  await nearest(sink, 'one', 2);
  vectorize.current.show();
  await put(sink, document('b'), ['four']);
  const { dense } = await nearest(sink, 'one', 2);
  expect(dense[0]?.id).toBe('a/1/0');
  await nearest(sink, 'one', 2);
  expect(vectorize.current.calls.upsert).toBe(2);
  expect(vectorize.current.calls.query).toBeGreaterThan(0);
});
