import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import type { Shard } from '#src/ports/shard.ts';
import managed from '#src/sinks/managed/managed.ts';
import { openDriver } from '#src/sinks/open-driver.ts';
import { document } from '#test/suites/sink/content.ts';
import { nearest, put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { LOSSES } from '#test/vendors/losses.ts';
import { Directory, managedDeps } from './managed-index.ts';
import { getShard } from './shard.ts';
import { ring, useVectorize } from './vectorize-shard.ts';

const vectorize = useVectorize(2);

/** Maximum number of results for which the shard queries Vectorize. */
const MOST = 50;
let asked = 0;

/**
 * Opens the managed index and runs the shard's alarm before each query, so that the copy in Vectorize
 * progresses. Most queries of the suite ask for more results than Vectorize returns. Each query is therefore
 * repeated with a smaller limit, and both results must agree.
 */
function openCopied(indexId: string, directory: Directory) {
  const searchShard = (id: string, number: number): Shard => {
    const shard = managedDeps.objects.searchShard(id, number);
    const query: Shard['query'] = async (wanted) => {
      // The shard never queries Vectorize with a filter.
      if (wanted.filters) return shard.query(wanted);
      await ring(getShard(id, number), 2);
      const before = await shard.query(wanted);
      const near = await shard.query({ ...wanted, denseTopK: Math.min(wanted.denseTopK, MOST) });
      const answer = await shard.query(wanted);
      const isSteady = isDeepStrictEqual(before.dense, answer.dense);
      if (isSteady) expect(near.dense).toEqual(answer.dense.slice(0, MOST));
      return answer;
    };
    return new Proxy(shard, {
      get: (of, name, receiver) => (name === 'query' ? query : Reflect.get(of, name, receiver)),
    });
  };
  const objects = { ...managedDeps.objects, searchShard };
  return openDriver(managed, managed.settings.parse({}), { ...managedDeps, objects, indexId, directory });
}

afterEach(() => {
  asked += vectorize.current.calls.query ?? 0;
});

sinkSuite({
  kind: managed.kind,
  capabilities: managed.capabilities,
  fresh() {
    const index = [crypto.randomUUID(), new Directory()] as const;
    return () => openCopied(...index);
  },
  failing: {},
});

test('the suite copies its indexes to Vectorize and queries them there', async () => {
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
  expect(asked).toBeGreaterThan(20);
});

describe.each(LOSSES)('a copy in Vectorize that lost data: %s', (loss) => {
  test('does not change answers, and is rebuilt when the index is compared', async () => {
    const index = [crypto.randomUUID(), new Directory()] as const;
    const shard = getShard(index[0], 0);
    /** Returns the number of points in each copy that Vectorize holds. */
    const copies = () => {
      vectorize.current.show();
      return [...Map.groupBy(vectorize.current.ids, (id) => id.split('.')[0]).values()].map(
        (ids) => ids.length,
      );
    };
    await put(openCopied(...index), document('a'), ['one', 'two', 'three']);
    await ring(shard, 2);
    vectorize.current.show();
    await ring(shard, 2);
    vectorize.current.lose('remember');
    await put(openCopied(...index), document('b'), ['four', 'five']);
    await ring(shard, 2);
    expect(copies()).toEqual([5]);
    await ring(shard, 2);
    const before = await nearest(openCopied(...index), 'four', 2);

    vectorize.current.lose(loss);
    expect((await nearest(openCopied(...index), 'four', 2)).dense).toEqual(before.dense);
    expect(await openCopied(...index).compare()).toEqual({ expected: 0, missing: 0 });
    // Each comparison looks at points that are drawn at random, and may miss that half of them are lost.
    const compareAndCount = async () => {
      await openCopied(...index).compare();
      await ring(shard, 1);
      return copies();
    };
    await expect.poll(compareAndCount).toContain(5);
    expect(await openCopied(...index).restore(['a', 'b'], () => Promise.reject(new Error('embedded')))).toBe(
      0,
    );
    expect((await nearest(openCopied(...index), 'four', 2)).dense).toEqual(before.dense);
  });
});
