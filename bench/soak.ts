/**
 * Runs many clients that upload small documents, retrieve, and leave chats before the answers have ended,
 * against a separate server. Prints the requests, errors, durations and resident memory of each minute. At
 * the end, it prints if durations and memory stayed constant. Run: [SECONDS=600] [CLIENTS=50] npm run
 * bench:soak
 */
import { SyncClient } from '#test/process/pipelines.ts';
import { memoryByProcess } from '#test/process/runtimes.ts';
import { Service, sleep } from '#test/process/service.ts';
import { fixed, percentile, printTable, type Row } from './search/measure.ts';
import { KINDS, SoakClient, type Timed } from './soak/client.ts';

const seconds = Number(process.env.SECONDS || 600);
const clients = Number(process.env.CLIENTS || 50);
const PIPELINES = 5;
const NOTES = 200;
const MOST_INTERVAL_SECONDS = 60;
const LEAST_INTERVALS = 5;
const MEMORY_EVERY_MS = 2_000;
/** Seconds until the first memory value of the comparison, or a third of a shorter run. */
const WARM_UP_SECONDS = Math.min(120, seconds / 3);
/** Duration in seconds over which the first and last memory values are averaged. */
const AVERAGED_SECONDS = Math.min(30, seconds / 6);
const MOST_P99_TO_P50 = 2;
const MOST_GROWTH = 0.1;

interface MemorySample {
  /** Seconds since the start of the clients. */
  at: number;
  processes: Record<string, number>;
}

const service = new Service();
const all: Timed[] = [];
const samples: MemorySample[] = [];
const rows: Row[] = [];

await service.start();
try {
  const pipelines = await Promise.all(Array.from({ length: PIPELINES }, createSearchPipeline));
  await soak(pipelines);
} finally {
  await service.end();
}
printTable(rows);
printSummary();
process.exit(0);

async function createSearchPipeline(): Promise<string> {
  const sync = new SyncClient(service);
  const id = await sync.createPipeline();
  const notes = Array.from({ length: NOTES }, (_, at) => `Note ${at}: keeper ${at} keeps bay ${at % 37}.`);
  const file_id = await service.upload('notes.md', notes.join('\n\n'));
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id }]);
  await sync.sync(id);
  return id;
}

async function soak(pipelines: string[]): Promise<void> {
  const begun = performance.now();
  const elapsed = () => (performance.now() - begun) / 1000;
  const isOver = () => elapsed() >= seconds;
  const running = Array.from({ length: clients }, (_, at) =>
    new SoakClient(service, pipelines[at % PIPELINES]!, at, (timed) => all.push(timed)).run(isOver),
  );
  await Promise.all([...running, sampleMemory(elapsed, isOver), reportIntervals(elapsed, isOver)]);
}

async function sampleMemory(elapsed: () => number, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    samples.push({ at: elapsed(), processes: memoryByProcess(service) });
    await sleep(MEMORY_EVERY_MS);
  }
}

async function reportIntervals(elapsed: () => number, isOver: () => boolean): Promise<void> {
  const interval = Math.min(MOST_INTERVAL_SECONDS, seconds / LEAST_INTERVALS);
  let reported = 0;
  while (!isOver()) {
    await sleep(interval * 1000);
    const row = buildRow(`${Math.round(elapsed())} s`, all.slice(reported));
    reported = all.length;
    rows.push({ ...row, ...describeMemory(samples.at(-1)!) });
    console.log(
      Object.entries(rows.at(-1)!)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
    );
  }
}

function buildRow(until: string, timed: readonly Timed[]): Row {
  const times = timed.map(({ milliseconds }) => milliseconds);
  return {
    until,
    requests: timed.length,
    errors: timed.filter(({ failure }) => failure !== undefined).length,
    'p50 ms': fixed(percentile(times, 0.5)),
    'p95 ms': fixed(percentile(times, 0.95)),
    'p99 ms': fixed(percentile(times, 0.99)),
  };
}

/** Describes the memory of a sample. Parser processes start and end, so their memory is summed. */
function describeMemory({ processes }: MemorySample): Row {
  const sum = (matches: (name: string) => boolean) =>
    Object.entries(processes).reduce((total, [name, mib]) => (matches(name) ? total + mib : total), 0);
  const isParser = (name: string) => name.startsWith('parser');
  return {
    'service MiB': fixed(sum((name) => name === 'service')),
    'parsers MiB': fixed(sum(isParser)),
    'supervisor MiB': fixed(sum((name) => name === 'supervisor')),
    'total MiB': fixed(sum(() => true)),
  };
}

function printSummary(): void {
  printTable(
    KINDS.map((kind) =>
      buildRow(
        kind,
        all.filter((timed) => timed.kind === kind),
      ),
    ),
  );
  const failures = new Map<string, number>();
  for (const { failure } of all) if (failure) failures.set(failure, (failures.get(failure) ?? 0) + 1);
  for (const [failure, times] of failures) console.log(`${times} x ${failure}`);
  const times = all.map(({ milliseconds }) => milliseconds);
  const ratio = percentile(times, 0.99) / percentile(times, 0.5);
  const growth = computeMemoryGrowth();
  console.log(
    `errors: ${all.filter(({ failure }) => failure).length} (${failures.size === 0 ? 'holds' : 'FAILS'})\n` +
      `p99 / p50: ${fixed(ratio)} (below ${MOST_P99_TO_P50}: ${ratio < MOST_P99_TO_P50 ? 'holds' : 'FAILS'})\n` +
      `memory growth after ${Math.round(WARM_UP_SECONDS)} s: ${(100 * growth).toFixed(1)} % ` +
      `(below ${100 * MOST_GROWTH} %: ${growth < MOST_GROWTH ? 'holds' : 'FAILS'})`,
  );
}

/**
 * Returns the growth of the memory of all processes from the end of the warm-up to the end, as a share of the
 * first value.
 */
function computeMemoryGrowth(): number {
  const mean = (from: number, to: number) => {
    const totals = samples
      .filter(({ at }) => at >= from && at <= to)
      .map(({ processes }) => Object.values(processes).reduce((sum, mib) => sum + mib, 0));
    return totals.reduce((sum, total) => sum + total, 0) / totals.length;
  };
  const before = mean(WARM_UP_SECONDS, WARM_UP_SECONDS + AVERAGED_SECONDS);
  return mean(seconds - AVERAGED_SECONDS, seconds) / before - 1;
}
