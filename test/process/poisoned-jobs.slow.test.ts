import { afterAll, beforeAll, expect, it } from 'vitest';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { Receiver, type Reply, uniquePath } from './receiver.ts';
import { Service, sleep } from './service.ts';

interface Job {
  id: string;
  status: string;
  attempt: number;
  error_message: string | null;
}

const TEXT = 'Invoice number: INV-77\nTotal due: 19.50 EUR\n';
const RULES = [{ type: 'invoice', description: 'A bill with an invoice number and a total due.' }];

/** Called for each request, so that tests can kill the process at a defined point. */
let onRequest = (_path: string) => {};
const receiver = new Receiver((path): Reply => {
  onRequest(path);
  return { status: 200, headers: { 'content-type': 'text/plain' }, text: TEXT };
});
const service = new Service({ ALLOW_PRIVATE_ADDRESSES: 'true', RESTART_WAIT_SECONDS: '0.2' });

beforeAll(() => Promise.all([receiver.start(), service.start()]));
afterAll(async () => {
  await service.end();
  await receiver.stop();
});

const classify = (path: string) =>
  service.call<Job>('POST', '/api/v2/classify', {
    file_input: receiver.url + path,
    configuration: { rules: RULES },
  });

async function untilEnded(id: string): Promise<Job> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 200) {
    const job = await service.call<Job>('GET', `/api/v2/classify/${id}`);
    if (job.status !== 'PENDING' && job.status !== 'RUNNING') return job;
    await sleep(200);
  }
  throw new Error('the job did not end');
}

/** Kills the process when a job fetches the path, and resolves afterwards. */
function killedAt(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    onRequest = (asked) => {
      if (asked !== path) return;
      onRequest = () => {};
      service.kill().then(resolve, reject);
    };
  });
}

/** Creates a job whose first starts each crash the process, which is then restarted. */
async function killedAtStarts(path: string, times: number): Promise<Job> {
  const killed = killedAt(path);
  const job = await classify(path);
  await killed;
  for (let start = 2; start <= times; start += 1) {
    const again = killedAt(path);
    // The job may start before the service reports that it is up.
    await Promise.all([service.start().catch(() => {}), again]);
  }
  await service.start();
  return job;
}

it('fails a job that crashes the process at each start, and completes others', async () => {
  const path = uniquePath('poison');
  const { id } = await killedAtStarts(path, 4);
  expect(await untilEnded(id)).toMatchObject({
    status: 'FAILED',
    error_message: expect.stringContaining('started 4 times and never ended'),
  });
  expect(receiver.at(path)).toHaveLength(4);
  const healthy = await classify(uniquePath('healthy'));
  expect(await untilEnded(healthy.id)).toMatchObject({ status: 'COMPLETED' });
});

it('completes a job whose process was killed twice for another reason', async () => {
  const { id } = await killedAtStarts(uniquePath('innocent'), 2);
  expect(await untilEnded(id)).toMatchObject({ status: 'COMPLETED', attempt: 3 });
});
