// Measures how fast a job is created and how fast many jobs finish. The real service runs as a separate
// process with its own state.
// npm run bench:jobs                       100 creates of each kind one after the other, then 1,000 jobs at
// once
// JOBS=200 CREATES=20 npm run bench:jobs   the same with fewer
import { Service, sleep } from '#test/process/service.ts';

const CREATES = Number(process.env.CREATES ?? 100);
const JOBS = Number(process.env.JOBS ?? 1000);
/**
 * Number of creates before the measurement. Each measured create waits until its job has ended, so the
 * service is idle at the next one.
 */
const WARM_UP = 10;
const REQUESTS_AT_ONCE = 50;

const TEXT = 'Invoice number: INV-77\nInvoice date: 2026-03-01\nTotal due: 19.50 EUR\n';
const text = { type: 'string' };
const data_schema = {
  type: 'object',
  properties: { invoice_number: text, invoice_date: text, total_due: { type: 'number' } },
};
const rules = [
  { type: 'invoice', description: 'A bill with an invoice number and a total due.' },
  { type: 'report', description: 'An account of what happened, in sections of prose.' },
];

const KINDS = ['extract', 'classify', 'parse'] as const;
type Kind = (typeof KINDS)[number];

const service = new Service();
let fileId = '';

function buildBody(kind: Kind): object {
  if (kind === 'extract') return { file_input: fileId, configuration: { data_schema } };
  return kind === 'classify' ? { file_input: fileId, configuration: { rules } } : { file_id: fileId };
}

const create = (kind: Kind) => service.call<{ id: string }>('POST', `/api/v2/${kind}`, buildBody(kind));

async function waitUntilEnded(kind: Kind, id: string): Promise<void> {
  for (;;) {
    const { status } = await service.call<{ status: string }>('GET', `/api/v2/${kind}/${id}`);
    if (status === 'COMPLETED') return;
    if (status === 'FAILED') throw new Error(`${kind} job ${id} has failed`);
    await sleep(5);
  }
}

/** Returns the sorted durations of the creates in milliseconds, as seen by the client. */
async function measureCreates(kind: Kind): Promise<number[]> {
  const times: number[] = [];
  for (let n = -WARM_UP; n < CREATES; n += 1) {
    const start = performance.now();
    const { id } = await create(kind);
    if (n >= 0) times.push(performance.now() - start);
    await waitUntilEnded(kind, id);
  }
  return times.sort((a, b) => a - b);
}

/** Returns the number of completed jobs of a kind, which is the number in the usage. */
async function countCompleted(kind: Kind): Promise<number> {
  type Usage = { products: Record<string, { jobs: number }> };
  return (await service.call<Usage>('GET', '/api/v1/usage')).products[kind]?.jobs ?? 0;
}

async function runMany(kind: Kind): Promise<{ submit: number; finish: number }> {
  const goal = (await countCompleted(kind)) + JOBS;
  const start = performance.now();
  let left = JOBS;
  const client = async () => {
    while (left-- > 0) await create(kind);
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, client));
  const submit = performance.now() - start;
  while ((await countCompleted(kind)) < goal) await sleep(50);
  return { submit: submit / 1000, finish: (performance.now() - start) / 1000 };
}

const quantile = (sorted: number[], q: number) => sorted[Math.ceil(q * sorted.length) - 1]!;

await service.start();
try {
  fileId = await service.upload('invoice.txt', TEXT);
  const rows: Record<string, number | string>[] = [];
  for (const kind of KINDS) {
    const times = await measureCreates(kind);
    const { submit, finish } = await runMany(kind);
    rows.push({
      kind,
      'create p50 ms': quantile(times, 0.5).toFixed(1),
      'create p95 ms': quantile(times, 0.95).toFixed(1),
      [`${JOBS} submitted s`]: submit.toFixed(1),
      [`${JOBS} finished s`]: finish.toFixed(1),
      'jobs/s': (JOBS / finish).toFixed(0),
    });
  }
  console.table(rows);
} finally {
  await service.end();
}
