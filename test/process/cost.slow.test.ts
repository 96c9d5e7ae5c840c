import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOUNDS } from '#test/support/metering/bounds.ts';
import type { Billed, Counts } from '#test/support/metering/counts.ts';
import { MeteredService } from './metered-service.ts';
import { MeteredWork } from './metered-work.ts';

const service = new MeteredService();
const work = new MeteredWork(service);

beforeAll(async () => {
  await service.start();
  // Excludes one-time work of an isolate.
  await work.files(2);
});
afterAll(() => service.end());

/** Asserts that the counts per item are positive and within the bounds. */
function expectWithin(counts: Counts, times: number, bounds: Counts) {
  const each = Object.fromEntries(
    (Object.keys(bounds) as Billed[]).map((name) => [name, (counts[name] ?? 0) / times]),
  );
  for (const [name, most] of Object.entries(bounds)) {
    expect.soft(each[name], `${name}: ${JSON.stringify(each)}`).toBeLessThanOrEqual(most);
    if (most > 0) expect.soft(each[name], `${name} is counted`).toBeGreaterThan(0);
  }
}

describe('platform requests are limited', () => {
  /** Metrics are stored per interval. METRICS_SECONDS defaults to 5. */
  it('for metrics, per interval', async () => {
    const asked = await work.asked(100);
    const start = Date.now();
    const counts = await work.retrievals(asked, 200, 8_000);
    const turns = (Date.now() - start) / 5_000 + 2;
    expect(counts['metrics requests']).toBeGreaterThan(0);
    expect(counts['metrics requests']).toBeLessThanOrEqual(turns);
    expect(counts['metrics rows written']).toBeGreaterThan(0);
    expect(counts['metrics rows written']).toBeLessThanOrEqual(40 * turns);
  });

  it('per short file', async () => {
    expectWithin(await work.files(100), 100, BOUNDS.file);
  });

  it('per PDF page', async () => {
    expectWithin(await work.pages(50), 50, BOUNDS.page);
  });

  it('per small document in a batch', async () => {
    expectWithin(await work.documents(1000), 1000, BOUNDS['small document']);
  });

  it('per retrieval and chat turn', async () => {
    const asked = await work.asked(100);
    expectWithin(await work.retrievals(asked, 50), 50, BOUNDS.retrieval);
    expectWithin(await work.chats(asked, 20), 20, BOUNDS['chat turn']);
  });
});
