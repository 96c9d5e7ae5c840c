import { afterAll, beforeAll, expect, it } from 'vitest';
import { Service, sleep } from '#test/process/service.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

// The service thread hangs. The supervisor restarts it, and the job that hangs it fails after several starts.

interface Job {
  id: string;
  status: string;
  error_message: string | null;
}

/** File size that hangs the tested service. See test/support/hanging. */
const HANGING_BYTES = 4_242;
const RULES = [{ type: 'invoice', description: 'A bill with an invoice number and a total due.' }];

const service = new Service({
  SERVICE_ENTRY: 'test/support/hanging/worker.ts',
  WATCHDOG_SECONDS: '3',
  RESTART_WAIT_SECONDS: '0.2',
});
beforeAll(() => service.start());
afterAll(() => service.end());

async function classify(text: string): Promise<string> {
  const file_input = await service.upload('file.txt', text);
  const job = await service.call<Job>('POST', '/api/v2/classify', {
    file_input,
    configuration: { rules: RULES },
  });
  return job.id;
}

/** Waits for the end of a job and ignores requests that fail during a restart. */
async function untilEnded(id: string): Promise<Job> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 200) {
    const answer = await service
      .fetch('GET', `/api/v2/classify/${id}`, undefined, 1_000)
      .catch(() => undefined);
    const job = answer?.ok ? ((await answer.json()) as Job) : undefined;
    if (job && job.status !== 'PENDING' && job.status !== 'RUNNING') return job;
    await sleep(200);
  }
  throw new Error(`the job did not end: ${service.output}`);
}

it('restarts a hanging service and fails the job that hangs it', async () => {
  const id = await classify('x'.repeat(HANGING_BYTES));
  const job = await untilEnded(id);
  expect(job).toMatchObject({
    status: 'FAILED',
    error_message: expect.stringMatching(/started \d times and never ended/),
  });
  const hangs = service.output.split('\n').filter((line) => line.includes('the service does not answer'));
  expect(hangs.length).toBeGreaterThan(1);
  expect(hangs[0]).toContain(`message classify jobId=${id}`);
});

it('completes other jobs afterwards', async () => {
  expect(await untilEnded(await classify('Invoice number: INV-77. Total due: 19.50 EUR'))).toMatchObject({
    status: 'COMPLETED',
  });
});
