import { describe, expect, it } from 'vitest';
import { toDirection, toVectorPoint } from '#test/suites/sink/content.ts';
import { skipWaits } from '#test/support/skipped-waits.ts';
import { useVendors } from '#test/vendors/client.ts';
import { openStore, PRODUCTS } from './stores.ts';

const SEARCH = 'POST /{index}/_search';
const DELETE = 'POST /{index}/_delete_by_query';
const points = (count: number) => Array.from({ length: count }, (_, at) => toVectorPoint({}, at));

describe.each(PRODUCTS)('answers of $name with the status 200 that are not complete', (product) => {
  const vendors = useVendors(product);
  const answer = (on: string, body: object) =>
    vendors.current.fail({ kind: 'body', on, body: JSON.stringify(body) });
  const countDeletions = async () =>
    (await vendors.current.state()).seen.filter(({ operation }) => operation === DELETE).length;

  async function holding(count: number) {
    const store = openStore(product);
    await store.ensure(8);
    await store.upsert(points(count));
    return store;
  }

  it('reject a search that ran out of time', async () => {
    const store = await holding(1);
    await answer(SEARCH, { timed_out: true, _shards: { failed: 0 }, hits: { hits: [] } });
    await expect(store.query(toDirection('x'), 5)).rejects.toMatchObject({
      ...{ name: 'SinkError', retryable: true },
      message: `${product.name} searched only a part of index shared.`,
    });
  });

  it.each<[string, object]>([
    ['ran out of time', { timed_out: true }],
    ['failed for some documents', { failures: [{ status: 429, cause: { reason: 'the queue is full' } }] }],
  ])('repeat a deletion that %s', async (_, rest) => {
    skipWaits();
    const store = await holding(3);
    await answer(DELETE, { deleted: 1, version_conflicts: 0, timed_out: false, failures: [], ...rest });
    await store.drop();
    expect(await countDeletions()).toBe(2);
    expect(await store.query(toDirection('x'), 5)).toEqual([]);
  });

  it('reject a deletion that cannot succeed without another attempt', async () => {
    const store = await holding(1);
    const failures = [{ status: 400, cause: { reason: 'the index is read-only' } }];
    await answer(DELETE, { deleted: 0, version_conflicts: 0, timed_out: false, failures });
    await expect(store.drop()).rejects.toMatchObject({
      ...{ name: 'SinkError', retryable: false },
      message: `${product.name} failed to delete documents: the index is read-only`,
    });
    expect(await countDeletions()).toBe(1);
  });

  it('reject a deletion that keeps failing', async () => {
    skipWaits();
    const store = await holding(1);
    for (let attempt = 1; attempt <= 4; attempt += 1)
      await answer(DELETE, { deleted: 0, version_conflicts: 1, timed_out: false, failures: [] });
    await expect(store.drop()).rejects.toMatchObject({
      ...{ name: 'SinkError', retryable: true },
      message: `${product.name} failed to delete documents: documents changed at the same moment`,
    });
    expect(await countDeletions()).toBe(4);
  });
});
