import { describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { follow, keysUnder, multipart, textOf, type UrlBody } from '#test/support/files.ts';
import { createTenant } from '#test/support/tenants.ts';

interface FileV2 {
  id: string;
  name: string;
  file_size: number | null;
  created_at: string;
  updated_at: string;
  purpose: string | null;
  download_url: UrlBody | null;
}
interface Page {
  items: FileV2[];
  next_page_token: string | null;
  total_size: number;
}

const path = '/api/v1/beta/files';
const file = (name: string, content = 'text') => new File([content], name);

describe('uploading a file for a purpose', () => {
  it('returns a prefixed id, which every operation accepts with or without the prefix', async () => {
    const created = await multipart(path, {
      purpose: 'extract',
      file: file('a.txt'),
      external_file_id: 'x-1',
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: 'a.txt', purpose: 'extract', external_file_id: 'x-1' });
    expect(created.body.id).toMatch(/^dfl-[0-9a-f-]{36}$/);
    for (const id of [created.body.id, created.body.id.slice(4), created.body.id.slice(4).toUpperCase()]) {
      expect((await call<FileV2>('GET', `${path}/${id}`)).body.id).toBe(created.body.id);
      expect((await call<FileV2>('GET', `/api/v1/files/${id}`)).body.id).toBe(created.body.id.slice(4));
    }
  });

  it('keeps the id when the same external file is uploaded again', async () => {
    const external_file_id = crypto.randomUUID();
    const first = await multipart(path, { purpose: 'parse', file: file('a.txt'), external_file_id });
    const again = await multipart(path, { purpose: 'parse', file: file('b.txt'), external_file_id });
    expect(again.body).toMatchObject({ id: first.body.id, name: 'b.txt' });
  });

  it('creates one file when the same external file is uploaded twice at the same time', async () => {
    const external_file_id = crypto.randomUUID();
    const parts = () => ({ purpose: 'parse', file: file('a.txt'), external_file_id });
    const answers = await Promise.all([multipart(path, parts()), multipart(path, parts())]);
    expect(answers.map((answer) => answer.status)).toEqual([201, 201]);
    expect(answers[0]!.body.id).toBe(answers[1]!.body.id);
  });

  it('rejects an invalid form, and stores nothing', async () => {
    const { key, projectId } = await createTenant();
    const status = async (parts: Record<string, string | File>) => (await multipart(path, parts, key)).status;
    expect(await status({ file: file('a.txt') })).toBe(422);
    expect(await status({ purpose: 'leisure', file: file('a.txt') })).toBe(422);
    expect(await status({ purpose: 'parse' })).toBe(422);
    const empty = await multipart(path, { purpose: 'parse', file: file('a.txt', '') }, key);
    expect(empty).toMatchObject({ status: 400, body: { detail: 'Uploaded file is empty.' } });
    expect(await keysUnder(`projects/${projectId}/`)).toEqual([]);
    expect((await call<Page>('GET', path, { key })).body).toMatchObject({ items: [], total_size: 0 });
  });
});

describe('listing files', () => {
  const fill = async (names: string[]) => {
    const { key } = await createTenant();
    const ids: string[] = [];
    for (const name of names) ids.push(await upload(name, `content of ${name}`, { key }));
    return { key, ids };
  };
  const walk = async (key: string, query: string) => {
    const names: string[] = [];
    let token: string | null = '';
    do {
      const page: Page = (
        await call<Page>('GET', `${path}?${query}${token && `&page_token=${token}`}`, { key })
      ).body;
      names.push(...page.items.map((item) => item.name));
      token = page.next_page_token;
    } while (token);
    return names;
  };

  it('returns every file once across pages, in each order', async () => {
    const names = ['d.txt', 'a.txt', 'c.txt', 'a.txt', 'b.txt'];
    const { key, ids } = await fill(names);
    expect(await walk(key, 'page_size=2')).toEqual([...names].reverse());
    expect(await walk(key, 'page_size=2&order_by=created_at')).toEqual(names);
    expect(await walk(key, 'page_size=2&order_by=name')).toEqual([...names].sort());
    expect(await walk(key, 'page_size=1&order_by=name%20desc')).toEqual([...names].sort().reverse());
    const byId = ids.map((id, index) => [id, names[index]] as const).sort(([a], [b]) => (a < b ? -1 : 1));
    expect(await walk(key, 'page_size=2&order_by=id')).toEqual(byId.map(([, name]) => name));
  });

  it('filters by name and ids', async () => {
    const { key, ids } = await fill(['a.txt', 'b.txt', 'c.txt']);
    const found = async (query: string) =>
      (await call<Page>('GET', `${path}?${query}`, { key })).body.items.map((item) => item.name).sort();
    expect(await found('file_name=b.txt')).toEqual(['b.txt']);
    expect(await found('file_name=b')).toEqual([]);
    expect(await found(`file_ids=${ids[0]}&file_ids=dfl-${ids[2]}`)).toEqual(['a.txt', 'c.txt']);
    expect(await found('external_file_id=none')).toEqual([]);
  });

  it('finds parts of names, ignoring case in every script', async () => {
    const decomposed = 'Re\u0301sume\u0301.txt';
    const { key } = await fill(['ÉTÉ Straße.txt', 'ДОКЛАД №1.PDF', 'ΟΔΥΣΣΕΥΣ.md', decomposed, 'plain.md']);
    const found = async (query: Record<string, string>) =>
      (await call<Page>('GET', `${path}?${new URLSearchParams(query)}`, { key })).body.items.map(
        ({ name }) => name,
      );
    expect(await found({ name_contains: 'été' })).toEqual(['ÉTÉ Straße.txt']);
    expect(await found({ name_contains: 'straẞE' })).toEqual(['ÉTÉ Straße.txt']);
    expect(await found({ name_contains: 'Доклад' })).toEqual(['ДОКЛАД №1.PDF']);
    expect(await found({ name_contains: 'οδυσσευς' })).toEqual(['ΟΔΥΣΣΕΥΣ.md']);
    expect(await found({ name_contains: 'RÉSUMÉ' })).toEqual([decomposed]);
    expect(await found({ name_contains: 'PLAIN', file_types: 'MD' })).toEqual(['plain.md']);
    expect(await found({ name_contains: "'" })).toEqual([]);
    expect((await found({ file_types: '.md' })).sort()).toEqual(['plain.md', 'ΟΔΥΣΣΕΥΣ.md']);
    expect(await found({ data_source_id: crypto.randomUUID() })).toEqual([]);
    expect(await found({ only_manually_uploaded: 'true' })).toHaveLength(5);
    const body = { filter: { name_contains: 'доклад', file_types: ['pdf'] } };
    const queried = await call<Page>('POST', `${path}/query`, { key, body });
    expect(queried.body).toMatchObject({ total_size: 1, items: [{ name: 'ДОКЛАД №1.PDF' }] });
    const vietnamese = Array.from({ length: 60 }, (_, at) => String.fromCodePoint(0x1ea1 + 2 * at)).join('');
    const refused = await call('GET', `${path}?name_contains=${encodeURIComponent(vietnamese)}`, { key });
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'name_contains'] }] } });
    const cyrillic = Array.from({ length: 33 }, (_, at) => String.fromCodePoint(0x430 + at)).join('');
    expect(await found({ name_contains: cyrillic })).toEqual([]);
  });

  it('filters by data source and by manual uploads', async () => {
    const { key } = await fill(['by hand.txt']);
    const createSource = async () => {
      const body = { name: crypto.randomUUID(), source_type: 'SOURCE_8_PAGE', component: { note: 'x' } };
      const answer = await call<{ id: string }>('POST', '/api/v1/data-sources', { key, body });
      const { id } = answer.body;
      const file = { name: `of ${id}.txt`, data_source_id: id };
      expect((await call('PUT', '/api/v1/files', { key, body: file })).status).toBe(200);
      return id;
    };
    const [one, other] = [await createSource(), await createSource()];
    const found = async (query: string) => (await call<Page>('GET', `${path}?${query}`, { key })).body;
    for (const id of [one, other]) {
      const items = [{ name: `of ${id}.txt`, data_source_id: id }];
      expect(await found(`data_source_id=${id}`)).toMatchObject({ items, total_size: 1 });
    }
    expect(await found(`data_source_id=${one}&name_contains=hand`)).toMatchObject({
      items: [],
      total_size: 0,
    });
    const uploads = await found('only_manually_uploaded=true');
    expect(uploads).toMatchObject({ items: [{ name: 'by hand.txt', data_source_id: null }], total_size: 1 });
  });

  it('returns size and age, and sorts by size', async () => {
    const { key } = await createTenant();
    await upload('large.txt', 'x'.repeat(300), { key });
    await upload('small.txt', 'x', { key });
    await upload('medium.txt', 'x'.repeat(20), { key });
    await upload('also small.txt', 'y', { key });
    await call('PUT', '/api/v1/files', { key, body: { name: 'to come.txt' } });
    await call('PUT', '/api/v1/files', { key, body: { name: 'to come later.txt' } });
    const sizes = (await call<Page>('GET', `${path}?order_by=file_size`, { key })).body.items;
    expect(sizes.map((item) => item.file_size)).toEqual([null, null, 1, 1, 20, 300]);
    expect(sizes[5]).toMatchObject({ name: 'large.txt', file_type: 'txt', data_source_id: null });
    expect(Date.parse(sizes[5]!.created_at)).toBeGreaterThan(0);
    expect(sizes[5]!.updated_at >= sizes[5]!.created_at).toBe(true);
    const names = await walk(key, 'page_size=1&order_by=file_size');
    expect(names).toEqual(sizes.map(({ name }) => name));
    expect(await walk(key, 'page_size=2&order_by=file_size%20desc')).toEqual(names.toReversed());
    const other = await call<Page>('GET', `${path}?page_size=1`, { key });
    const token = `page_token=${other.body.next_page_token}`;
    expect((await call('GET', `${path}?order_by=file_size&${token}`, { key })).status).toBe(422);
  });

  it('accepts the same filters in a body', async () => {
    const { key, ids } = await fill(['a.txt', 'b.txt']);
    const query = async (body: object) => {
      const answer = await call<Page>('POST', `${path}/query`, { key, body });
      return { status: answer.status, names: answer.body.items?.map((item) => item.name) };
    };
    expect(await query({})).toEqual({ status: 200, names: ['b.txt', 'a.txt'] });
    expect(await query({ filter: { file_ids: [ids[0]] } })).toEqual({ status: 200, names: ['a.txt'] });
    expect(await query({ filter: { only_manually_uploaded: true }, order_by: 'name' })).toEqual({
      status: 200,
      names: ['a.txt', 'b.txt'],
    });
    expect(await query({ filter: { project_id: crypto.randomUUID() } })).toEqual({ status: 200, names: [] });
    expect((await query({ filter: { file_ids: ['x'] } })).status).toBe(422);
    expect((await query({ page_size: 1001 })).status).toBe(422);
  });

  it('adds a download URL on request', async () => {
    const { key, ids } = await fill(['a.txt']);
    const plain = await call<Page>('GET', path, { key });
    expect(plain.body.items[0]!.download_url).toBeNull();
    const expanded = await call<Page>('GET', `${path}?expand=download_url`, { key });
    expect(await textOf(await follow(expanded.body.items[0]!.download_url!.url))).toBe('content of a.txt');
    const one = await call<FileV2>('GET', `${path}/${ids[0]}?expand=download_url`, { key });
    expect(one.body.download_url?.url).toContain('/presigned/');
    const content = await call<UrlBody>('GET', `${path}/${ids[0]}/content?expires_at_seconds=60`, { key });
    expect(await textOf(await follow(content.body.url))).toBe('content of a.txt');
  });

  it('rejects unknown values with 422', async () => {
    for (const query of [
      'order_by=size',
      `name_contains=${'x'.repeat(201)}`,
      'page_token=nonsense',
      'page_size=0',
      'file_ids=1',
    ]) {
      expect((await call('GET', `${path}?${query}`)).status, query).toBe(422);
    }
    expect((await call('GET', path, { key: null })).status).toBe(401);
  });
});

describe('a file of another tenant', () => {
  it('is treated as missing', async () => {
    const id = await upload('a.txt', 'x');
    const { key } = await createTenant();
    for (const [method, suffix] of [
      ['GET', ''],
      ['GET', '/content'],
      ['DELETE', ''],
    ] as const) {
      expect((await call(method, `${path}/dfl-${id}${suffix}`, { key })).status).toBe(404);
    }
    const listed = await call<Page>('GET', `${path}?file_ids=${id}`, { key });
    expect(listed.body.items).toEqual([]);
    expect((await call('DELETE', `${path}/dfl-${id}`)).status).toBe(204);
    expect((await call('GET', `${path}/dfl-${id}`)).status).toBe(404);
  });
});
