import { expect, it } from 'vitest';
import { createGiveWay, runInteractive } from '#src/work/give-way.ts';

it('lets bulk work wait until interactive work has ended', async () => {
  const events: string[] = [];
  const interactive = Promise.withResolvers<void>();
  const running = runInteractive(() => interactive.promise);
  const giveWay = createGiveWay(60_000);
  const bulk = giveWay().then(() => events.push('bulk'));
  await scheduler.wait(20);
  expect(events).toEqual([]);
  events.push('interactive');
  interactive.resolve();
  await running;
  await bulk;
  expect(events).toEqual(['interactive', 'bulk']);
});

it('lets bulk work continue after its share of waiting, and does not wait again', async () => {
  const interactive = Promise.withResolvers<void>();
  const running = runInteractive(() => interactive.promise);
  const giveWay = createGiveWay(30);
  for (let step = 0; step < 100; step += 1) await giveWay();
  interactive.resolve();
  await running;
});

it('does not wait for interactive work that failed', async () => {
  await expect(runInteractive(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await createGiveWay(Number.POSITIVE_INFINITY)();
});

it('lets timers run between many short steps', async () => {
  let fired = false;
  setTimeout(() => {
    fired = true;
  }, 0);
  const giveWay = createGiveWay();
  for (let step = 0; step < 100; step += 1) await giveWay();
  expect(fired).toBe(true);
});
