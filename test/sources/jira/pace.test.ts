import { expect, it } from 'vitest';
import { createRateLimiter } from '#src/sources/jira/rate-limiter.ts';

function clocked(perMinute: number | null) {
  const clock = { now: 1_000_000, waits: [] as number[] };
  const turn = createRateLimiter(
    perMinute,
    () => clock.now,
    async (ms) => void clock.waits.push(ms),
  );
  return { clock, turn };
}

it('spaces concurrent requests evenly', async () => {
  const { clock, turn } = clocked(60);
  await Promise.all([turn(), turn(), turn()]);
  expect(clock.waits).toEqual([1000, 2000]);
  clock.now += 10_000;
  await turn();
  expect(clock.waits).toHaveLength(2);
});

it('does not wait without a limit', async () => {
  const { clock, turn } = clocked(null);
  await Promise.all([turn(), turn()]);
  expect(clock.waits).toEqual([]);
});

it('throws a retryable error for a long wait and releases the turn', async () => {
  const { clock, turn } = clocked(1);
  await turn();
  await turn();
  await expect(turn()).rejects.toMatchObject({ retryable: true, retryAfter: 120 });
  clock.now += 60_000;
  await turn();
  expect(clock.waits).toEqual([60_000, 60_000]);
});
