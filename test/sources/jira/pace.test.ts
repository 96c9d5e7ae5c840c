import { expect, it } from 'vitest';
import { paceOf } from '#src/sources/jira/pace.ts';

function clocked(perMinute: number | null) {
  const clock = { now: 1_000_000, waits: [] as number[] };
  const turn = paceOf(
    perMinute,
    () => clock.now,
    async (ms) => void clock.waits.push(ms),
  );
  return { clock, turn };
}

it('lets requests through evenly, also those that come at once', async () => {
  const { clock, turn } = clocked(60);
  await Promise.all([turn(), turn(), turn()]);
  expect(clock.waits).toEqual([1000, 2000]);
  clock.now += 10_000;
  await turn();
  expect(clock.waits).toHaveLength(2);
});

it('waits for nothing without a limit', async () => {
  const { clock, turn } = clocked(null);
  await Promise.all([turn(), turn()]);
  expect(clock.waits).toEqual([]);
});

it('leaves a long wait to who owns the work, and keeps no turn for it', async () => {
  const { clock, turn } = clocked(1);
  await turn();
  await turn();
  await expect(turn()).rejects.toMatchObject({ retryable: true, retryAfter: 120 });
  clock.now += 60_000;
  await turn();
  expect(clock.waits).toEqual([60_000, 60_000]);
});
