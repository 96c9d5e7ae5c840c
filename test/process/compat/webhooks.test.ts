import { createHmac } from 'node:crypto';
import LlamaCloud from '@llamaindex/llama-cloud';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Receiver } from '../receiver.ts';
import { SharedService } from '../shared-client.ts';
import { until } from './until.ts';

const SECRET = 'a secret of the receiver';
const service = new SharedService();
const receiver = new Receiver(() => ({ status: 200 }));
let client: LlamaCloud;

beforeAll(async () => {
  await Promise.all([service.start(), receiver.start()]);
  client = new LlamaCloud({ apiKey: service.key, baseURL: `${service.base}/compat`, maxRetries: 0 });
});
afterAll(() => Promise.all([service.end(), receiver.stop()]));

const hook = (path: string) => ({
  webhook_url: `${receiver.url}${path}`,
  webhook_events: ['classify.success' as const],
  webhook_signing_secret: SECRET,
});

/** Waits for the single request to a path. */
async function told(path: string) {
  await until(async () => receiver.at(path).length > 0);
  return receiver.at(path)[0]!;
}

function expectOriginal({ headers, body }: Awaited<ReturnType<typeof told>>) {
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  expect(headers).toMatchObject({
    'lc-signature': signature,
    'svc-signature': signature,
    'user-agent': 'llamaindex-webhook-service/1.0',
  });
}

const rules = [{ type: 'letter', description: 'A letter to somebody, with a greeting.' }];

it('webhooks for jobs and endpoints created by clients have the original format', async () => {
  const file_input = await service.upload('letter.txt', 'Dear Sir, yours sincerely.');
  await client.classify.create({
    file_input,
    configuration: { rules },
    webhook_configurations: [hook('/inline')],
  });
  expectOriginal(await told('/inline'));

  const { id } = await client.webhookConfigs.create(hook('/saved'));
  await service.call('POST', '/api/v2/classify', {
    file_input,
    configuration: { rules },
    webhook_configuration_ids: [id],
    webhook_configurations: [hook('/root')],
  });
  expectOriginal(await told('/saved'));
  const { headers } = await told('/root');
  expect(headers['user-agent']).toBe('Sluice-Webhooks/1.0');
  expect(headers).toHaveProperty('svc-signature');
  expect(headers).not.toHaveProperty('lc-signature');
});

it('webhooks for parses of a pipeline configured by a client have the original format', async () => {
  const { id } = await client.pipelines.create({
    name: 'parsed',
    llama_parse_parameters: { webhook_url: `${receiver.url}/pipeline` },
  });
  const file_id = await service.upload('note.txt', 'The bell rings at nine.');
  await client.pipelines.files.create(id, { body: [{ file_id }] });
  expect((await told('/pipeline')).headers['user-agent']).toBe('llamaindex-webhook-service/1.0');

  await service.call('PUT', `/api/v1/pipelines/${id}`, {
    parse_parameters: { webhook_url: `${receiver.url}/taken-over` },
  });
  const other = await service.upload('other.txt', 'The bell rings at ten.');
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id: other }]);
  expect((await told('/taken-over')).headers['user-agent']).toBe('Sluice-Webhooks/1.0');
});
