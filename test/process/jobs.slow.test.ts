import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { Receiver, type Reply, uniquePath } from './receiver.ts';
import { callUntilAdmitted } from './send-until-admitted.ts';
import { Service, sleep } from './service.ts';

interface Job {
  id: string;
  status: string;
  attempt: number;
}

const SECRET = 'a secret that only the two of us know';
const TEXT = 'Invoice number: INV-77\nTotal due: 19.50 EUR – paid in Kraków\n';
const SCHEMA = { type: 'object', properties: { invoice_number: { type: 'string' } } };

const receiver = new Receiver((path, n): Reply => {
  if (path.startsWith('/gone')) return { status: 410 };
  if (path.startsWith('/invoice')) {
    return { status: 200, headers: { 'content-type': 'text/plain' }, text: TEXT };
  }
  if (path.startsWith('/busy') && n === 1) return { status: 503, headers: { 'retry-after': '6' } };
  return { status: 204 };
});
const service = new Service({ ALLOW_PRIVATE_ADDRESSES: 'true' });
let fileId = '';

beforeAll(async () => {
  await Promise.all([receiver.start(), service.start()]);
  fileId = await service.upload('invoice.txt', TEXT);
});
afterAll(async () => {
  await service.end();
  await receiver.stop();
});

const extract = (webhook_configurations: object[] = []) =>
  callUntilAdmitted<Job>(service, 'POST', '/api/v2/extract', {
    file_input: fileId,
    configuration: { data_schema: SCHEMA },
    webhook_configurations,
  });

async function until<T>(
  read: () => Promise<T> | T,
  done: (value: T) => boolean,
  patience = PATIENCE_MS,
): Promise<T> {
  for (let waited = 0; waited < patience; waited += 100) {
    const value = await read();
    if (done(value)) return value;
    await sleep(100);
  }
  throw new Error('it did not come to pass');
}

it('delivers signed webhook events in order, also for a cached parse', async () => {
  const before = Date.now();
  for (let round = 0; round < 2; round += 1) {
    const path = uniquePath('hook');
    const job = await extract([
      {
        webhook_url: receiver.url + path,
        webhook_signing_secret: SECRET,
        webhook_headers: { 'x-tenant': 'acme', 'user-agent': 'not ours' },
        webhook_output_format: 'json',
      },
    ]);
    const got = await until(
      () => receiver.at(path),
      (list) => list.length === 3,
    );
    for (const { headers, body } of got) {
      expect(headers['svc-signature']).toBe(
        `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
      );
      const event = JSON.parse(body.toString('utf8'));
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^Sluice/),
        'x-tenant': 'acme',
        'x-webhook-event-id': event.event_id,
        'x-webhook-event-type': event.event_type,
      });
      const ofParse = event.event_type === 'parse.success';
      const id = ofParse ? expect.stringMatching(/^pjb-/) : job.id;
      expect(event.data).toMatchObject({ id, job_id: id });
      // The timestamp has a resolution of one second.
      expect(event.timestamp * 1000).toBeGreaterThan(before - 1_000);
      expect(event.timestamp * 1000).toBeLessThanOrEqual(Date.now());
    }
    const all = got.map(({ body }) => JSON.parse(body.toString('utf8')));
    expect(all.filter((event) => event.event_type === 'parse.success')).toHaveLength(1);
    const events = all.filter((event) => event.event_type.startsWith('extract.'));
    expect(events.map((event) => event.event_type)).toEqual(['extract.pending', 'extract.success']);
    expect(events[1].data.result.extract_result).toEqual({ invoice_number: 'INV-77' });
  }
});

it('retries after Retry-After, holds back later events and stops at 410', async () => {
  const [busy, gone] = [uniquePath('busy'), uniquePath('gone')];
  const job = await extract([
    { webhook_url: receiver.url + busy, webhook_events: ['extract.pending', 'extract.success'] },
    { webhook_url: receiver.url + gone, webhook_events: ['extract.success'] },
  ]);
  const got = await until(
    () => receiver.at(busy),
    (list) => list.length === 3,
  );
  expect(got.map(({ headers }) => headers['x-webhook-event-type'])).toEqual([
    'extract.pending',
    'extract.pending',
    'extract.success',
  ]);
  expect(got[1]!.headers['x-webhook-event-id']).toBe(got[0]!.headers['x-webhook-event-id']);
  type Log = { items: { webhook_url: string; status: string; attempts: number; last_status_code: number }[] };
  const log = await until(
    () => service.call<Log>('GET', `/api/v1/beta/webhook-deliveries?job_id=${job.id}`),
    ({ items }) => items.every(({ status }) => status !== 'pending'),
  );
  expect(log.items.find(({ webhook_url }) => webhook_url.endsWith(gone))).toMatchObject({
    status: 'dead',
    attempts: 1,
    last_status_code: 410,
  });
  expect(receiver.at(gone)).toHaveLength(1);
});

const ended = (product: string, id: string) =>
  until(
    () => service.call<Job & Record<string, unknown>>('GET', `/api/v2/${product}/${id}`),
    ({ status }) => status !== 'PENDING' && status !== 'RUNNING',
  );

it('fetches a document by URL once', async () => {
  const path = uniquePath('invoice');
  const url = receiver.url + path;
  const rules = [{ type: 'invoice', description: 'A bill with an invoice number and a total due.' }];
  const created = await service.call<Job>('POST', '/api/v2/classify', {
    file_input: url,
    configuration: { rules },
  });
  const classified = await ended('classify', created.id);
  expect(classified).toMatchObject({
    status: 'COMPLETED',
    document_input_type: 'url',
    file_input: url,
    result: { type: 'invoice' },
  });
  expect(receiver.at(path)).toHaveLength(1);

  const parse = await service.call<Job>('POST', '/api/v2/parse', { url });
  const parsed = await ended('parse', parse.id);
  expect(parsed).toMatchObject({ status: 'COMPLETED', url, file_id: expect.any(String) });
  for (const file_input of [parse.id, String(parsed.file_id), String(classified.parse_job_id)]) {
    const job = await service.call<Job>('POST', '/api/v2/extract', {
      file_input,
      configuration: { data_schema: SCHEMA },
    });
    expect((await ended('extract', job.id)).extract_result).toEqual({ invoice_number: 'INV-77' });
  }
});

it('fails with a reason if the URL has no document', async () => {
  const rules = [{ type: 'invoice', description: 'A bill with an invoice number and a total due.' }];
  const file_input = `${receiver.url}/gone`;
  const { id } = await service.call<Job>('POST', '/api/v2/classify', {
    file_input,
    configuration: { rules },
  });
  expect(await ended('classify', id)).toMatchObject({
    status: 'FAILED',
    error_message: expect.stringContaining('410'),
  });
});

/** Returns the number of completed jobs of a product, as counted for billing. */
async function completed(product: string): Promise<number> {
  type Usage = { products: Record<string, { jobs: number }> };
  return (await service.call<Usage>('GET', '/api/v1/usage')).products[product]?.jobs ?? 0;
}

/** Returns all jobs of the project. */
async function allJobs(product: string): Promise<Job[]> {
  const jobs: Job[] = [];
  let token = '';
  do {
    const path = `/api/v2/${product}?page_size=100${token && `&page_token=${token}`}`;
    const page = await service.call<{ items: Job[]; next_page_token: string | null }>('GET', path);
    jobs.push(...page.items);
    token = page.next_page_token ?? '';
  } while (token);
  return jobs;
}

it('finishes 1,000 concurrent jobs once each', async () => {
  const before = await completed('classify');
  const rules = [{ type: 'invoice', description: 'A bill with an invoice number and a total due.' }];
  const body = { file_input: fileId, configuration: { rules } };
  const created = await Promise.all(
    Array.from({ length: 1000 }, () => callUntilAdmitted<Job>(service, 'POST', '/api/v2/classify', body)),
  );
  expect(new Set(created.map(({ id }) => id)).size).toBe(1000);
  await until(
    () => completed('classify'),
    (jobs) => jobs - before === 1000,
    3 * PATIENCE_MS,
  );
  const ids = new Set(created.map(({ id }) => id));
  const jobs = (await allJobs('classify')).filter(({ id }) => ids.has(id));
  expect(jobs).toHaveLength(1000);
  expect(jobs.filter(({ status, attempt }) => status !== 'COMPLETED' || attempt !== 1)).toEqual([]);
});

/** Kills the process, starts it again and waits until the given jobs have completed. */
async function surviveAKill(created: Job[], before: number): Promise<void> {
  await service.kill();
  await service.start();
  await until(
    () => completed('extract'),
    (jobs) => jobs - before === created.length,
  );
  const ids = new Set(created.map(({ id }) => id));
  const jobs = (await allJobs('extract')).filter(({ id }) => ids.has(id));
  expect(jobs).toHaveLength(created.length);
  expect(jobs.filter(({ status }) => status !== 'COMPLETED')).toEqual([]);
}

it('finishes waiting and running jobs after a kill', async () => {
  const before = await completed('extract');
  const created = await Promise.all(Array.from({ length: 120 }, () => extract()));
  await until(
    () => completed('extract'),
    (jobs) => jobs > before,
  );
  await surviveAKill(created, before);
});

it('finishes jobs created just before a kill', async () => {
  const before = await completed('extract');
  const created = [await extract()];
  await surviveAKill(created, before);
  const more = await Promise.all(Array.from({ length: 5 }, () => extract()));
  await surviveAKill(more, before + 1);
});
