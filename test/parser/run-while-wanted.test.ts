import { expect, it } from 'vitest';
import { runWhileWanted } from '#parser/run-while-wanted.ts';
import { useFakeClock } from '#test/support/fake-clock.ts';

const letPass = useFakeClock();

/** Creates a caller that answers with `isWanted`, and counts how often it is asked. */
function createCaller(isWanted: () => Promise<boolean>) {
  const caller = {
    timesAsked: 0,
    isWanted: () => {
      caller.timesAsked += 1;
      return isWanted();
    },
  };
  return caller;
}

it('asks every three seconds whether the result is still wanted, until the work ends', async () => {
  const caller = createCaller(async () => true);
  const { promise: drawn, resolve } = Promise.withResolvers<string>();
  const running = runWhileWanted(caller.isWanted, () => drawn);
  await letPass(2_999);
  expect(caller.timesAsked).toBe(0);
  await letPass(1);
  expect(caller.timesAsked).toBe(1);
  await letPass(6_000);
  expect(caller.timesAsked).toBe(3);
  resolve('drawn');
  expect(await running).toBe('drawn');
  await letPass(6_000);
  expect(caller.timesAsked).toBe(3);
});

it.each([
  ['no longer wants the result', async () => false],
  ['cannot be reached', () => Promise.reject(new Error('the caller is away'))],
])('stops the work at its next checkpoint if the caller %s', async (_, isWanted) => {
  const caller = createCaller(isWanted);
  const steps: number[] = [];
  const running = runWhileWanted(caller.isWanted, async (checkpoint) => {
    for (let step = 1; step <= 3; step += 1) {
      steps.push(step);
      await checkpoint();
    }
  });
  await expect(running).rejects.toThrow('no longer wants the result');
  expect(steps).toEqual([1]);
  expect(caller.timesAsked).toBe(1);
});

it('stops the work at its next checkpoint if the caller rejected the result between two checkpoints', async () => {
  const caller = createCaller(async () => false);
  const step = Promise.withResolvers<void>();
  const running = runWhileWanted(caller.isWanted, async (checkpoint) => {
    await step.promise;
    await checkpoint();
  });
  const stopped = expect(running).rejects.toThrow('no longer wants the result');
  await letPass(3_000);
  step.resolve();
  await stopped;
  expect(caller.timesAsked).toBe(1);
});
