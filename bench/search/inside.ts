import { CHUNKS_PER_DOCUMENT } from './data.ts';
import { type Answer, ManagedIndex, type ShardFigures, type Upkeep } from './managed-index.ts';
import { computeRecall, fixed, percentile, type Row, row } from './measure.ts';

const SHARD_CAPACITY = 65_530;
const MODES = ['dense', 'sparse', 'hybrid', 'dense-filtered', 'sparse-filtered', 'hybrid-filtered'];
/**
 * Number of documents removed from a full shard. It is large enough that all postings of the shard are
 * rewritten.
 */
const REMOVED = 250;

/** Measures the index alone, queried from inside the runtime. */
export async function measureInside(count: number, queries: number, exact: string[][]): Promise<Row[]> {
  const ours = new ManagedIndex();
  try {
    await ours.start();
    const cut = Math.min(count, SHARD_CAPACITY);
    const shards = count > cut ? 'a,b' : 'a';
    let seconds = 0;
    for (const [shard, from, to] of [
      ['a', 0, cut],
      ['b', cut, count],
    ] as const) {
      if (to > from) {
        const path = `/load?shards=${shard}&from=${from}&to=${to}`;
        seconds += (await ours.call<{ seconds: number }>(path)).seconds;
      }
    }
    await ours.settle(shards);
    const figures = await ours.call<ShardFigures[]>(`/stats?shards=${shards}`);
    const bytes = figures.reduce((sum, each) => sum + each.bytes, 0);
    await ours.restart();
    await ours.call('/query?shards=none&mode=dense&from=0&count=10');
    const idle = ours.memory();
    await ours.call(`/query?shards=${shards}&mode=hybrid&from=0&count=1`);
    const memory = ours.memory() - idle;
    const rows: Row[] = [];
    for (const mode of MODES) {
      const path = (from: number, some: number) =>
        `/query?shards=${shards}&mode=${mode}&from=${from}&count=${some}`;
      await ours.call(path(900_000, 40));
      const answer = await ours.call<Answer>(path(0, queries));
      const recall = mode === 'dense' ? computeRecall(answer.ids, exact) : undefined;
      const name = `Sluice inside, ${figures.length} shard${figures.length > 1 ? 's' : ''}`;
      rows.push(row(name, mode, answer.milliseconds, recall));
    }
    const wakes: number[] = [];
    for (let i = 0; i < 5; i++) {
      await ours.call('/sleep?shards=a');
      wakes.push(...(await ours.call<Answer>(`/query?shards=a&mode=hybrid&from=${i}&count=1`)).milliseconds);
    }
    console.log(
      `Sluice: ${Math.round(count / seconds)} chunks/s written, ${Math.round(bytes / count)} bytes per chunk on disk,`,
    );
    console.log(`  first hybrid query of a sleeping shard of ${cut}: ${fixed(percentile(wakes, 0.5))} ms,`);
    console.log(`  memory of the runtime with all shards awake ${Math.round(memory / 1e6)} MB above idle,`);
    await ours.call(`/remove?shards=a&from=0&to=${Math.min(REMOVED, cut / CHUNKS_PER_DOCUMENT / 2)}`);
    const { milliseconds, seconds: upkeep } = await ours.call<Upkeep>(
      '/query-until-settled?shards=a&mode=hybrid',
    );
    console.log(
      `  upkeep after a removal ${upkeep.toFixed(1)} s; ${milliseconds.length} hybrid queries during it: ` +
        `p50 ${fixed(percentile(milliseconds, 0.5))}, p95 ${fixed(percentile(milliseconds, 0.95))}, ` +
        `slowest ${fixed(Math.max(...milliseconds))} ms\n`,
    );
    return rows;
  } finally {
    await ours.stop();
  }
}

/** Measures the writing of documents of several sizes, each size into its own shard. */
export async function measureIngest(sizes: number[], count: number): Promise<Row[]> {
  const ours = new ManagedIndex();
  try {
    await ours.start();
    await ours.call('/load?shards=warm-up&from=0&to=2000');
    const rows: Row[] = [];
    for (const size of sizes) {
      const path = `/load?shards=of-${size}&from=0&to=${count}&size=${size}`;
      const { seconds } = await ours.call<{ seconds: number }>(path);
      rows.push({
        'chunks per document': size,
        'chunks/s': Math.round(count / seconds),
        'ms per document': fixed((1000 * seconds * size) / count),
      });
    }
    return rows;
  } finally {
    await ours.stop();
  }
}
