import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { classifyJobs, type JobStatus } from '#src/db/schema/index.ts';
import { call, upload } from '#test/support/client.ts';
import { createJob, INVOICE, INVOICE_SCHEMA, RULES, untilEnded } from '#test/support/jobs.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface Thing {
  id: string;
  name: string;
  status: string;
  file_id: string;
  project_id: string;
  config: Record<string, unknown>;
  extraction_agent: { id: string; project_id: string; config: Record<string, unknown> };
  items: { id: string; file_id: string }[];
  warnings?: { field: string }[];
}

const root = '/compat/api/v1/extraction';
const agents = `${root}/extraction-agents`;
const named = () => `agent ${crypto.randomUUID()}`;

async function done<Body = Thing>(
  tenant: Tenant,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  const answer = await call<Body>(method, path, { key: tenant.key, ...(body !== undefined && { body }) });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

async function sendForm(tenant: Tenant, fields: Record<string, string | File>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value as string);
  const request = new Request('http://sluice.test', { method: 'POST', body: form });
  const headers = { 'content-type': request.headers.get('content-type')! };
  const raw = await request.arrayBuffer();
  return call<Thing>('POST', `${root}/jobs/file`, { key: tenant.key, headers, raw });
}

const MODES = ['FAST', 'BALANCED', 'MULTIMODAL', 'PREMIUM'];
const CONFIGS = [
  ...MODES.map((extraction_mode) => ({ extraction_mode })),
  { extraction_mode: 'BALANCED', high_resolution_mode: true },
  { extraction_target: 'PER_TABLE_ROW', page_range: '2,4-5', system_prompt: 'Read on.' },
  { cite_sources: true, confidence_scores: true },
];

it.each(CONFIGS)('an agent keeps the config %j when it is sent back', async (config) => {
  const tenant = await createTenant();
  const made = await done(tenant, 'POST', agents, { name: named(), data_schema: INVOICE_SCHEMA, config });
  expect(made.config).toMatchObject(config);
  const again = { data_schema: INVOICE_SCHEMA, config: made.config };
  const sent = await done(tenant, 'PUT', `${agents}/${made.id}`, again);
  expect(sent.config).toEqual(made.config);
  expect(sent.warnings).toBeUndefined();
});

it('agents, jobs and runs map to configurations and extract jobs of v2', async () => {
  const tenant = await createTenant();
  const parameters = { product_type: 'extract_v2', data_schema: INVOICE_SCHEMA, max_pages: 3 };
  const saved = await done(tenant, 'POST', '/api/v1/beta/configurations', { name: named(), parameters });
  const id = saved.id.slice('cfg-'.length);
  expect(await done(tenant, 'GET', `${agents}/${id}`)).toMatchObject({ id, name: saved.name });
  const changes = { data_schema: INVOICE_SCHEMA, config: { cite_sources: true } };
  await done(tenant, 'PUT', `${agents}/${id}`, changes);
  const configuration = await done(tenant, 'GET', `/api/v1/beta/configurations/${saved.id}`);
  expect(configuration).toMatchObject({ parameters: { max_pages: 3, cite_sources: true, tier: 'agentic' } });

  const file = await upload('invoice.md', INVOICE, { key: tenant.key });
  const job = await done(tenant, 'POST', `${root}/jobs`, { extraction_agent_id: id, file_id: file });
  const ended = await untilEnded('extract', `ext-${job.id}`, tenant.key);
  expect(ended).toMatchObject({ configuration_id: saved.id, status: 'COMPLETED' });
  const inline = { file_input: file, configuration: { data_schema: INVOICE_SCHEMA } };
  const plain = await createJob('extract', inline, tenant.key);
  const fallback = await done(tenant, 'GET', `${agents}/default`);
  const list = `${root}/jobs?extraction_agent_id=${fallback.id}`;
  const ids = (await done<Thing[]>(tenant, 'GET', list)).map((each) => `ext-${each.id}`);
  expect(ids).toEqual([plain.id]);
});

it('a configuration of another product or of another tenant is not an agent', async () => {
  const tenant = await createTenant();
  const stranger = await createTenant();
  const parameters = { product_type: 'classify_v2', rules: RULES };
  const saved = await done(tenant, 'POST', '/api/v1/beta/configurations', { name: named(), parameters });
  for (const id of [saved.id.slice('cfg-'.length), stranger.projectId, crypto.randomUUID()]) {
    expect(await call('GET', `${agents}/${id}`, { key: tenant.key })).toMatchObject({ status: 404 });
  }
  const ours = await done(tenant, 'GET', `${agents}/${tenant.projectId}`);
  expect(ours).toMatchObject({ name: 'default' });
});

it('an agent’s jobs run in the agent’s project, whatever the project of the key', async () => {
  const tenant = await createTenant();
  const other = await done(tenant, 'POST', '/api/v1/projects', { name: 'Other' });
  const body = { name: named(), data_schema: INVOICE_SCHEMA, config: {} };
  const agent = await done(tenant, 'POST', `${agents}?project_id=${other.id}`, body);
  const sent = await sendForm(tenant, {
    extraction_agent_id: agent.id,
    file: new File([INVOICE], 'invoice.md'),
  });
  expect(sent).toMatchObject({ status: 200, body: { extraction_agent: { project_id: other.id } } });
  const file = await done(tenant, 'GET', `/api/v1/files/${sent.body.file_id}`);
  expect(file.project_id).toBe(other.id);
  const again = { extraction_agent_id: agent.id, file_id: file.id };
  const job = await done(tenant, 'POST', `${root}/jobs`, again);
  for (const { id } of [sent.body, job]) {
    const ended = await untilEnded('extract', id, tenant.key);
    expect(ended).toMatchObject({
      project_id: other.id,
      status: 'COMPLETED',
      extract_result: { total_due: 1163.4 },
    });
  }
});

it('an invalid form is rejected with a reason, and stores nothing', async () => {
  const tenant = await createTenant();
  const body = { name: named(), data_schema: INVOICE_SCHEMA, config: {} };
  const { id } = await done(tenant, 'POST', agents, body);
  const file = new File([INVOICE], 'invoice.md');
  const wrong = [
    [{ extraction_agent_id: 'none', file }, 'extraction_agent_id'],
    [{ extraction_agent_id: id, file, config_override: '[]' }, 'config_override'],
    [{ extraction_agent_id: id, file, config_override: '{"extraction_mode":"SLOW"}' }, 'extraction_mode'],
    [{ extraction_agent_id: id, file, data_schema_override: '{' }, 'data_schema_override'],
  ] as const;
  for (const [fields, at] of wrong) {
    const answer = await sendForm(tenant, fields);
    expect(answer.status, at).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(`"${at}"`);
  }
  expect(await done<Thing[]>(tenant, 'GET', '/api/v1/files')).toEqual([]);
  const told = await sendForm(tenant, {
    extraction_agent_id: id,
    file,
    config_override: '{"use_reasoning":true}',
  });
  expect(told.body.warnings?.map(({ field }) => field)).toEqual(['config_override.use_reasoning']);
});

const STANDINGS: [JobStatus[], string][] = [
  [['COMPLETED', 'COMPLETED'], 'SUCCESS'],
  [['COMPLETED', 'RUNNING'], 'PENDING'],
  [['FAILED', 'PENDING'], 'PENDING'],
  [['COMPLETED', 'FAILED'], 'PARTIAL_SUCCESS'],
  [['COMPLETED', 'CANCELLED'], 'PARTIAL_SUCCESS'],
  [['FAILED', 'CANCELLED'], 'ERROR'],
  [['FAILED', 'FAILED'], 'ERROR'],
  [['CANCELLED', 'CANCELLED'], 'CANCELLED'],
];

it('the status of a classifier job follows its files, and lists show the job once', async () => {
  const tenant = await createTenant();
  const file_ids = await Promise.all(
    ['a.md', 'b.md'].map((name) => upload(name, INVOICE, { key: tenant.key })),
  );
  const path = '/compat/api/v1/classifier/jobs';
  const { id } = await done(tenant, 'POST', path, { rules: RULES, file_ids: [...file_ids, file_ids[0]] });
  const { items } = await done(tenant, 'GET', `${path}/${id}/results`);
  expect(items.map(({ file_id }) => file_id)).toEqual(file_ids);
  await Promise.all(items.map((item) => untilEnded('classify', item.id, tenant.key)));
  const db = openDatabase(env.DB);
  for (const [statuses, expected] of STANDINGS) {
    for (const [index, status] of statuses.entries()) {
      await db
        .update(classifyJobs)
        .set({ status })
        .where(eq(classifyJobs.id, `cls-${items[index]!.id}`));
    }
    expect((await done(tenant, 'GET', `${path}/${id}`)).status, statuses.join()).toBe(expected);
  }
  const single = { file_input: file_ids[0], configuration: { rules: RULES } };
  const alone = await createJob('classify', single, tenant.key);
  const list = await done(tenant, 'GET', path);
  expect(list.items).toMatchObject([{ id, status: 'CANCELLED' }]);
  const answer = await call('GET', `${path}/${alone.id.slice(4)}`, { key: tenant.key });
  expect(answer.status).toBe(404);
});
