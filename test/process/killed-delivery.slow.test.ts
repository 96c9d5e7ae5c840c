import { afterAll, beforeAll, expect, it } from 'vitest';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { Receiver, type Reply, uniquePath } from './receiver.ts';
import { Service, sleep } from './service.ts';

const TEXT = 'Invoice number: INV-77\nTotal due: 19.50 EUR\n';
const RULES = [{ type: 'invoice', description: 'A bill with an invoice number and a total due.' }];

/** Called for each request before the answer. */
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

/** Polls until the function returns a value. */
async function until<Value>(look: () => Promise<Value | undefined> | Value | undefined): Promise<Value> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const found = await look();
    if (found) return found;
    await sleep(50);
  }
  throw new Error('it did not happen');
}

it('repeats a webhook delivery that was interrupted by a kill', async () => {
  const hook = uniquePath('hook');
  const killed = new Promise<void>((resolve, reject) => {
    onRequest = (path) => {
      if (path !== hook) return;
      onRequest = () => {};
      service.kill().then(resolve, reject);
    };
  });
  const { id } = await service.call<{ id: string }>('POST', '/api/v2/classify', {
    file_input: `${receiver.url}/invoice.txt`,
    configuration: { rules: RULES },
    webhook_configurations: [{ webhook_url: receiver.url + hook, webhook_events: ['classify.success'] }],
  });
  await killed;
  await service.start();
  type Log = { items: { status: string }[] };
  const log = await until(async () => {
    const { items } = await service.call<Log>('GET', `/api/v1/beta/webhook-deliveries?job_id=${id}`);
    return items.every(({ status }) => status !== 'pending') && items;
  });
  expect(log).toMatchObject([{ status: 'delivered' }]);
  const [first, second, ...more] = receiver.at(hook);
  expect(more).toEqual([]);
  expect(second!.headers['x-webhook-event-id']).toBe(first!.headers['x-webhook-event-id']);
  expect(second!.body.equals(first!.body)).toBe(true);
});
