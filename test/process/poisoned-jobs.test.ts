import { afterAll, beforeAll, expect, it } from 'vitest';
import { Receiver, type Reply } from './receiver.ts';
import { Service, sleep } from './service.ts';

interface Job {
  id: string;
  status: string;
  attempt: number;
  error_message: string | null;
}

const TEXT = 'Invoice number: INV-77\nTotal due: 19.50 EUR\n';
const RULES = [{ type: 'invoice', description: 'A bill with an invoice number and a total due.' }];

/** Told of each request: work stands at the moment at which its process can be killed. */
let onRequest = (_path: string) => {};
const receiver = new Receiver((path): Reply => {
  onRequest(path);
  return { status: 200, headers: { 'content-type': 'text/plain' }, text: TEXT };
});
const service = new Service({ ALLOW_PRIVATE_ADDRESSES: 'true' });

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
  for (let waited = 0; waited < 120_000; waited += 200) {
    const job = await service.call<Job>('GET', `/api/v2/classify/${id}`);
    if (job.status !== 'PENDING' && job.status !== 'RUNNING') return job;
    await sleep(200);
  }
  throw new Error('the job did not end');
}

it('fails a job that takes the process down at each start, and serves the others', async () => {
  const kills: Promise<void>[] = [];
  onRequest = (path) => {
    if (path === '/poison.txt') kills.push(service.kill());
  };
  const { id } = await classify('/poison.txt');
  for (let start = 1; start <= 4; start += 1) {
    while (kills.length < start) await sleep(20);
    await kills[start - 1];
    await service.start();
  }
  expect(await untilEnded(id)).toMatchObject({
    status: 'FAILED',
    error_message: expect.stringContaining('started 4 times and never ended'),
  });
  expect(receiver.at('/poison.txt')).toHaveLength(4);
  const healthy = await classify('/healthy.txt');
  expect(await untilEnded(healthy.id)).toMatchObject({ status: 'COMPLETED' });
}, 400_000);

it('completes a job whose process was killed twice by something else', async () => {
  const kills: Promise<void>[] = [];
  onRequest = (path) => {
    if (path === '/innocent.txt' && kills.length < 2) kills.push(service.kill());
  };
  const { id } = await classify('/innocent.txt');
  for (let kill = 0; kill < 2; kill += 1) {
    while (kills.length <= kill) await sleep(20);
    await kills[kill];
    await service.start();
  }
  expect(await untilEnded(id)).toMatchObject({ status: 'COMPLETED', attempt: 3 });
}, 240_000);
