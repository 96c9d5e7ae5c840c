import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { flushMetrics, type MetricsOwner } from '#src/metrics/flush.ts';
import { count, takePending } from '#src/metrics/meter.ts';
import type { Sample } from '#src/metrics/sample.ts';
import { useFakeClock } from '#test/support/fake-clock.ts';

const EVERY_SECONDS = 0.2;
const EVERY_MS = 1000 * EVERY_SECONDS;

function createReceivers(add: MetricsOwner['add'], everySeconds = EVERY_SECONDS, mayWait = true) {
  const points: AnalyticsEngineDataPoint[] = [];
  const analytics = { writeDataPoint: (point: AnalyticsEngineDataPoint) => points.push(point) };
  const warn = vi.fn();
  const receivers = {
    keeper: () => ({ add, all: async () => [] }),
    analytics: analytics as unknown as AnalyticsEngineDataset,
    log: { info() {}, warn, error() {} },
    intervalSeconds: everySeconds,
    canWait: mayWait,
  };
  return { receivers, points, warn };
}

const happens = () => count('sluice_dead_letters_total', { type: 'extract' });
const sumSamples = (samples: Sample[]) => samples.reduce((sum, { values }) => sum + values[0]!, 0);

const letPass = useFakeClock();

// Test files share an isolate, and other files have counted as well.
beforeEach(() => void takePending());
// The first write of the next test must not wait for the last write of this one.
afterEach(() => letPass(EVERY_MS));

it('writes once per interval for everything counted meanwhile, including the last event', async () => {
  const written: { at: number; sum: number }[] = [];
  const { receivers, points } = createReceivers(async (samples) => {
    written.push({ at: Date.now() - start, sum: sumSamples(samples) });
  });
  const start = Date.now();
  const work: Promise<unknown>[] = [];
  for (let n = 0; n < 100; n += 1) {
    happens();
    flushMetrics(receivers, (each) => work.push(each));
    await letPass(5);
  }
  await letPass(EVERY_MS);
  await Promise.all(work);
  expect(written.reduce((sum, each) => sum + each.sum, 0)).toBe(100);
  expect(written.map(({ at }) => at)).toEqual([0, EVERY_MS, 2 * EVERY_MS, 3 * EVERY_MS]);
  expect(points.reduce((sum, { doubles }) => sum + doubles![0]!, 0)).toBe(100);
  expect(points[0]).toMatchObject({
    indexes: ['sluice_dead_letters_total'],
    blobs: ['sluice_dead_letters_total', 'extract'],
  });
});

it('does not delay callers that may not wait, and leaves pending counts to the next call', async () => {
  const taken: number[] = [];
  const add = async (samples: Sample[]) => void taken.push(sumSamples(samples));
  const handedOver = async (mayWait: boolean) => {
    const work: Promise<unknown>[] = [];
    happens();
    flushMetrics(createReceivers(add, EVERY_SECONDS, mayWait).receivers, (each) => work.push(each));
    let isDone = false;
    void Promise.all(work).then(() => {
      isDone = true;
    });
    await letPass(0);
    return () => isDone;
  };
  expect((await handedOver(false))()).toBe(true);
  expect(taken).toEqual([1]);
  expect((await handedOver(false))()).toBe(true);
  expect(taken).toEqual([1]);
  const isDone = await handedOver(true);
  expect(isDone()).toBe(false);
  await letPass(EVERY_MS);
  expect(isDone()).toBe(true);
  expect(taken).toEqual([1, 2]);
});

it('keeps counts that the receiver rejected', async () => {
  const taken: number[] = [];
  let isAway = true;
  const { receivers, points, warn } = createReceivers(async (samples) => {
    if (isAway) throw new Error('the object is away');
    taken.push(sumSamples(samples));
  });
  const done = async () => {
    const work: Promise<unknown>[] = [];
    happens();
    flushMetrics(receivers, (each) => work.push(each));
    await letPass(EVERY_MS);
    await Promise.all(work);
  };
  await done();
  expect(warn).toHaveBeenCalledTimes(1);
  expect(points).toEqual([]);
  isAway = false;
  await done();
  expect(taken).toEqual([2]);
});

it('writes nothing if nothing is stored', () => {
  const { receivers } = createReceivers(async () => {}, 0);
  happens();
  const defer = vi.fn();
  flushMetrics(receivers, defer);
  expect(defer).not.toHaveBeenCalled();
});
