import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { MetricsKeeper } from '#objects/metrics-keeper.ts';
import type { Sample } from '#src/metrics/sample.ts';

const keeper = () => env.METRICS_KEEPER.get(env.METRICS_KEEPER.idFromName(crypto.randomUUID()));
const syncs = (status: string, number: number): Sample => ({
  name: 'sluice_syncs_total',
  labels: [status],
  values: [number],
});

/** Returns the samples that a new instance of the object reads from storage. */
const afterRestart = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_, state) => new MetricsKeeper(state, env).all());

it('sums the samples of all isolates and keeps the sums across restarts', async () => {
  const stub = keeper();
  const histogram: Sample = { name: 'sluice_job_seconds', labels: ['parse'], values: [0, 1, 0, 0.4] };
  await Promise.all([
    stub.add([syncs('SUCCESS', 2), histogram]),
    stub.add([syncs('SUCCESS', 3), syncs('ERROR', 1), histogram]),
  ]);
  await stub.add([syncs('ERROR', 1)]);
  const sums = [syncs('SUCCESS', 5), { ...histogram, values: [0, 2, 0, 0.8] }, syncs('ERROR', 2)];
  expect(await stub.all()).toEqual(sums);
  expect(await afterRestart(stub)).toEqual(expect.arrayContaining(sums));
});

it('limits the number of series of a metric, and counts the dropped ones', async () => {
  const stub = keeper();
  const many = Array.from({ length: 2_010 }, (_, n) => syncs(`status ${n}`, 7));
  await stub.add(many);
  await stub.add([...many.slice(0, 1), syncs('one more', 7)]);
  const all = await afterRestart(stub);
  expect(all.filter(({ name }) => name === 'sluice_syncs_total')).toHaveLength(2_000);
  expect(all).toContainEqual(syncs('status 0', 14));
  expect(all).toContainEqual({
    name: 'sluice_series_dropped_total',
    labels: ['sluice_syncs_total'],
    values: [11],
  });
});

it('does not change or return samples of another version of the service', async () => {
  const stub = keeper();
  await stub.add([syncs('SUCCESS', 1)]);
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(`insert into sums values ('sluice_of_tomorrow' || char(10) || 'x', '[1]')`);
    storage.sql.exec(
      `insert into sums values ('sluice_syncs_total' || char(10) || 'a' || char(10) || 'b', '[1]')`,
    );
  });
  await stub.add([{ name: 'sluice_of_tomorrow', labels: ['y'], values: [1] } as unknown as Sample]);
  expect(await afterRestart(stub)).toEqual([syncs('SUCCESS', 1)]);
  const rows = await runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec('select count(*) as number from sums').one(),
  );
  expect(rows.number).toBe(3);
});
