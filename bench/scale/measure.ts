import { type Answer, ManagedIndex } from '#bench/search/managed-index.ts';
import { fixed, percentile, printTable, type Row } from '#bench/search/measure.ts';

/**
 * Numbers of chunks: a shard that is full, so that another one takes new documents, and one of a sixth of
 * this size.
 */
const SIZES = [49_152, 8_192];
const CALLS = ['nothing', 'statistics', 'vector', 'words', 'both', 'copying', 'merging'];
const TIMES = 200;
const WAKES = 8;

interface Called {
  milliseconds: number[];
  bytes: number;
  rows: number;
}

/** Measures the constants with the origin `measured` (constants.ts) on this machine. */
export async function measure(): Promise<void> {
  const ours = new ManagedIndex(new URL('wrangler.toml', import.meta.url));
  const rows: Row[] = [];
  try {
    await ours.start();
    for (const size of SIZES) {
      const shard = `of-${size}`;
      await ours.call(`/load?shards=${shard}&from=0&to=${size}`);
      await ours.settle(shard);
      for (const what of CALLS) {
        const path = `/call?shard=${shard}&what=${what}`;
        await ours.call(`${path}&count=20`);
        const { milliseconds, bytes, rows: read } = await ours.call<Called>(`${path}&count=${TIMES}`);
        rows.push({
          'chunks in the shard': size,
          call: what,
          'p50 ms': percentile(milliseconds, 0.5).toFixed(2),
          'p95 ms': percentile(milliseconds, 0.95).toFixed(2),
          'bytes of the answer': Math.round(bytes),
          'rows read': Math.round(read),
        });
      }
      const wakes: number[] = [];
      for (let i = 0; i < WAKES; i++) {
        await ours.call(`/sleep?shards=${shard}`);
        wakes.push(
          ...(await ours.call<Answer>(`/query?shards=${shard}&mode=hybrid&from=${i}&count=1`)).milliseconds,
        );
      }
      rows.push({
        'chunks in the shard': size,
        call: 'both, asleep',
        'p50 ms': fixed(percentile(wakes, 0.5)),
        'p95 ms': fixed(percentile(wakes, 0.95)),
        'bytes of the answer': '',
        'rows read': '',
      });
    }
  } finally {
    await ours.stop();
  }
  printTable(rows);
}
