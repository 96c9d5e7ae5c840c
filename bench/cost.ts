/**
 * Measures what operations of the service cost on Cloudflare. An entry around the service and its parser
 * counts the billed operations. Run: npm run bench:cost
 */
import { MeteredService } from '#test/process/metered-service.ts';
import { MeteredWork } from '#test/process/metered-work.ts';
import type { Counts } from '#test/support/metering/counts.ts';
import { computeDollars, PRICES_DATE, STORAGE } from './cost/prices.ts';
import { readProcessorMs } from './cost/processor.ts';

const MILLION = 1_000_000;

const service = new MeteredService();
const work = new MeteredWork(service);
const operations: Record<string, Record<string, number>> = {};
const money: Record<string, Record<string, string>> = {};

/** Measures `done` operations and prints the counts and costs of `of` operations. */
async function measure(name: string, done: number, of: number, happens: () => Promise<Counts>) {
  const before = readProcessorMs();
  const counts = { ...(await happens()), 'CPU ms': readProcessorMs() - before };
  const scaled = Object.fromEntries(
    Object.entries(counts).map(([what, times]) => [what, (times * of) / done]),
  );
  operations[name] = Object.fromEntries(
    Object.entries(scaled).map(([what, times]) => [what, Number(times.toPrecision(3))]),
  );
  const dollars = computeDollars(scaled);
  const total = Object.values(dollars).reduce((sum, each) => sum + each, 0);
  const shares = Object.entries(dollars).filter(([, each]) => each >= total / 100);
  money[name] = {
    $: total.toPrecision(3),
    'of which': shares
      .toSorted(([, a], [, b]) => b - a)
      .map(([what, each]) => `${what} ${Math.round((100 * each) / total)} %`)
      .join(', '),
  };
}

await service.start();
try {
  await work.files(5);
  await measure('1,000 files', 500, 1000, () => work.files(500));
  await measure('1,000 pages', 200, 1000, () => work.pages(200));
  await measure('1M small documents', 4000, MILLION, () => work.documents(4000));
  const pipeline = await work.asked(1000);
  await measure('1M retrievals', 300, MILLION, () => work.retrievals(pipeline, 300));
  await measure('1M chat turns', 100, MILLION, () => work.chats(pipeline, 100));
  await measure('1M chat turns that can be resumed', 50, MILLION, () => work.resumableChats(pipeline, 50));
} finally {
  await service.end();
}
const names = Object.keys(operations);
const kinds = [...new Set(names.flatMap((name) => Object.keys(operations[name]!)))].toSorted();
console.table(
  Object.fromEntries(
    kinds.map((kind) => [kind, Object.fromEntries(names.map((n) => [n, operations[n]![kind] ?? 0]))]),
  ),
);
console.table(money);
console.table(
  Object.fromEntries(
    Object.entries(STORAGE).map(([where, { dollars }]) => [where, { '$ a GB and month': dollars }]),
  ),
);
console.log(
  `Prices of ${PRICES_DATE}, without the amounts included in the plan. The CPU time is measured for the processes of the local runtime.\n` +
    'They also run database, bucket and queues, so it is more than what is billed. Object seconds are wall-clock time.',
);
process.exit(0);
