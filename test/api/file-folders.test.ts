import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { follow, multipart, presignedUpload } from '#test/support/files.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface Labelled {
  id: string;
  name: string;
  folder: string;
  tags: string[];
  updated_at: string;
}
interface Page<Item> {
  items: Item[];
  next_page_token: string | null;
  total_size: number;
}

const FILES = '/api/v1/beta/files';
const EXPAND = 'expand=folder&expand=tags';
let tenant: Tenant;
let key: string;

beforeEach(async () => {
  tenant = await createTenant();
  ({ key } = tenant);
});

const file = (name: string) => new File(['text'], name);
const send = (name: string, labels: Record<string, string> = {}, owner = key) =>
  multipart('/api/v1/files', { upload_file: file(name), ...labels }, owner);
const read = async (id: string) => (await call<Labelled>('GET', `${FILES}/${id}?${EXPAND}`, { key })).body;
const list = async (query: string) =>
  (await call<Page<Labelled>>('GET', `${FILES}?order_by=name&${EXPAND}&${query}`, { key })).body;
const names = async (query: string) => (await list(query)).items.map(({ name }) => name);
const update = (id: string, body: object) => call<Labelled>('PATCH', `/api/v2/files/${id}`, { key, body });
const updateMany = (body: object, by = key) =>
  call<{ detail: unknown }>('POST', '/api/v2/files/update', { key: by, body });
const folders = async (query = '') =>
  (await call<Page<object>>('GET', `/api/v2/files/folders${query}`, { key })).body;
const tags = async (query = '') =>
  (await call<Page<object>>('GET', `/api/v2/files/tags${query}`, { key })).body;
const countRows = (id: string) =>
  env.DB.prepare('select count(*) as n from file_tags where file_id = ?').bind(id).first<number>('n');

describe('the folder and the tags of a file', () => {
  it('are set by form fields, normalized, and shown only on request', async () => {
    const made = await send('a.txt', { folder: '/reports//2026 /', tags: ' due  soon, invoice,due soon,' });
    expect(made.status).toBe(200);
    expect(Object.keys(made.body)).not.toContain('folder');
    const { id } = made.body;
    expect(await read(id)).toMatchObject({ folder: 'reports/2026', tags: ['due soon', 'invoice'] });
    const plain = await call('GET', `${FILES}/${id}`, { key });
    expect(Object.keys(plain.body)).not.toContain('tags');
    expect(await read((await send('b.txt')).body.id)).toMatchObject({ folder: '', tags: [] });
    const purpose = { file: file('c.txt'), purpose: 'parse', folder: 'x', tags: 'y' };
    expect(await read((await multipart(FILES, purpose, key)).body.id)).toMatchObject({
      folder: 'x',
      tags: ['y'],
    });
  });

  it('are set with a presigned upload', async () => {
    const { url, file_id } = await presignedUpload({ name: 'a.txt', folder: 'in', tags: ['new'] }, { key });
    await follow(url, 'PUT', { raw: 'text' });
    expect(await read(file_id)).toMatchObject({ folder: 'in', tags: ['new'] });
  });

  it.each([
    ['folder', 'a/../b'],
    ['folder', './a'],
    ['folder', 'a\\b'],
    ['folder', 'a\u0000b'],
    ['folder', 'a\u202eb'],
    ['folder', 'a/'.repeat(60)],
    ['folder', 'a'.repeat(1_001)],
    ['tags', 'x'.repeat(51)],
    ['tags', 'a\u202eb'],
    ['tags', Array.from({ length: 51 }, (_, n) => `tag ${n}`).join()],
  ])('are refused if invalid, and nothing is stored: %s %j', async (name, value) => {
    expect((await send('a.txt', { [name]: value })).status).toBe(422);
    expect((await list('')).total_size).toBe(0);
    const { id } = (await send('b.txt')).body;
    const body = name === 'tags' ? { tags: value.split(',') } : { folder: value };
    expect((await update(id, body)).status).toBe(422);
    expect(await read(id)).toMatchObject({ folder: '', tags: [] });
  });

  it('stay as they are if the file is uploaded again without them, and change otherwise', async () => {
    const path = '/api/v1/files?external_file_id=one';
    const again = (labels: Record<string, string>) =>
      multipart(path, { upload_file: file('a.txt'), ...labels }, key);
    const { id } = (await again({ folder: 'x', tags: 'a,b' })).body;
    await again({});
    expect(await read(id)).toMatchObject({ folder: 'x', tags: ['a', 'b'] });
    await again({ folder: '', tags: 'c' });
    expect(await read(id)).toMatchObject({ folder: '', tags: ['c'] });
  });

  it('change without another indexing of the file', async () => {
    const pipeline = await createPipeline();
    const [id] = await addFiles(pipeline, { 'harbour.md': 'The harbour is open.' });
    await sync(pipeline);
    const before = (await call<Labelled>('GET', `${FILES}/${id}`)).body;
    const body = { folder: 'new', tags: ['t'] };
    const changed = await call<Labelled>('PATCH', `/api/v2/files/${id}`, { body });
    expect(changed.body).toMatchObject({ id: `dfl-${id}`, folder: 'new', tags: ['t'] });
    expect(changed.body.updated_at).toBe(before.updated_at);
    const status = await call<{ status: string }>('GET', `/api/v1/pipelines/${pipeline}/files/${id}/status`);
    expect(status.body.status).toBe('SUCCESS');
  });

  it('are deleted with the file and with the project', async () => {
    const { id } = (await send('a.txt', { tags: 'a,b' })).body;
    expect(await countRows(id)).toBe(2);
    await call('DELETE', `${FILES}/${id}`, { key });
    expect(await countRows(id)).toBe(0);
    expect((await tags()).items).toEqual([]);
  });
});

describe('a change of many files', () => {
  it('moves and tags all of them, or none if one does not exist', async () => {
    const ids = [await upload('a.txt', 'a', { key }), await upload('b.txt', 'b', { key })];
    expect((await updateMany({ file_ids: ids, folder: 'x', add_tags: ['t', 'u'] })).status).toBe(204);
    const other = await createTenant();
    const theirs = (await send('theirs.txt', { folder: 'secret', tags: 'secret' }, other.key)).body.id;
    for (const unknown of [crypto.randomUUID(), theirs]) {
      const answer = await updateMany({ file_ids: [...ids, unknown], folder: 'y', remove_tags: ['t'] });
      expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining(unknown) } });
    }
    for (const id of ids) expect(await read(id)).toMatchObject({ folder: 'x', tags: ['t', 'u'] });
    await updateMany({ file_ids: ids, remove_tags: ['t'], add_tags: ['v'] });
    for (const id of ids) expect(await read(id)).toMatchObject({ folder: 'x', tags: ['u', 'v'] });
    const kept = await call<Labelled>('GET', `${FILES}/${theirs}?${EXPAND}`, { key: other.key });
    expect(kept.body).toMatchObject({ folder: 'secret', tags: ['secret'] });
  });

  it('is refused if a file would have too many tags, unless others are removed', async () => {
    const many = Array.from({ length: 50 }, (_, n) => `tag ${n}`);
    const { id } = (await send('a.txt')).body;
    await update(id, { tags: many });
    expect(await updateMany({ file_ids: [id], add_tags: ['one more'] })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'add_tags'], msg: expect.stringContaining(id) }] },
    });
    expect((await updateMany({ file_ids: [id], add_tags: ['tag 3'] })).status).toBe(204);
    const swap = { file_ids: [id], add_tags: ['one more'], remove_tags: ['tag 7'] };
    expect((await updateMany(swap)).status).toBe(204);
    expect((await read(id)).tags).toContain('one more');
    expect((await update(id, { tags: ['a'], add_tags: ['b'] })).status).toBe(422);
  });

  it('keeps the limit of tags if concurrent calls add some', async () => {
    const { id } = (await send('a.txt')).body;
    const some = (from: string) => Array.from({ length: 30 }, (_, n) => `${from} ${n}`);
    await Promise.all(['a', 'b', 'c'].map((each) => updateMany({ file_ids: [id], add_tags: some(each) })));
    expect((await read(id)).tags).toHaveLength(30);
  });
});

describe('the list of files', () => {
  beforeEach(async () => {
    await send('root.txt', { tags: 'a' });
    await send('one.txt', { folder: 'r', tags: 'a,b' });
    await send('two.txt', { folder: 'r/2026', tags: 'b' });
    await send('three.txt', { folder: 'r/2026/q1' });
    await send('beside.txt', { folder: 'r-2' });
    await send('later.txt', { folder: 'r0' });
  });

  it('is filtered by folder, with and without subfolders', async () => {
    expect(await names('folder=')).toEqual(['root.txt']);
    expect(await names('folder=/')).toEqual(['root.txt']);
    expect(await names('folder=r')).toEqual(['one.txt']);
    expect(await names('folder=r&include_subfolders=true')).toEqual(['one.txt', 'three.txt', 'two.txt']);
    expect(await names('folder=r/2026&include_subfolders=true')).toEqual(['three.txt', 'two.txt']);
    expect((await list('folder=/&include_subfolders=true')).total_size).toBe(6);
    expect(await names('folder=%25')).toEqual([]);
    expect((await call('GET', `${FILES}?folder=..`, { key })).status).toBe(422);
  });

  it('is filtered by all of several tags', async () => {
    expect(await names('tags=a')).toEqual(['one.txt', 'root.txt']);
    expect(await names('tags=a&tags=b')).toEqual(['one.txt']);
    expect(await names('tags=b&folder=r/2026')).toEqual(['two.txt']);
    expect(await names('tags=b&tags=a&folder=r')).toEqual(['one.txt']);
    expect(await names('tags=b&tags=a&folder=r/2026')).toEqual([]);
    expect(await names('tags=unknown')).toEqual([]);
    const query = { filter: { tags: ['b'], folder: 'r', include_subfolders: true } };
    const found = await call<Page<Labelled>>('POST', `${FILES}/query`, { key, body: query });
    expect(found.body.total_size).toBe(2);
  });

  it.each(['name', 'created_at desc', 'file_size', 'id'])(
    'continues on the next page by %s',
    async (order) => {
      const query = `folder=r&include_subfolders=true&page_size=2&order_by=${encodeURIComponent(order)}`;
      const path = `${FILES}?${query}`;
      const first = (await call<Page<Labelled>>('GET', path, { key })).body;
      const token = encodeURIComponent(first.next_page_token!);
      const second = (await call<Page<Labelled>>('GET', `${path}&page_token=${token}`, { key })).body;
      expect([first.total_size, second.next_page_token]).toEqual([3, null]);
      const found = [...first.items, ...second.items].map(({ name }) => name);
      expect(found.toSorted()).toEqual(['one.txt', 'three.txt', 'two.txt']);
    },
  );

  it('has its folders and tags counted', async () => {
    expect((await folders()).items).toEqual([
      { path: 'r', name: 'r', file_count: 3 },
      { path: 'r-2', name: 'r-2', file_count: 1 },
      { path: 'r0', name: 'r0', file_count: 1 },
    ]);
    expect((await folders('?parent=r')).items).toEqual([{ path: 'r/2026', name: '2026', file_count: 2 }]);
    expect((await folders('?parent=r/2026/q1')).items).toEqual([]);
    expect((await tags()).items).toEqual([
      { tag: 'a', file_count: 2 },
      { tag: 'b', file_count: 2 },
    ]);
    for (const [read, path] of [
      [folders, 'path'],
      [tags, 'tag'],
    ] as const) {
      const all: unknown[] = [];
      for (let token: string | null = ''; token !== null; ) {
        const page: Page<object> = await read(`?page_size=1${token && `&page_token=${token}`}`);
        all.push(...page.items.map((item) => (item as Record<string, unknown>)[path]));
        token = page.next_page_token;
      }
      expect(all).toEqual(path === 'tag' ? ['a', 'b'] : ['r', 'r-2', 'r0']);
    }
  });

  it('shows nothing of other projects', async () => {
    const other = await createTenant();
    for (const path of [
      `${FILES}?tags=a`,
      `${FILES}?folder=r`,
      '/api/v2/files/folders',
      '/api/v2/files/tags',
    ]) {
      const { body } = await call<Page<object>>('GET', path, { key: other.key });
      expect(body.items, path).toEqual([]);
    }
  });
});
