/**
 * Measures the memory that the shards of one isolate use, next to the memory of the runtime's process. It
 * queries full shards one after the other, and fifty indexes with an uneven distribution as in practice. Both
 * run with the memory budget and with as much memory as they want.
 * Run: npm run bench:memory -- [--chunks 65530] [--full 12] [--indexes 50] [--each 8000] [--queries 1000]
 */
import { parseArgs } from 'node:util';
import { type Answer, ManagedIndex } from './search/managed-index.ts';
import { fixed, percentile, printTable, type Row } from './search/measure.ts';

const { values: options } = parseArgs({
  options: {
    chunks: { type: 'string', default: '65530' },
    full: { type: 'string', default: '12' },
    indexes: { type: 'string', default: '50' },
    each: { type: 'string', default: '8000' },
    queries: { type: 'string', default: '1000' },
  },
});
const [chunks, full, indexes, each, queries] = [
  options.chunks,
  options.full,
  options.indexes,
  options.each,
  options.queries,
].map(Number) as [number, number, number, number, number];

const BUDGETS = ['64', '1024'];
const QUERIES_A_TURN = 10;
const TURNS = 2;
const MB = 1e6;

interface MemoryFigures {
  bytes: number;
  wakes: number;
  drops: number;
}

const readMemory = (ours: ManagedIndex) => ours.call<MemoryFigures>('/memory');
const ask = (ours: ManagedIndex, shard: string, from: number, count: number) =>
  ours.call<Answer>(`/query?shards=${shard}&mode=hybrid&from=${from}&count=${count}`);

/** Fills one shard with the given number of chunks and copies it to the other shards. */
async function fill(ours: ManagedIndex, count: number, names: string[]): Promise<void> {
  const [first, ...others] = names as [string, ...string[]];
  await ours.call(`/load?shards=${first}&from=0&to=${count}`);
  await ours.settle(first);
  await ours.call(`/stats?shards=${others}`);
  await ours.copy(first, others);
}

async function queryInTurn(ours: ManagedIndex, names: string[], budget: string): Promise<Row> {
  await ours.restart({ SEARCH_MEMORY_MIB: budget });
  await ours.call('/query?shards=none&mode=dense&from=0&count=1');
  const idle = ours.memory();
  const alone = await ask(ours, names[0]!, 0, QUERIES_A_TURN);
  const one = (await readMemory(ours)).bytes;
  let most = 0;
  let mostResident = 0;
  let different = 0;
  const cold: number[] = [];
  const warm: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    for (const name of names.slice(turn === 0 ? 1 : 0)) {
      const { wakes } = await readMemory(ours);
      const first = await ask(ours, name, 0, 1);
      if ((await readMemory(ours)).wakes > wakes) cold.push(...first.milliseconds);
      const answer = await ask(ours, name, 0, QUERIES_A_TURN);
      warm.push(...answer.milliseconds);
      if (JSON.stringify(answer.ids) !== JSON.stringify(alone.ids)) different++;
      most = Math.max(most, (await readMemory(ours)).bytes);
      mostResident = Math.max(mostResident, ours.memory() - idle);
    }
  }
  return {
    'budget MiB': budget,
    'bytes per chunk': fixed(one / chunks),
    'peak of shards MB': fixed(most / MB),
    'peak of process MB': fixed(mostResident / MB),
    'cold ms': fixed(percentile(cold, 0.5)),
    'warm ms': fixed(percentile(warm, 0.5)),
    'answers that differ': different,
  };
}

/** Queries the indexes unevenly: index number n is queried in proportion to 1 / n. */
async function queryUnevenly(ours: ManagedIndex, names: string[], budget: string): Promise<Row> {
  await ours.restart({ SEARCH_MEMORY_MIB: budget });
  await ours.call('/query?shards=none&mode=dense&from=0&count=1');
  const idle = ours.memory();
  const shares = names.map((_, i) => 1 / (i + 1));
  const sum = shares.reduce((a, b) => a + b, 0);
  // Fixed seed, so that the queries are the same for each budget.
  let state = 1;
  const pick = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    let left = (state / 2 ** 32) * sum;
    let at = 0;
    while (at < shares.length - 1 && left >= shares[at]!) left -= shares[at++]!;
    return names[at]!;
  };
  const milliseconds: number[] = [];
  let most = 0;
  let mostResident = 0;
  for (let i = 0; i < queries; i++) {
    milliseconds.push(...(await ask(ours, pick(), i, 1)).milliseconds);
    if (i % 20 > 0) continue;
    most = Math.max(most, (await readMemory(ours)).bytes);
    mostResident = Math.max(mostResident, ours.memory() - idle);
  }
  const { wakes } = await readMemory(ours);
  return {
    'budget MiB': budget,
    'found in memory': `${fixed(100 * (1 - wakes / queries))} %`,
    'peak of shards MB': fixed(most / MB),
    'peak of process MB': fixed(mostResident / MB),
    'p50 ms': fixed(percentile(milliseconds, 0.5)),
    'p95 ms': fixed(percentile(milliseconds, 0.95)),
  };
}

async function measure(
  title: string,
  count: number,
  names: string[],
  run: (ours: ManagedIndex, names: string[], budget: string) => Promise<Row>,
): Promise<void> {
  const ours = new ManagedIndex();
  try {
    await ours.start();
    await fill(ours, count, names);
    const rows: Row[] = [];
    for (const budget of BUDGETS) rows.push(await run(ours, names, budget));
    console.log(`\n${title}\n`);
    printTable(rows);
  } finally {
    await ours.stop();
  }
}

const nameShards = (count: number) => Array.from({ length: count }, (_, i) => `shard-${i}`);

await measure(
  `${full} shards of ${chunks} chunks of 384 dimensions in turn`,
  chunks,
  nameShards(full),
  queryInTurn,
);
await measure(
  `${queries} queries of ${indexes} indexes of ${each} chunks`,
  each,
  nameShards(indexes),
  queryUnevenly,
);
process.exit(0);
