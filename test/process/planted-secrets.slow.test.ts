import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { z } from 'zod';
import { embeddingComponents } from '#src/models/embedding/registry.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { sinkComponents } from '#src/sinks/registry.ts';
import { sourceComponents } from '#src/sources/registry.ts';
import { webhookConfiguration } from '#src/webhook-protocol/configuration.ts';
import { buildPdf, paragraph } from '#test/fixtures/pdf.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { plant } from '#test/support/plant.ts';
import { makeSound } from '#test/support/sound-settings.ts';
import { SyncClient } from './pipelines.ts';
import { Receiver } from './receiver.ts';
import {
  filesWithSecret,
  plantEnvironment,
  plantSecretsFile,
  processesWithSecret,
  secretVariables,
} from './secrets/planted-service.ts';
import { listSecretFields, Planting, SECRET } from './secrets/planting.ts';
import { RepeatingServer } from './secrets/repeating-server.ts';
import { Service, sleep } from './service.ts';

// Service whose variables and settings contain planted secrets, with vendors that echo them.

const planting = new Planting();
const vendor = new RepeatingServer((text) => planting.find(text));
const receiver = new Receiver((path) => ({ status: path === '/refused' ? 401 : 200, text: 'no' }));
const folder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'));
const secretsFile = join(folder, 'secrets.env');
const answers: { from: string; text: string }[] = [];
let service: Service;
let client: SyncClient;
let environment: Record<string, string> = {};
/** Paths of created resources. */
const created: string[] = [];

beforeAll(async () => {
  await vendor.start();
  await receiver.start();
  plantSecretsFile(secretsFile, planting);
  environment = plantEnvironment(planting, vendor);
  service = new Service({
    ...{ SECRETS_FILE: secretsFile, LOG_LEVEL: 'info', ALLOW_PRIVATE_ADDRESSES: 'true' },
    ...{ SILENCE_SECONDS: '3', METRICS_SECONDS: '1' },
    ...environment,
  });
  client = new SyncClient(service);
  await service.start();
});

afterAll(async () => {
  await service.end();
  await receiver.stop();
  vendor.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends a body with secrets in place of `SECRET` and keeps the answer. `parameters` are path parameters. */
async function send<Answer = { id: string }>(
  method: string,
  template: string,
  body?: unknown,
  parameters: Record<string, string> = {},
): Promise<{ status: number; body: Answer }> {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? name);
  const response = await service.fetch(method, path, planting.fill(`${method} ${template}`, body));
  const text = await response.text();
  answers.push({ from: `${method} ${path}`, text: `${JSON.stringify([...response.headers])} ${text}` });
  const answer = {
    status: response.status,
    body: (text.startsWith('{') ? JSON.parse(text) : text) as Answer,
  };
  const { id } = (answer.body ?? {}) as { id?: string };
  if (method === 'POST' && response.ok && id && !/\{|validate/.test(template)) created.push(`${path}/${id}`);
  return answer;
}

/** Returns settings that reach the vendor, with `SECRET` in every secret field. */
function settingsFor(kind: string, shape: z.ZodObject): Record<string, unknown> {
  const component = plant(shape, () => SECRET);
  const sound = makeSound(kind, Object.keys(shape.shape), component, {
    address: vendor.url,
    privateKey: SECRET,
  });
  if (kind === 'VENDOR_D') sound.db_uri = `mongodb://user:${SECRET}@${vendor.mongoHost}/`;
  if (kind === 'VENDOR_F') Object.assign(sound, { host: '127.0.0.1', port: vendor.postgresPort });
  return sound;
}

const hooks = (path = '/hook') => [
  { ...plant(webhookConfiguration, () => SECRET), webhook_url: receiver.url + path, webhook_events: null },
];
const sinks = Object.entries(sinkComponents);
const sources = Object.entries(sourceComponents);
const embeddings = Object.entries(embeddingComponents);

it('every data sink, data source and embedding type accepts the secrets, and errors remove them', async () => {
  for (const [sink_type, shape] of sinks) {
    // Uses all secret fields, and then only those of one authentication method.
    for (const component of [plant(shape, () => SECRET), settingsFor(sink_type, shape)]) {
      const body = { name: sink_type, sink_type, component };
      const { id: data_sink_id } = (await send('POST', '/api/v1/data-sinks', body)).body;
      await send('PUT', '/api/v1/data-sinks', body);
      await send('PUT', '/api/v1/data-sinks/{data_sink_id}', body, { data_sink_id });
      await send('POST', '/api/v1/validate-integrations/validate-data-sink-connection', body);
      await send('POST', '/api/v1/data-sinks/{data_sink_id}/validate', undefined, { data_sink_id });
    }
  }
  for (const [source_type, shape] of sources) {
    for (const component of [plant(shape, () => SECRET), settingsFor(source_type, shape)]) {
      const body = { name: source_type, source_type, component };
      const { id: data_source_id } = (await send('POST', '/api/v1/data-sources', body)).body;
      await send('PUT', '/api/v1/data-sources', body);
      await send('PUT', '/api/v1/data-sources/{data_source_id}', body, { data_source_id });
      await send('POST', '/api/v1/validate-integrations/validate-data-source-connection', body);
    }
  }
  for (const [type, shape] of embeddings) {
    for (const component of [plant(shape, () => SECRET), settingsFor(type, shape)]) {
      const embedding_config = { type, component };
      const body = { name: type, embedding_config };
      const { id } = (await send('POST', '/api/v1/embedding-model-configs', body)).body;
      await send('PUT', '/api/v1/embedding-model-configs', body);
      const one = '/api/v1/embedding-model-configs/{embedding_model_config_id}';
      await send('PUT', one, body, { embedding_model_config_id: id });
      await send('POST', '/api/v1/validate-integrations/validate-embedding-connection', embedding_config);
    }
  }
  const repeated = [...vendor.heard.values()].flat();
  expect(new Set(repeated).size).toBeGreaterThan(12);
  expect(answers.filter(({ text }) => text.includes('[removed]')).length).toBeGreaterThan(10);
});

it('pipelines accept the secrets, and their syncs and searches fail', async () => {
  const one = '/api/v1/pipelines/{pipeline_id}';
  const parse_parameters = plant(parseParameters, () => SECRET);
  for (const [index, [type, shape]] of embeddings.entries()) {
    const [sink_type, sink] = sinks[index % sinks.length]!;
    for (const isSound of [false, true]) {
      const settings = (kind: string, of: z.ZodObject) =>
        isSound ? settingsFor(kind, of) : plant(of, () => SECRET);
      const body = {
        name: `${type} ${sink_type} ${isSound}`,
        data_sink: { name: 'inline', sink_type, component: settings(sink_type, sink) },
        embedding_config: { type, component: settings(type, shape) },
        parse_parameters,
      };
      const pipeline_id = (await send('POST', '/api/v1/pipelines', body)).body.id;
      await send('PUT', '/api/v1/pipelines', body);
      await send('PUT', one, body, { pipeline_id });
      if (!isSound || !pipeline_id) continue;
      await send('POST', `${one}/documents`, [{ id: 'a', text: 'A text.', metadata: {} }], { pipeline_id });
      await send('POST', `${one}/retrieve`, { query: 'text' }, { pipeline_id });
    }
  }
  for (const [sink_type, shape] of sinks) {
    const data_sink = { name: 'inline', sink_type, component: plant(shape, () => SECRET) };
    const body = { name: `sink ${sink_type}`, data_sink };
    const pipeline_id = (await send('POST', '/api/v1/pipelines', body)).body.id;
    await send('PUT', '/api/v1/pipelines', body);
    await send('PUT', one, body, { pipeline_id });
  }
});

it('pipeline with models of the service fails with their keys and then succeeds', async () => {
  const one = '/api/v1/pipelines/{pipeline_id}';
  const pipeline_id = (await send('POST', '/api/v1/pipelines', { name: 'managed' })).body.id;
  const documents = [{ id: 'a', text: 'The keeper of the lighthouse counts the ships.', metadata: {} }];
  await client.run(pipeline_id, () => send('POST', `${one}/documents`, documents, { pipeline_id }));
  vendor.embeds = true;
  expect(await client.sync(pipeline_id)).toMatchObject({ status: 'SUCCESS' });
  const found = await send<{ retrieval_nodes: unknown[] }>(
    'POST',
    `${one}/retrieve`,
    { query: 'lighthouse keeper', rerank_top_n: 1 },
    { pipeline_id },
  );
  expect(found.status).toBe(200);
  for (const model of [undefined, 'named', 'referring']) {
    const messages = [{ role: 'user', content: 'Who counts the ships?' }];
    const data = model && { llm_parameters: { model_name: model } };
    await send('POST', `${one}/chat`, { messages, ...(data && { data }) }, { pipeline_id });
  }
  const learned = { name: 'learned', sparse_model_config: { model_type: 'splade' } };
  const sparse_id = (await send('POST', '/api/v1/pipelines', learned)).body.id;
  const add = () => send('POST', `${one}/documents`, documents, { pipeline_id: sparse_id });
  expect(await client.run(sparse_id, add)).toMatchObject({ status: 'ERROR' });
  await send('GET', `${one}/status`, undefined, { pipeline_id: sparse_id });
  const models = ['/v1/chat/completions', '/named/chat/completions', '/referring/chat/completions'];
  for (const path of ['/v1/embeddings', '/v2/rerank', '/sparse/embed_sparse', ...models]) {
    expect(vendor.heard.get(path), path).toEqual(expect.arrayContaining([expect.any(String)]));
  }
});

it('jobs and webhooks accept the secrets and deliver', async () => {
  const file_input = await service.upload('invoice.txt', 'Invoice number: INV-2041. Total due: 5 EUR.');
  const data_schema = { type: 'object', properties: { total: { type: 'number' } } };
  const configuration = {
    ...plant(parseParameters, () => SECRET),
    webhook_configurations: hooks('/parsing'),
  };
  const jobs: [product: string, body: object][] = [
    ['parse', { file_id: file_input, configuration, webhook_configurations: hooks() }],
    ['parse', { file_id: file_input, webhook_configurations: hooks('/refused') }],
    // The parser sends this document to the OCR model of the vendor.
    ['parse', { file_id: await uploadScan() }],
    ['extract', { file_input, configuration: { data_schema }, webhook_configurations: hooks() }],
    [
      'classify',
      {
        file_input,
        configuration: { rules: [{ type: 'invoice', description: 'Invoices, with what is to be paid.' }] },
        webhook_configurations: hooks(),
      },
    ],
    [
      'split',
      { file_input, configuration: { categories: [{ name: 'invoice' }] }, webhook_configurations: hooks() },
    ],
    [
      'sheets',
      {
        file_input: await service.upload('lamps.csv', 'lamp,height\nnorth,42\n'),
        webhook_configurations: hooks(),
      },
    ],
  ];
  const [hook] = hooks('/saved');
  const saved = (await send('POST', '/api/v1/beta/webhook-configs', hook)).body.id;
  const one = '/api/v1/beta/webhook-configs/{webhook_config_id}';
  await send('PUT', one, hook, { webhook_config_id: saved });
  for (const [product, body] of jobs) {
    const { id, status } = { ...(await send('POST', `/api/v2/${product}`, body)).body, status: '' };
    expect(id, product).toBeTypeOf('string');
    await untilEnded(`/api/v2/${product}/${id}`, status);
  }
  const batch = { job_type: 'parse', file_ids: [file_input], configuration, webhook_configurations: hooks() };
  const batched = await send<{ id: string; status: string }>('POST', '/api/v2/batches', batch);
  expect(batched.status).toBe(200);
  await untilEnded(`/api/v2/batches/${batched.body.id}`, batched.body.status);
  const parameters = { ...plant(parseParameters, () => SECRET), product_type: 'parse_v2' };
  const named = { name: 'parsing', parameters };
  const configuration_id = (await send('POST', '/api/v1/beta/configurations', named)).body.id;
  await send('PUT', '/api/v1/beta/configurations/{configuration_id}', named, { configuration_id });
  expect(vendor.heard.get('/ocr/chat/completions')).toEqual(expect.arrayContaining([expect.any(String)]));
  await expect.poll(() => receiver.at('/hook').length).toBeGreaterThan(3);
  await expect.poll(() => receiver.at('/refused').length).toBeGreaterThan(0);
});

/** Uploads a scanned page. */
async function uploadScan(): Promise<string> {
  const typed = buildPdf({ pages: [{ content: paragraph(72, 720, ['The keeper counts the ships.'], 14) }] });
  const id = await service.upload('typed.pdf', new Uint8Array(typed));
  return service.upload('scan.png', await service.bytes(`/api/v1/files/${id}/page_screenshots/0`));
}

async function untilEnded(path: string, first: string): Promise<void> {
  let status = first;
  for (let waited = 0; waited < PATIENCE_MS && !/COMPLETED|FAILED|CANCELLED/.test(status); waited += 100) {
    await sleep(100);
    const { body } = await send<{ status?: string; job?: { status: string } }>('GET', path);
    status = body.status ?? body.job?.status ?? '';
  }
}

it('requests with wrong secrets are rejected', async () => {
  await send('POST', '/api/v1/session', { api_key: SECRET });
  await send('POST', '/api/v1/invitations/accept', { token: SECRET, name: 'Ada' });
  await send('PUT', '/api/v1/files/upload_from_url', {
    url: `${vendor.url}/file?token=${SECRET}`,
    request_headers: { authorization: `Bearer ${SECRET}` },
  });
  await send('POST', '/api/v1/data-sinks', {
    name: 7,
    sink_type: 'VENDOR_E',
    component: { api_key: SECRET },
  });
  const wrong = await service.fetch(
    'GET',
    `/api/v1/files?api_key=${planting.next()}`,
    undefined,
    undefined,
    planting.next(),
  );
  answers.push({ from: 'a wrong key', text: await wrong.text() });
});

it('every secret field and secret variable was tested', async () => {
  const description = await service.call<Record<string, unknown>>('GET', '/openapi.json');
  const fields = listSecretFields(description);
  expect(fields.length).toBeGreaterThan(150);
  expect(fields.filter((field) => !planting.fields.has(field))).toEqual([]);
  const held = { ...environment, ...parseLines(readFileSync(secretsFile, 'utf8')) };
  const missing = secretVariables().filter((name) => !planting.isIn(Buffer.from(held[name] ?? '')));
  expect(missing).toEqual([]);
});

const parseLines = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+)="(.*)"$/gm)].map(([, name, value]) => [name, value]));

it('secrets are in no answer, list, export, metric or trace', async () => {
  const lists = ['data-sinks', 'data-sources', 'embedding-model-configs', 'pipelines', 'projects', 'jobs'];
  const further = [
    'usage',
    'usage/daily',
    'beta/webhook-configs',
    'beta/webhook-deliveries',
    'beta/configurations',
  ];
  for (const list of [...lists, ...further]) await send('GET', `/api/v1/${list}`);
  for (const path of created) await send('GET', path);
  for (const path of created.filter((each) => each.includes('/pipelines/'))) {
    await send('GET', `${path}/status?full_details=true`);
    await send('GET', `${path}/jobs`);
  }
  const [project] = await service.call<{ id: string }[]>('GET', '/api/v1/projects');
  expect((await send('GET', `/api/v1/projects/${project!.id}/export`)).status).toBe(200);
  const deliveries = await service.call<{ items: { id: string }[] }>(
    'GET',
    '/api/v1/beta/webhook-deliveries',
  );
  expect(deliveries.items.length).toBeGreaterThan(3);
  for (const { id } of deliveries.items) await send('GET', `/api/v1/beta/webhook-deliveries/${id}`);
  expect((await send<string>('GET', '/metrics')).body).toContain('sluice_');
  for (const path of ['/health', '/openapi.json', '/api/v1/capabilities']) await send('GET', path);
  expect(answers.filter(({ text }) => planting.find(text).length > 0)).toEqual([]);
  expect(answers.length).toBeGreaterThan(300);
});

it('secrets are in no webhook except its configured headers', () => {
  const bodies = receiver.received.map(({ body }) => body);
  expect(bodies.length).toBeGreaterThan(3);
  expect(bodies.filter((body) => planting.isIn(body))).toEqual([]);
  const headers = receiver.received.map(({ headers }) => {
    const { 'x-any': own, ...others } = headers;
    expect(planting.find(String(own))).toHaveLength(1);
    return JSON.stringify(others);
  });
  expect(headers.filter((text) => planting.find(text).length > 0)).toEqual([]);
});

it('secrets are in no log line', () => {
  expect(service.output).toContain('"event":"request"');
  expect(service.output.split('\n').filter((line) => planting.isIn(Buffer.from(line)))).toEqual([]);
});

it('secrets are in no process arguments or inherited environment', () => {
  expect(processesWithSecret(planting, service.group)).toEqual([]);
});

it('secrets are in no backup and in no output of backup and import', () => {
  const target = join(folder, 'backup');
  const key = service.key;
  const run = (script: string, args: string[], more: Record<string, string>) =>
    spawnSync(process.execPath, [`scripts/${script}.ts`, ...args], {
      env: { ...process.env, BASE_URL: service.base, SLUICE_API_KEY: key, ...more },
      encoding: 'utf8',
    });
  const backup = run('backup/backup', [target], {});
  expect(backup.status, backup.stdout + backup.stderr).toBe(0);
  const compat = `${service.base}/compat`;
  const state = join(target, 'import.jsonl');
  const imported = run(
    'import/main',
    ['--from', compat, '--to', compat, '--project', 'Copy', '--state', state, '--no-sync'],
    { IMPORT_FROM_KEY: key, IMPORT_TO_KEY: key, IMPORT_SECRETS: importSecrets() },
  );
  expect(imported.stdout + imported.stderr).toContain('data sinks');
  const said = [backup, imported].flatMap(({ stdout, stderr }) => [stdout, stderr]).join('\n');
  expect(said.split('\n').filter((line) => planting.isIn(Buffer.from(line)))).toEqual([]);
  expect(filesWithSecret(target, planting)).toEqual([]);
});

/** Secrets for the import, because the service returns masks. */
const importSecrets = () =>
  JSON.stringify({
    data_sinks: { VENDOR_E: { api_key: planting.next() }, VENDOR_G: { api_key: planting.next() } },
  });

it('secrets are in no file of the state before or after deletion and shutdown', async () => {
  expect(filesWithSecret(service.state, planting)).toEqual([]);
  for (const path of created.toReversed()) await send('DELETE', path);
  expect(filesWithSecret(service.state, planting)).toEqual([]);
  await service.terminate();
  expect(filesWithSecret(service.state, planting)).toEqual([]);
  expect(service.output.split('\n').filter((line) => planting.isIn(Buffer.from(line)))).toEqual([]);
});
