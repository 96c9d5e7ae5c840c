import { env } from 'cloudflare:workers';
import { ConflictError, NotFoundError, toFile } from '@llamaindex/llama-cloud';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { MAX_DIRECTORIES, MAX_DIRECTORY_FILES } from '#src/services/directories/input.ts';
import { removeExpiredOfInstallation } from '#src/services/retention/installation.ts';
import { call, upload } from '#test/support/client.ts';
import { createNpmClients } from '#test/support/npm-client.ts';
import { createTenant } from '#test/support/tenants.ts';

const clientsOf = async () => {
  const tenant = await createTenant();
  return { ...tenant, ...createNpmClients(tenant.key) };
};
async function collectAll<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of pages) found.push(item);
  return found;
}
const PATH = '/api/v1/beta/directories';

it('the npm clients keep directories', async () => {
  const { client, first, projectId } = await clientsOf();
  const { directories } = client.beta;
  const system_metadata = { source_type: 'S3', nested: { list: [1, null] } };
  const made = await directories.create({ name: 'Invoices', description: 'Of March', system_metadata });
  expect(made).toMatchObject({
    id: expect.stringMatching(/^dir-/),
    ...{ project_id: projectId, type: 'user', expires_at: null, deleted_at: null, system_metadata },
  });
  const passing = await first.beta.directories.create({ name: 'Passing' });
  const short = await directories.create({ name: 'Short', type: 'ephemeral' });
  expect(Date.parse(short.expires_at!) - Date.parse(short.created_at!)).toBe(24 * 60 * 60 * 1000);
  const list = async (query: object) =>
    (await collectAll(directories.list({ page_size: 1, ...query }))).map(({ id }) => id);
  expect(await list({})).toEqual([short.id, passing.id, made.id]);
  expect(await list({ types: ['user', 'index'] })).toEqual([passing.id, made.id]);
  expect(await list({ type: 'ephemeral' })).toEqual([short.id]);
  expect(await list({ name: 'Invoices' })).toEqual([made.id]);

  expect(await directories.update(made.id, { name: 'Bills' })).toMatchObject({
    name: 'Bills',
    description: 'Of March',
  });
  expect(await directories.update(made.id, { description: null })).toMatchObject({ description: null });
  expect(await first.beta.directories.get(made.id)).toMatchObject({ name: 'Bills', description: null });
  await directories.delete(made.id);
  await expect(directories.get(made.id)).rejects.toThrow(NotFoundError);
  await expect(
    directories.create({ name: 'Synced', connector_subscription_id: 'sub-1' }),
  ).rejects.toMatchObject({ status: 422 });
});

it('the npm clients add, upload, find, move and remove files of directories', async () => {
  const { client, first, key } = await clientsOf();
  const { directories } = client.beta;
  const { id } = await directories.create({ name: 'Invoices' });
  const file_id = `dfl-${await upload('march.md', 'March', { key })}`;
  const metadata = { year: 2026, tags: ['paid'], checked: true, note: null };
  const added = await directories.files.add(id, { file_id, metadata });
  expect(added).toMatchObject({
    ...{ id: file_id, file_id, directory_id: id, metadata },
    ...{ unique_id: 'march.md', display_name: 'march.md', deleted_at: null },
  });
  await expect(directories.files.add(id, { file_id, unique_id: 'again' })).rejects.toThrow(ConflictError);

  const send = (name: string, fields: object) =>
    toFile(new TextEncoder().encode(name), name).then((upload_file) =>
      directories.files.upload(id, { upload_file, ...fields }),
    );
  const sent = await send('april.md', { display_name: 'April', metadata: '{"year":2025}', unique_id: 'a' });
  expect(sent).toMatchObject({ display_name: 'April', metadata: { year: 2025 }, unique_id: 'a' });
  expect((await client.files.list({})).items.map(({ name }) => name)).toContain('april.md');
  const files = async () => (await client.files.list({})).items.length;
  const before = await files();
  await expect(send('other.md', { unique_id: 'a' })).rejects.toThrow(ConflictError);
  await expect(send('march.md', {})).rejects.toThrow(ConflictError);
  for (const bad of ['{', '[]', '{"deep":{}}']) {
    await expect(send('other.md', { metadata: bad })).rejects.toMatchObject({ status: 422 });
  }
  expect(await files()).toBe(before);
  const kept = await send('may.md', { external_file_id: 'may' });
  expect(kept.unique_id).toBe('may');
  const renewed = await send('may-2.md', { external_file_id: 'may', display_name: 'May' });
  expect(renewed).toMatchObject({ id: kept.id, unique_id: 'may', display_name: 'May' });

  const list = async (query: object) =>
    (await collectAll(directories.files.list(id, { page_size: 1, ...query }))).map((each) => each.id);
  expect(await list({})).toEqual([kept.id, sent.id, added.id]);
  expect(await list({ display_name: 'April' })).toEqual([sent.id]);
  expect(await list({ display_name_contains: 'A' })).toEqual([kept.id, sent.id, added.id]);
  expect(await list({ unique_id: 'may' })).toEqual([kept.id]);
  expect(await list({ file_id: sent.file_id })).toEqual([sent.id]);
  expect(await list({ updated_at_on_or_after: '2999-01-01T00:00:00Z' })).toEqual([]);
  const [shown] = (await directories.files.list(id, { unique_id: 'a', expand: ['download_url'] })).items;
  const { pathname, search } = new URL(shown!.download_url!.url);
  expect((await call('GET', pathname + search, { key: null })).body).toBe('april.md');

  const place = { directory_id: id };
  const changed = await directories.files.update(sent.id, { ...place, metadata: { year: 2024 } });
  expect(changed).toMatchObject({ display_name: 'April', metadata: { year: 2024 } });
  await expect(directories.files.update(sent.id, { ...place, unique_id: 'may' })).rejects.toThrow(
    ConflictError,
  );
  const other = await directories.create({ name: 'Other' });
  const target_directory_id = other.id;
  expect(await directories.files.update(sent.id, { ...place, target_directory_id })).toMatchObject({
    ...{ id: sent.id, directory_id: other.id, unique_id: 'a' },
  });
  await expect(directories.files.get(sent.id, place)).rejects.toThrow(NotFoundError);
  await expect(
    directories.files.update(sent.id, {
      directory_id: other.id,
      target_directory_id: `dir-${crypto.randomUUID()}`,
    }),
  ).rejects.toThrow(NotFoundError);
  const back = { path_directory_id: other.id, body_directory_id: id, directory_id: id };
  expect(await first.beta.directories.files.update(sent.id, back)).toMatchObject({ directory_id: id });

  await directories.files.delete(added.id, place);
  await expect(directories.files.get(added.id, place)).rejects.toThrow(NotFoundError);
  const left = await call('GET', `/api/v1/files/${file_id}`, { key });
  expect(left.body).toMatchObject({ name: 'march.md' });
  await client.files.delete(sent.id);
  expect(await list({})).toEqual([kept.id]);
});

it('a directory takes no files of other projects', async () => {
  const own = await clientsOf();
  const other = await clientsOf();
  const { id } = await own.client.beta.directories.create({ name: 'Own' });
  const file_id = await upload('foreign.md', 'Foreign', { key: other.key });
  await expect(own.client.beta.directories.files.add(id, { file_id })).rejects.toThrow(NotFoundError);
  await expect(other.client.beta.directories.files.list(id)).rejects.toThrow(NotFoundError);
});

it('a project has limited numbers of directories and of files in a directory', async () => {
  const { key, projectId } = await createTenant();
  const { body } = await call<{ id: string }>('POST', PATH, { key, body: { name: 'Full' } });
  const ids = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)`;
  await env.DB.batch([
    env.DB.prepare(`${ids} insert into files (id, project_id, name) select ?1 || i, ?1, 'f' from n`).bind(
      projectId,
      MAX_DIRECTORY_FILES,
    ),
    env.DB.prepare(
      `${ids} insert into directory_files (directory_id, file_id, project_id, unique_id, display_name, metadata)
      select ?3, ?1 || i, ?1, i, 'f', '{}' from n`,
    ).bind(projectId, MAX_DIRECTORY_FILES, body.id),
    env.DB.prepare(
      `${ids} insert into directories (id, project_id, name, type) select 'dir-' || ?1 || i, ?1, 'd', 'user' from n`,
    ).bind(projectId, MAX_DIRECTORIES - 1),
  ]);
  const file_id = await upload('one-more.md', 'One more', { key });
  expect(await call('POST', `${PATH}/${body.id}/files`, { key, body: { file_id } })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('10000 files') },
  });
  expect(await call('POST', PATH, { key, body: { name: 'One more' } })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('1000 directories') },
  });
});

it('an ephemeral directory disappears when it expires, and leaves its files', async () => {
  const { client, key } = await clientsOf();
  const { directories } = client.beta;
  const kept = await directories.create({ name: 'Kept' });
  const { id } = await directories.create({ name: 'Passing', type: 'ephemeral' });
  const file_id = await upload('passing.md', 'Passing', { key });
  await directories.files.add(id, { file_id });
  await env.DB.prepare('update directories set expires_at = ? where id = ?')
    .bind(Date.now() - 1, id)
    .run();
  await expect(directories.get(id)).rejects.toThrow(NotFoundError);
  expect((await collectAll(directories.list())).map((each) => each.id)).toEqual([kept.id]);
  const left = () => env.DB.prepare('select 1 from directory_files where directory_id = ?').bind(id).first();
  expect(await left()).not.toBeNull();
  const ctx = createContext(env, { waitUntil() {} });
  expect(await removeExpiredOfInstallation(ctx, Date.now() + 60_000)).toBe(true);
  expect(await left()).toBeNull();
  expect((await call('GET', `/api/v1/files/${file_id}`, { key })).status).toBe(200);
});
