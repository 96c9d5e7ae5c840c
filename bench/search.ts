// Speed of the managed index beside its peers, on the same synthetic chunks: npm run bench:search [-- 10000 100000]
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bandwidth } from './search/bandwidth.ts';
import { chunk, DIMENSION, query } from './search/data.ts';
import { percentile, printTable, recallOf } from './search/measure.ts';
import { type Answer, Ours, type ShardFigures } from './search/ours.ts';
import { PEERS } from './search/peers.ts';

const QUERIES = 200;
const SHARD_CAPACITY = 65_530;
const MODES = ['dense', 'sparse', 'hybrid', 'dense-filtered', 'sparse-filtered', 'hybrid-filtered'];
const folder = fileURLToPath(new URL('search/', import.meta.url));

if (!existsSync(`${folder}node_modules`)) {
  console.log('Installing the peers (once)…');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder], { stdio: 'inherit' });
}

type Row = Record<string, string | number>;

const fixed = (value: number) => value.toFixed(value < 10 ? 2 : 0);

function row(engine: string, mode: string, milliseconds: number[], recall?: number): Row {
  return {
    engine,
    mode,
    'p50 ms': fixed(percentile(milliseconds, 0.5)),
    'p95 ms': fixed(percentile(milliseconds, 0.95)),
    'recall@10': recall === undefined ? '' : recall.toFixed(3),
  };
}

function exactNeighbours(count: number): string[][] {
  const asked = Array.from({ length: QUERIES }, (_, i) => query(i).vector);
  const best = asked.map(() => [] as { id: string; score: number }[]);
  for (let number = 0; number < count; number++) {
    const { vector } = chunk(number);
    for (const [i, wanted] of asked.entries()) {
      let score = 0;
      for (let j = 0; j < DIMENSION; j++) score += wanted[j]! * vector[j]!;
      const list = best[i]!;
      if (list.length === 10 && score <= list[9]!.score) continue;
      list.push({ id: String(number), score });
      list.sort((a, b) => b.score - a.score);
      list.length = Math.min(10, list.length);
    }
  }
  return best.map((list) => list.map(({ id }) => id));
}

async function measureOurs(count: number, exact: string[][]): Promise<Row[]> {
  const ours = new Ours();
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
        seconds += (await ours.call<{ seconds: number }>(`/load?shards=${shard}&from=${from}&to=${to}`))
          .seconds;
      }
    }
    while (!(await ours.call<boolean>(`/settled?shards=${shards}`)))
      await new Promise((done) => setTimeout(done, 500));
    const figures = await ours.call<ShardFigures[]>(`/stats?shards=${shards}`);
    const bytes = figures.reduce((sum, each) => sum + each.bytes, 0);
    await ours.restart();
    await ours.call('/query?shards=none&mode=dense&from=0&count=10');
    const idle = ours.memory();
    await ours.call(`/query?shards=${shards}&mode=hybrid&from=0&count=1`);
    const memory = ours.memory() - idle;
    const rows: Row[] = [];
    for (const mode of MODES) {
      const path = (from: number, queries: number) =>
        `/query?shards=${shards}&mode=${mode}&from=${from}&count=${queries}`;
      await ours.call(path(900_000, 40));
      const answer = await ours.call<Answer>(path(0, QUERIES));
      const recall = mode === 'dense' ? recallOf(answer.ids, exact) : undefined;
      rows.push(
        row(
          `Sluice, ${figures.length} shard${figures.length > 1 ? 's' : ''}`,
          mode,
          answer.milliseconds,
          recall,
        ),
      );
    }
    const wakes: number[] = [];
    for (let i = 0; i < 5; i++) {
      await ours.call('/sleep?shards=a');
      wakes.push(...(await ours.call<Answer>(`/query?shards=a&mode=hybrid&from=${i}&count=1`)).milliseconds);
    }
    console.log(
      `Sluice: ${Math.round(count / seconds)} chunks/s in, ${Math.round(bytes / count)} bytes a chunk on disk,`,
    );
    console.log(`  first hybrid query of a sleeping shard of ${cut}: ${fixed(percentile(wakes, 0.5))} ms,`);
    console.log(`  memory of the runtime with all shards awake ${Math.round(memory / 1e6)} MB above idle\n`);
    return rows;
  } finally {
    await ours.stop();
  }
}

function measurePeer(peer: string, count: number, exact: string[][]): Row[] {
  const output = execFileSync(
    process.execPath,
    ['--max-old-space-size=8192', `${folder}peers.ts`, peer, String(count), String(QUERIES)],
    { maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'], cwd: dirname(folder) },
  );
  const measured = JSON.parse(output.toString()) as {
    seconds: number;
    memory: number;
    modes: Record<string, { milliseconds: number[]; ids: string[][] }>;
  };
  const speed = Math.round(count / measured.seconds);
  console.log(`${peer}: ${speed} chunks/s in, ${Math.round(measured.memory / 1e6)} MB`);
  return Object.entries(measured.modes).map(([mode, { milliseconds, ids }]) =>
    row(peer, mode, milliseconds, mode === 'dense' ? recallOf(ids, exact.slice(0, ids.length)) : undefined),
  );
}

const { readGigabytes, scanGigabytes, scanMilliseconds } = bandwidth(100_000, DIMENSION);
console.log(
  `WASM memory bandwidth ${readGigabytes.toFixed(1)} GB/s; the vector scan reads ${scanGigabytes.toFixed(1)} GB/s ` +
    `(${Math.round((100 * scanGigabytes) / readGigabytes)} %), ${scanMilliseconds.toFixed(2)} ms for 100000 x ${DIMENSION}`,
);

const sizes = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0);
for (const count of sizes.length > 0 ? sizes : [10_000, 100_000]) {
  console.log(`\n${count} chunks, ${DIMENSION} dimensions, top 10\n`);
  const exact = exactNeighbours(count);
  const rows = await measureOurs(count, exact);
  for (const peer of PEERS) rows.push(...measurePeer(peer, count, exact));
  console.log();
  printTable(rows);
}
process.exit(0);
