/**
 * Kills each process of the server with SIGKILL while clients upload, retrieve and chat. Prints for each how many
 * requests failed, how long clients waited for the next answer, and how many accepted files were lost or never indexed.
 * Run: [CLIENTS=10] npm run bench:kills
 */
import { SyncClient } from '#test/process/pipelines.ts';
import { listRuntimes } from '#test/process/runtimes.ts';
import { Service, sleep } from '#test/process/service.ts';
import { fixed, printTable, type Row } from './search/measure.ts';
import { SoakClient, type Timed } from './soak/client.ts';

const clients = Number(process.env.CLIENTS || 10);
const LOAD_BEFORE_MS = 5_000;
const LOAD_AFTER_MS = 15_000;
/** Interval in milliseconds between the attempts of a client while the server does not answer. */
const ASK_EVERY_MS = 50;
const MOST_WAIT_MS = 60_000;

const service = new Service();
const sync = new SyncClient(service);
const rows: Row[] = [];

await service.start();
try {
  await measure('parser', () => kill('parser 0'));
  await measure('service', () => kill('service'));
  await measure('supervisor, started again', async () => {
    process.kill(service.group, 'SIGKILL');
    await service.start();
  });
} finally {
  await service.end();
}
printTable(rows);
process.exit(0);

function kill(name: string): void {
  const runtime = listRuntimes(service).find((each) => each.name === name);
  if (!runtime) throw new Error(`The process "${name}" does not run.`);
  process.kill(runtime.pid, 'SIGKILL');
}

async function measure(name: string, end: () => void | Promise<void>): Promise<void> {
  const pipeline = await sync.createPipeline();
  const timed: (Timed & { at: number })[] = [];
  let isOver = false;
  const running = Array.from({ length: clients }, (_, at) =>
    new SoakClient(service, pipeline, at, (each) => {
      timed.push({ ...each, at: performance.now() });
      // A refused connection fails at once, and a real client would wait before its next attempt.
      if (each.failure) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ASK_EVERY_MS);
    }).run(() => isOver),
  );
  await sleep(LOAD_BEFORE_MS);
  const killed = performance.now();
  await end();
  const wait = await waitUntilAnswered(killed);
  await sleep(LOAD_AFTER_MS);
  isOver = true;
  await Promise.all(running);
  const { status, counts } = await sync.sync(pipeline);
  rows.push({
    'killed process': name,
    requests: timed.length,
    'failed requests': timed.filter(({ failure }) => failure).length,
    'answers again after, ms': fixed(wait),
    'status of the index afterwards': status,
    ...counts,
  });
}

/** Waits until a request succeeds. Returns the milliseconds since `since`. */
async function waitUntilAnswered(since: number): Promise<number> {
  while (performance.now() - since < MOST_WAIT_MS) {
    const answer = await service.fetch('GET', '/health', undefined, MOST_WAIT_MS).catch(() => undefined);
    await answer?.text();
    if (answer?.ok) return performance.now() - since;
    await sleep(ASK_EVERY_MS);
  }
  throw new Error(`The server did not answer within ${MOST_WAIT_MS / 1000} seconds.`);
}
