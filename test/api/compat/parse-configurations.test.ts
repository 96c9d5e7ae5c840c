import { expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { untilEnded } from '#test/support/jobs.ts';
import { createNpmClients } from '#test/support/npm-client.ts';
import { createTenant } from '#test/support/tenants.ts';

const PATH = '/compat/api/v1/beta/parse-configurations';
const parameters = {
  parse_mode: 'parse_page_without_llm' as const,
  target_pages: '0,2-3',
  azure_openai_key: 'a secret',
};
const shown = { ...parameters, azure_openai_key: expect.not.stringContaining('a secret') };

async function collectAll<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of pages) found.push(item);
  return found;
}

it('release 1.6 of the npm client keeps parse configurations with version, creator and source', async () => {
  const { key, projectId } = await createTenant();
  const { first, client } = createNpmClients(key);
  const { parseConfigurations } = first.beta;
  const made = await parseConfigurations.create({
    name: 'Invoices',
    version: '1',
    parameters,
    creator: 'Ann',
  });
  expect(made).toMatchObject({
    ...{ name: 'Invoices', version: '1', creator: 'Ann', parameters: shown },
    ...{ source_type: 'project', source_id: projectId },
  });
  const source = { source_type: 'team', source_id: 'S3' };
  const second = await parseConfigurations.create({
    name: 'Invoices',
    version: '2',
    parameters: {},
    ...source,
  });
  expect(second).toMatchObject({ version: '2', creator: null, ...source });
  const newer = await client.configurations.create({
    name: 'Newer',
    parameters: { product_type: 'parse_v2', tier: 'fast', version: 'latest' },
  });
  await client.configurations.create({ name: 'Split', parameters: { product_type: 'split_v1' } as never });

  const list = async (query: object) =>
    (await collectAll(parseConfigurations.list({ page_size: 1, ...query }))).map(({ id }) => id);
  expect(await list({})).toEqual([newer.id, second.id, made.id]);
  expect(await list({ name: 'Invoices' })).toEqual([second.id, made.id]);
  expect(await list({ version: '1' })).toEqual([made.id]);
  expect(await list({ version: newer.version })).toEqual([newer.id]);
  expect(await list({ creator: 'Ann' })).toEqual([made.id]);
  expect(await list({ creator: 'Bob' })).toEqual([]);

  const changed = await parseConfigurations.update(made.id, {
    parameters: { ...parameters, target_pages: '1' },
  });
  expect(changed).toMatchObject({
    version: '1',
    creator: 'Ann',
    parameters: { ...shown, target_pages: '1' },
  });
  expect(await parseConfigurations.get(made.id)).toEqual(changed);
  // Pages of newer clients count from 1.
  const { body } = await call('GET', `/api/v1/beta/configurations/${made.id}`, { key });
  expect(body).toMatchObject({ parameters: { target_pages: '2' } });

  const file_id = await upload('invoice.md', 'An invoice.', { key });
  const job = await call<{ id: string }>('POST', '/api/v2/parse', {
    key,
    body: { file_id, configuration_id: newer.id },
  });
  expect((await untilEnded('parse', job.body.id, key)).status).toBe('COMPLETED');

  await parseConfigurations.delete(made.id);
  await expect(parseConfigurations.get(made.id)).rejects.toMatchObject({ status: 404 });
});

it('older clients read the latest configuration, find configurations and replace them by name', async () => {
  const { key, projectId } = await createTenant();
  const send = async (method: string, path: string, body?: object) => {
    const answer = await call<{ id: string; items: { id: string }[] } & Record<string, unknown>>(
      method,
      `${PATH}${path}`,
      { key, ...(body && { body }) },
    );
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  expect(await send('GET', '/latest')).toBeNull();
  const put = (more: object) => send('PUT', '', { name: 'Letters', parameters: {}, ...more });
  const made = await put({ version: '1', creator: 'Ann' });
  const replaced = await put({ version: '2', parameters: { target_pages: '0' } });
  expect(replaced).toMatchObject({
    id: made.id,
    version: '2',
    creator: null,
    parameters: { target_pages: '0' },
  });
  const other = await send('POST', '', { name: 'Other', version: '7', parameters: {}, creator: 'Ann' });
  expect(await send('GET', '/latest')).toMatchObject({ id: other.id, version: '7' });
  expect(await send('GET', '/latest?creator=Bob')).toBeNull();
  const find = async (filter: object) => (await send('POST', '/query', { filter })).items.map(({ id }) => id);
  expect(await find({ source_type: 'project', source_id: projectId })).toEqual([other.id, made.id]);
  expect(await find({ parse_config_ids: [made.id] })).toEqual([made.id]);
  expect(await find({ creator: 'Ann' })).toEqual([other.id]);

  const extract = await call<{ id: string }>('POST', '/api/v1/beta/configurations', {
    key,
    body: {
      name: 'Extract',
      parameters: { product_type: 'extract_v2', data_schema: { type: 'object', properties: {} } },
    },
  });
  const answers = [
    await call('GET', `${PATH}/${extract.body.id}`, { key }),
    await call('DELETE', `${PATH}/${extract.body.id}`, { key }),
    await call('GET', `${PATH}/${made.id}`, { key: (await createTenant()).key }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
});
