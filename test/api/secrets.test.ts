import { env } from 'cloudflare:workers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import {
  classifyJobs,
  dataSinks,
  extractJobs,
  parseJobs,
  pipelineIndexes,
  webhookConfigs,
  webhookDeliveries,
} from '#src/db/schema/index.ts';
import { embeddingComponents } from '#src/models/embedding/registry.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { openSecrets, sealSecrets } from '#src/services/secrets/secret-fields.ts';
import { sinkComponents } from '#src/sinks/registry.ts';
import { sourceComponents } from '#src/sources/registry.ts';
import { webhookConfiguration, webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { BASE, call, upload } from '#test/support/client.ts';
import { startWith } from '#test/support/configured.ts';
import { dumpDatabase, dumpEverything } from '#test/support/dump.ts';
import { INVOICE_SCHEMA, run } from '#test/support/jobs.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { plant } from '#test/support/plant.ts';
import { createTenant } from '#test/support/tenants.ts';

const MARK = `Pl4nted${crypto.randomUUID().slice(0, 8)}`;
const planted: string[] = [];
const secret = () => {
  planted.push(`${MARK}x${planted.length}x`);
  return planted.at(-1)!;
};

/** Number of planted secrets that were stored. Secrets in rejected requests are not included. */
let stored = 0;
const output: unknown[][] = [];
const answers: string[] = [];
const rows: { path: string; id: string }[] = [];

/** Returns a free-form component with credentials in common notations. */
const freeForm = () => ({
  credential: secret(),
  connection: `postgres://user:${secret()}@h.example/db`,
  signed: `https://h.example/a?sv=1&sig=${secret()}`,
  options: { headers: { Accept: `Bearer ${secret()}`, 'X-Api': secret() }, list: [{ password: secret() }] },
  login: { pass: secret(), user_pass: secret(), creds: secret() },
  blank: ` https://user:${secret()}@h.example`,
  proxies: [`user:${secret()}@h.example:19530`],
});

async function send(method: string, path: string, body: unknown): Promise<{ id: string }> {
  const answer = await call<{ id: string }>(method, path, { body });
  answers.push(JSON.stringify(answer.body));
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answers.at(-1)}`);
  rows.push({ path: `${path}/${answer.body.id}`, id: answer.body.id });
  return answer.body;
}

beforeAll(async () => {
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...args) => void output.push(args));
  }
  await plantConnections();
  await plantPipelines();
  await plantJobs();
  stored = planted.length;
  await plantInRefusedRequests();
});

afterAll(() => vi.restoreAllMocks());

async function plantConnections() {
  const sinks = [...Object.entries(sinkComponents), ...Object.entries(sinkComponents)];
  for (const [index, [sink_type, shape]] of sinks.entries()) {
    const component = index < sinks.length / 2 ? plant(shape, secret) : freeForm();
    await send('POST', '/api/v1/data-sinks', { name: sink_type, sink_type, component });
  }
  for (const uri of [` https://u:${secret()}@h.example`, `u:${secret()}@h.example:19530`]) {
    await send('POST', '/api/v1/data-sinks', { name: 'n', sink_type: 'VENDOR_C', component: { uri } });
  }
  for (const [source_type, shape] of Object.entries(sourceComponents)) {
    for (const component of [plant(shape, secret), freeForm()]) {
      await send('POST', '/api/v1/data-sources', { name: source_type, source_type, component });
    }
  }
  for (const [type, shape] of Object.entries(embeddingComponents)) {
    const further = 'additional_kwargs' in shape.shape ? { additional_kwargs: freeForm() } : {};
    const component = { ...plant(shape, secret), ...further };
    const body = { name: type, embedding_config: { type, component } };
    await send('POST', '/api/v1/embedding-model-configs', body);
    await send('PUT', '/api/v1/embedding-model-configs', body);
  }
}

async function plantPipelines() {
  const { id } = await send('POST', '/api/v1/pipelines', {
    name: `pipeline ${MARK.toLowerCase()}`,
    embedding_config: {
      type: 'PROVIDER_G_EMBEDDING',
      component: plant(embeddingComponents.PROVIDER_G_EMBEDDING, secret),
    },
    data_sink: {
      name: 'inline',
      sink_type: 'VENDOR_E',
      component: { ...plant(sinkComponents.VENDOR_E, secret), insert_kwargs: freeForm() },
    },
    parse_parameters: plant(parseParameters, secret),
  });
  await addFiles(id, { 'a.txt': 'A text.' });
  await sync(id);
  const parsing = await send('POST', '/api/v1/beta/configurations', {
    name: 'parsing',
    parameters: { ...plant(parseParameters, secret), product_type: 'parse_v2' },
  });
  await send('POST', '/api/v1/beta/configurations', {
    name: 'of another product',
    parameters: { product_type: 'split_v1', options: freeForm() },
  });
  const extract = await run('extract', {
    file_input: await upload('c.txt', 'Total: 5'),
    configuration: { data_schema: INVOICE_SCHEMA, parse_config_id: parsing.id },
  });
  answers.push(JSON.stringify(extract));
  rows.push({ path: `/api/v2/parse/${extract.extract_metadata!.parse_job_id}`, id: extract.id });
  const managed = await createPipeline({ parse_parameters: plant(parseParameters, secret) });
  await addFiles(managed, { 'b.txt': 'Another text.' });
  await sync(managed);
  await plantIndexElsewhere(managed);
}

/** Adds an index in a data sink that its pipeline has left. */
async function plantIndexElsewhere(pipelineId: string) {
  const id = crypto.randomUUID();
  const ring = parseKeyRing(String(env.ENCRYPTION_KEY));
  const component = await sealSecrets(
    sinkComponents.VENDOR_G,
    plant(sinkComponents.VENDOR_G, secret),
    ring,
    sealedPlaces.indexSink(id),
  );
  await openDatabase(env.DB)
    .insert(pipelineIndexes)
    .values({ id, pipelineId, configHash: '', state: 'retired', sink: { type: 'VENDOR_G', component } });
}

/** Inserts jobs and webhooks with secrets, sealed as the services seal them. */
async function plantJobs() {
  const { projectId, userId } = await createTenant();
  const db = openDatabase(env.DB);
  const ring = parseKeyRing(String(env.ENCRYPTION_KEY));
  const hooks = (place: string) =>
    sealSecrets(webhookConfigurations, [plant(webhookConfiguration, secret)], ring, place);
  const hook = (place: string) =>
    sealSecrets(webhookConfiguration, plant(webhookConfiguration, secret), ring, place);
  const id = () => crypto.randomUUID();
  const [config, delivery, extract, classify, parse] = [id(), id(), id(), id(), id()] as const;
  const job = async (jobId: string) => ({
    id: jobId,
    projectId,
    userId,
    fileInput: 'f',
    documentInputType: 'file_id' as const,
    configuration: await sealSecrets(
      parseParameters,
      plant(parseParameters, secret),
      ring,
      sealedPlaces.jobConfiguration(jobId),
    ),
    webhookConfigurations: await hooks(sealedPlaces.jobWebhooks(jobId)),
  });
  await db.batch([
    db
      .insert(webhookConfigs)
      .values({ id: config, projectId, configuration: await hook(sealedPlaces.webhookConfig(config)) }),
    db.insert(webhookDeliveries).values({
      id: delivery,
      projectId,
      jobId: extract,
      eventId: id(),
      endpoint: '0',
      sequence: 0,
      eventType: 'extract.success',
      body: '{}',
      configuration: await hook(sealedPlaces.webhookDelivery(delivery)),
    }),
    db.insert(extractJobs).values(await job(extract)),
    db.insert(classifyJobs).values(await job(classify)),
    db.insert(parseJobs).values(await job(parse)),
  ]);
}

/** Plants secrets in rejected requests, because these must not appear in logs either. */
async function plantInRefusedRequests() {
  const refuse = async (method: string, path: string, body: unknown, headers = {}) => {
    const answer = await call(method, path, { body, headers });
    answers.push(JSON.stringify(answer.body));
    expect(answer.status).toBeGreaterThanOrEqual(400);
  };
  await refuse('POST', '/api/v1/data-sinks', {
    name: 7,
    sink_type: 'VENDOR_E',
    component: { api_key: secret() },
  });
  await refuse('POST', '/api/v1/data-sources', {
    name: 'n',
    source_type: 'SOURCE_10_CHAT',
    component: { chat_token: [secret()] },
  });
  await refuse('PUT', '/api/v1/files/upload_from_url', {
    url: `http://user:${secret()}@127.0.0.1:9/a?token=${secret()}`,
    request_headers: { authorization: `Bearer ${secret()}` },
  });
  await call('GET', `/api/v1/data-sinks?api_key=${secret()}`, { key: secret() });
  await call('POST', '/api/v1/session', { key: null, body: { api_key: secret() } });
}

describe('planted secrets', () => {
  it('are many, and cover everything that stores secrets', () => {
    expect(planted.length).toBeGreaterThan(100);
    expect(output.some((args) => String(args[0]).includes('"event":"request"'))).toBe(true);
  });

  it('do not appear in stored data', async () => {
    const everything = await dumpEverything();
    expect(everything).toContain('sealed:v1:k1:');
    expect(everything.split('\n').filter((line) => line.includes(MARK))).toEqual([]);
  });

  it('do not appear in the logs', () => {
    expect(output.map((args) => JSON.stringify(args)).filter((line) => line.includes(MARK))).toEqual([]);
  });

  it('do not appear in responses', async () => {
    for (const { path } of rows) answers.push(JSON.stringify((await call('GET', path)).body));
    for (const path of ['data-sinks', 'data-sources', 'embedding-model-configs', 'pipelines']) {
      answers.push(JSON.stringify((await call('GET', `/api/v1/${path}`)).body));
    }
    expect(answers.filter((text) => text.includes(MARK))).toEqual([]);
  });
});

describe('key rotation', () => {
  const OLD = String(env.ENCRYPTION_KEY);
  const NEW = `k2:${'B'.repeat(43)}=`;
  const path = '/api/v1/admin/rotate-secrets';
  interface Step {
    examined: number;
    rotated: number;
    failed: { place: string; message: string }[];
    next_page_token: string | null;
  }

  /** Runs a complete key rotation in a service with these keys. */
  async function rotate(current: string, previous: string): Promise<Step & { calls: number }> {
    const service = startWith({ ENCRYPTION_KEY: current, ENCRYPTION_KEYS_PREVIOUS: previous });
    const total = { examined: 0, rotated: 0, failed: [] as Step['failed'], next_page_token: null, calls: 0 };
    let page_token: string | null = null;
    do {
      const request = new Request(`${BASE}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${env.BOOTSTRAP_API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ page_token, page_size: 7 }),
      });
      const answer = await service(request);
      expect(answer.status).toBe(200);
      const step: Step = await answer.json();
      total.examined += step.examined;
      total.rotated += step.rotated;
      total.failed.push(...step.failed);
      total.calls++;
      page_token = step.next_page_token;
    } while (page_token);
    return total;
  }

  it('reseals every secret in the database, and changes nothing else', async () => {
    const before = await dumpDatabase();
    const done = await rotate(NEW, OLD);
    expect(done.failed).toEqual([]);
    expect(done.rotated).toBeGreaterThan(40);
    const after = await dumpDatabase();
    expect(after).not.toContain('sealed:v1:k1:');
    // Compares only rows of this test, because work of other tests may still change theirs.
    const unsealed = (text: string) =>
      text
        .split('\n')
        .filter((line) => line.includes('sealed:v1:') && rows.some(({ id }) => line.includes(id)))
        .map((line) => line.replaceAll(/sealed:v1:[\w:-]+/g, '*'));
    expect(unsealed(after).length).toBeGreaterThan(20);
    expect(unsealed(after)).toEqual(unsealed(before));
    expect(await rotate(NEW, OLD)).toMatchObject({ rotated: 0, examined: done.examined });

    // The old key is no longer needed: the new key opens everything that was planted.
    const opened = await openAll(after, NEW);
    expect(planted.slice(0, stored).filter((each) => !opened.includes(each))).toEqual([]);
    await rotate(OLD, NEW);
    expect(await dumpDatabase()).not.toContain('sealed:v1:k2:');
  });

  it('reports secrets that no key opens, and continues', async () => {
    const { projectId } = await createTenant();
    const id = crypto.randomUUID();
    const lost = parseKeyRing(`lost:${'C'.repeat(43)}=`);
    const component = { api_key: await lost.seal('"x"', `${sealedPlaces.dataSink(id)}/api_key`) };
    const db = openDatabase(env.DB);
    await db.insert(dataSinks).values({ id, projectId, name: 'n', sinkType: 'VENDOR_E', component });
    const done = await rotate(OLD, '');
    expect(done.failed).toEqual([
      { place: sealedPlaces.dataSink(id), message: expect.stringContaining('lost') },
    ]);
    await env.DB.prepare('delete from data_sinks where id = ?').bind(id).run();
  });

  it('requires the bootstrap key', async () => {
    const admin = await createTenant();
    expect((await call('POST', path, { key: admin.key })).status).toBe(403);
    expect((await call('POST', path, { key: null })).status).toBe(401);
    for (const page_token of ['nonsense', btoa('["a","b"]'), btoa('[1e400,""]'), btoa('[0]')]) {
      expect((await call('POST', path, { body: { page_token } })).status).toBe(422);
    }
    expect((await call('POST', path, { body: { page_size: 0 } })).status).toBe(422);
    expect((await call('POST', path)).status).toBe(200);
  });

  /** Opens every sealed column of a database dump. */
  async function openAll(dump: string, key: string): Promise<string> {
    const ring = parseKeyRing(key);
    const texts: string[] = [];
    for (const line of dump.split('\n').filter((each) => each.includes('sealed:v1:'))) {
      const table = line.slice(0, line.indexOf(' '));
      const row = JSON.parse(line.slice(table.length + 1)) as Record<string, string>;
      const owner = table.endsWith('_jobs') ? 'jobs' : table;
      for (const [column, text] of Object.entries(row)) {
        if (!String(text).includes('sealed:v1:')) continue;
        const value = JSON.parse(text);
        const isTyped = column === 'embedding_config' || column === 'sink';
        const part = isTyped ? value.component : value;
        texts.push(JSON.stringify(await openSecrets(part, ring, `${owner}/${row.id}/${column}`)));
      }
    }
    return texts.join('\n');
  }
});
