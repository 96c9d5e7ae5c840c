import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOUNDS } from '#test/support/metering/bounds.ts';
import type { Billed, Counts } from '#test/support/metering/counts.ts';
import { MeteredService } from './metered-service.ts';
import { MeteredWork } from './metered-work.ts';

const service = new MeteredService();
const work = new MeteredWork(service);

beforeAll(async () => {
  await service.start();
  // What an isolate does once is not a file's.
  await work.files(2);
});
afterAll(() => service.end());

/** Each of so many things asks for something, and for no more than it may. */
function expectWithin(counts: Counts, times: number, bounds: Counts) {
  const each = Object.fromEntries(
    (Object.keys(bounds) as Billed[]).map((name) => [name, (counts[name] ?? 0) / times]),
  );
  for (const [name, most] of Object.entries(bounds)) {
    expect.soft(each[name], `${name}: ${JSON.stringify(each)}`).toBeLessThanOrEqual(most);
    if (most > 0) expect.soft(each[name], `${name} is counted`).toBeGreaterThan(0);
  }
}

describe('what is asked of the platform', () => {
  /** What is counted for `/metrics` is kept by time; 5 s is what METRICS_SECONDS is when nobody sets it. */
  it('for counting, in so many seconds, whatever is done', async () => {
    const asked = await work.asked(100);
    const start = Date.now();
    const counts = await work.retrievals(asked, 200, 8_000);
    const turns = (Date.now() - start) / 5_000 + 2;
    expect(counts['metrics requests']).toBeGreaterThan(0);
    expect(counts['metrics requests']).toBeLessThanOrEqual(turns);
    expect(counts['metrics rows written']).toBeGreaterThan(0);
    expect(counts['metrics rows written']).toBeLessThanOrEqual(40 * turns);
  });

  it('for a short file', async () => {
    expectWithin(await work.files(100), 100, BOUNDS.file);
  });

  it('for a page of a PDF', async () => {
    expectWithin(await work.pages(50), 50, BOUNDS.page);
  });

  it('for a small document, of which many come together', async () => {
    expectWithin(await work.documents(1000), 1000, BOUNDS['small document']);
  });

  it('for a retrieval and for a turn of a chat', async () => {
    const asked = await work.asked(100);
    expectWithin(await work.retrievals(asked, 50), 50, BOUNDS.retrieval);
    expectWithin(await work.chats(asked, 20), 20, BOUNDS['chat turn']);
  });
});
