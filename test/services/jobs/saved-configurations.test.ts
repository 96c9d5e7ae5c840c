import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { Invalid } from '#src/lib/errors.ts';
import { getConfiguration, openConfiguration } from '#src/services/jobs/configurations.ts';
import { createParseJob } from '#src/services/jobs/parse/parse-jobs.ts';
import type { Issue } from '#test/suites/operation-calls.ts';
import { call, upload } from '#test/support/client.ts';
import { presignedUpload } from '#test/support/files.ts';
import { insertProject, valuesOf } from '#test/support/inserted-rows.ts';
import { INVOICE, INVOICE_SCHEMA, RULES, run } from '#test/support/jobs.ts';
import { scopeOf } from '#test/support/scopes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const PATH = '/api/v1/beta/configurations';
const MASK = '********';

let tenant: Tenant;
/** Another project of the same organization, which the key of the tenant reaches. */
let sibling: string;

beforeEach(async () => {
  tenant = await createTenant();
  sibling = await insertProject(tenant.organizationId);
});

const send = (name: string, parameters: object, query = '') =>
  call<{ id: string; detail: Issue[] }>('POST', PATH + query, {
    key: tenant.key,
    body: { name, parameters },
  });

async function save(name: string, parameters: object, query = ''): Promise<string> {
  const answer = await send(name, parameters, query);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id;
}

const parse = (premium_llm_api_key: string) => ({ product_type: 'parse_v2', premium_llm_api_key });
const extract = { product_type: 'extract_v2', data_schema: INVOICE_SCHEMA };
const classify = { product_type: 'classify_v2', rules: RULES };

it('a saved system prompt that is longer than new ones may be is still used and shown', async () => {
  const { key } = tenant;
  const tooLong = 'x'.repeat(100_001);
  const refused = await send('long', { ...extract, system_prompt: tooLong });
  expect(refused).toMatchObject({
    status: 422,
    body: { detail: [{ loc: expect.arrayContaining(['system_prompt']) }] },
  });
  const configuration_id = await save('long', { ...extract, system_prompt: 'x' });
  await env.DB.prepare(
    "update configurations set parameters = json_set(parameters, '$.system_prompt', ?) where id = ?",
  )
    .bind(tooLong, configuration_id)
    .run();
  const file_input = await upload('invoice.md', INVOICE, { key });
  const job = await run('extract', { file_input, configuration_id }, key);
  expect(job).toMatchObject({ status: 'COMPLETED', configuration: { system_prompt: tooLong } });
  expect((await call('GET', `${PATH}/${configuration_id}`, { key })).body).toMatchObject({
    parameters: { system_prompt: tooLong },
  });
});

describe('a masked secret in a new configuration', () => {
  async function readSecret(id: string): Promise<unknown> {
    const ctx = createContext(env, { waitUntil() {} });
    const row = await getConfiguration(await scopeOf(tenant), id);
    return (await openConfiguration(ctx, row)).premium_llm_api_key;
  }

  it('stands for the secret of the newest version', async () => {
    for (const secret of ['sk-first', 'sk-second', 'sk-third']) await save('reader', parse(secret));
    expect(await readSecret(await save('reader', parse(MASK)))).toBe('sk-third');
  });

  it.each([
    ['another project', 'reader', () => `?project_id=${sibling}`],
    ['another name', 'writer', () => ''],
  ])('does not stand for the secret of %s', async (_, name, query) => {
    await save('reader', parse('sk-first'));
    const answer = await send(name, parse(MASK), query());
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: expect.any(Array) }] } });
    const path = answer.body.detail[0]!.loc.join('.');
    expect(path).toBe('body.parameters.premium_llm_api_key');
    expect(await valuesOf('configurations', 'id', `project_id = '${sibling}'`)).toEqual([]);
  });
});

describe('the latest versions', () => {
  it('include each name of each product, whatever other projects save later', async () => {
    const old = await save('one', extract);
    const latest = [await save('one', extract), await save('one', classify), await save('two', extract)];
    await save('one', extract, `?project_id=${sibling}`);
    const path = `${PATH}?latest_only=true&project_id=${tenant.projectId}`;
    const listed = await call<{ items: { id: string }[] }>('GET', path, { key: tenant.key });
    const ids = listed.body.items.map(({ id }) => id);
    expect(ids.toSorted()).toEqual(latest.toSorted());
    expect(ids).not.toContain(old);
  });
});

describe('deleting a version', () => {
  it('keeps the other versions, and configurations of the same name', async () => {
    const gone = await save('one', extract);
    const kept = [await save('one', extract), await save('one', classify)];
    expect((await call('DELETE', `${PATH}/${gone}`, { key: tenant.key })).status).toBe(204);
    const left = await valuesOf('configurations', 'id', `project_id = '${tenant.projectId}'`);
    expect(left.toSorted()).toEqual(kept.toSorted());
  });
});

describe('a job', () => {
  const create = async (product: string, body: object) =>
    call<{ detail: string }>('POST', `/api/v2/${product}`, { key: tenant.key, body });
  const countJobs = async () => {
    const where = `project_id = '${tenant.projectId}'`;
    const ids = ['extract', 'classify', 'parse'].map((kind) => valuesOf(`${kind}_jobs`, 'id', where));
    return (await Promise.all(ids)).flat().length;
  };

  it.each([
    ['extract', 'file_input', classify],
    ['classify', 'file_input', extract],
    ['parse', 'file_id', extract],
  ])('of product %s does not take the configuration of another product', async (product, input, other) => {
    const file = await upload('invoice.md', INVOICE, { key: tenant.key });
    const configuration_id = await save('other', other);
    const answer = await create(product, { [input]: file, configuration_id });
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining('onfiguration') } });
    expect(await countJobs()).toBe(0);
  });

  it('does not parse with the saved configuration of another product', async () => {
    const file_input = await upload('invoice.md', INVOICE, { key: tenant.key });
    const configuration = { data_schema: INVOICE_SCHEMA, parse_config_id: await save('other', extract) };
    const answer = await create('extract', { file_input, configuration });
    expect(answer).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^inputs_invalid: parse configuration/) },
    });
    expect(await countJobs()).toBe(0);
  });

  describe('with parameters of the request and a saved configuration', () => {
    const endpoint = (host: string) => ({ hostedllm_endpoint: `https://${host}.example/v1` });
    const createWith = async (saved: object, configuration: object) => {
      const file_id = await upload('invoice.md', INVOICE, { key: tenant.key });
      const configuration_id = await save('own model', { product_type: 'parse_v2', ...saved });
      const input = { file_id, configuration, configuration_id };
      return createParseJob(await scopeOf(tenant), input, null, { overlay: true });
    };

    it('does not send the saved key of a model to an address of the request', async () => {
      const creating = createWith({ hostedllm_key: 'sk-planted' }, endpoint('mine'));
      await expect(creating).rejects.toBeInstanceOf(Invalid);
      expect(await countJobs()).toBe(0);
    });

    it('sends the saved key to the saved address', async () => {
      const saved = { hostedllm_key: 'sk-planted', ...endpoint('saved') };
      const { configuration } = await createWith(saved, endpoint('mine'));
      expect(configuration).toMatchObject(endpoint('saved'));
    });

    it('sends no key to an address of the request if none is saved', async () => {
      const { configuration } = await createWith({ page_prefix: 'P' }, endpoint('mine'));
      expect(configuration).toMatchObject({ page_prefix: 'P', ...endpoint('mine') });
    });
  });

  it.each([
    ['parse', (file: string) => ({ file_id: file })],
    ['extract', (file: string) => ({ file_input: file, configuration: { data_schema: INVOICE_SCHEMA } })],
    ['classify', (file: string) => ({ file_input: file, configuration: { rules: RULES } })],
  ])('of product %s is not created for a file whose bytes have not arrived', async (product, toBody) => {
    const { file_id } = await presignedUpload({ name: 'later.txt' }, { key: tenant.key });
    const answer = await create(product, toBody(file_id));
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining('uploaded yet') } });
    expect(await countJobs()).toBe(0);
  });
});
