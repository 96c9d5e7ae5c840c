import { describe, expect, it } from 'vitest';
import { BASE, call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, sync, untilFinished } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Row {
  id: string;
  file_id: string;
  name: string;
  status: string;
  custom_metadata: Record<string, unknown> | null;
}

async function threeFiles(): Promise<{ id: string; fileIds: string[] }> {
  const id = await createPipeline();
  const fileIds = await addFiles(id, {
    'beta.txt': 'Beta tells of barley.',
    'alpha.txt': 'Alpha tells of apples.',
    'empty.txt': ' \n',
  });
  await sync(id);
  return { id, fileIds };
}

async function uploadTable(id: string, name: string, content: string, key?: string | null) {
  const form = new FormData();
  form.append('upload_file', new File([content], name));
  const request = new Request(BASE, { method: 'POST', body: form });
  return call<Record<string, string>>('PUT', `/api/v1/pipelines/${id}/metadata`, {
    headers: { 'content-type': request.headers.get('content-type')! },
    raw: await request.arrayBuffer(),
    ...(key !== undefined && { key }),
  });
}

describe('lists of a pipeline’s files', () => {
  it('can be filtered, sorted, paged and counted', async () => {
    const { id, fileIds } = await threeFiles();
    const list = async (query: string) =>
      (await call<{ files: Row[]; total_count: number }>('GET', `/api/v1/pipelines/${id}/files2${query}`))
        .body;
    const names = async (query: string) => (await list(query)).files.map(({ name }) => name);
    expect(await names('')).toEqual(['beta.txt', 'alpha.txt', 'empty.txt']);
    expect(await names('?order_by=name')).toEqual(['alpha.txt', 'beta.txt', 'empty.txt']);
    expect(await names('?order_by=created_at%20desc&limit=1')).toEqual(['empty.txt']);
    expect(await names('?order_by=name&limit=1&offset=1')).toEqual(['beta.txt']);
    expect(await names('?file_name_contains=ALP')).toEqual(['alpha.txt']);
    expect(await names('?statuses=ERROR')).toEqual(['empty.txt']);
    expect(await names('?statuses=ERROR&statuses=SUCCESS')).toHaveLength(3);
    const manyTimes = 'statuses=ERROR&statuses=SUCCESS&'.repeat(100);
    expect(await names(`?${manyTimes}`)).toHaveLength(3);
    const paged = await call<{ items: Row[] }>('GET', `/api/v1/beta/pipelines/${id}/files?${manyTimes}`);
    expect(paged.body.items).toHaveLength(3);
    expect(await names(`?data_source_id=${crypto.randomUUID()}`)).toEqual([]);
    expect(await list('?statuses=SUCCESS&only_manually_uploaded=true&limit=1')).toMatchObject({
      limit: 1,
      offset: 0,
      total_count: 2,
    });
    const counts = await call('GET', `/api/v1/pipelines/${id}/files/status-counts`);
    expect(counts.body).toMatchObject({
      pipeline_id: id,
      total_count: 3,
      only_manually_uploaded: false,
      counts: { SUCCESS: 2, ERROR: 1, IN_PROGRESS: 0 },
    });
    const seen: string[] = [];
    let token: string | null = null;
    do {
      const query: string = `page_size=2${token ? `&page_token=${token}` : ''}`;
      const path = `/api/v1/beta/pipelines/${id}/files?${query}`;
      const page: { items: Row[]; next_page_token: string | null } = (await call<never>('GET', path)).body;
      seen.push(...page.items.map((row) => row.file_id));
      token = page.next_page_token;
    } while (token);
    expect(seen).toEqual(fileIds);
  });

  it('reject unknown values, missing keys and other tenants', async () => {
    const id = await createPipeline();
    const { key } = await createTenant();
    for (const path of [
      `pipelines/${id}/files2`,
      `beta/pipelines/${id}/files`,
      `pipelines/${id}/files/status-counts`,
    ]) {
      expect((await call('GET', `/api/v1/${path}`, { key })).status).toBe(404);
      expect((await call('GET', `/api/v1/${path}`, { key: null })).status).toBe(401);
    }
    for (const query of ['limit=0', 'limit=1001', 'offset=-1', 'order_by=size', 'statuses=LOST']) {
      expect((await call('GET', `/api/v1/pipelines/${id}/files2?${query}`)).status, query).toBe(422);
    }
  });

  it('lists the syncs of a pipeline, newest first', async () => {
    const { id } = await threeFiles();
    await sync(id);
    const jobs = await call<{ id: string; status: string; reason: string }[]>(
      'GET',
      `/api/v1/pipelines/${id}/jobs`,
    );
    expect(jobs.body).toHaveLength(2);
    expect(jobs.body[1]).toMatchObject({
      status: 'PARTIAL_SUCCESS',
      reason: 'request',
      counters: { indexed: 2 },
    });
    const last = await call<unknown[]>('GET', `/api/v1/pipelines/${id}/jobs?limit=1&offset=1`);
    expect(last.body).toEqual([jobs.body[1]]);
    const { key } = await createTenant();
    expect((await call('GET', `/api/v1/pipelines/${id}/jobs`, { key })).status).toBe(404);
  });

  it('lists the pipelines of a project in pages', async () => {
    const { key } = await createTenant();
    const made: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      made.unshift(
        (await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body: { name } })).body.id,
      );
    }
    const first = await call<{ items: { id: string }[]; next_page_token: string; total_size: number }>(
      'GET',
      '/api/v2/pipelines?page_size=2',
      { key },
    );
    expect(first.body.total_size).toBe(3);
    const next = `/api/v2/pipelines?page_size=2&page_token=${first.body.next_page_token}`;
    const second = await call<{ items: { id: string }[] }>('GET', next, { key });
    expect([...first.body.items, ...second.body.items].map(({ id }) => id)).toEqual(made);
    expect(
      (await call<{ total_size: number }>('GET', '/api/v2/pipelines?name=two', { key })).body.total_size,
    ).toBe(1);
    expect((await call('GET', '/api/v2/pipelines', { key: null })).status).toBe(401);
  });
});

describe('metadata of a pipeline’s files', () => {
  it('is indexed after it is set on one file', async () => {
    const { id, fileIds } = await threeFiles();
    const path = `/api/v1/pipelines/${id}/files/${fileIds[0]}`;
    const changed = await call<Row>('PUT', path, { body: { custom_metadata: { crop: 'cereal' } } });
    expect(changed.body).toMatchObject({ file_id: fileIds[0], custom_metadata: { crop: 'cereal' } });
    await untilFinished(id);
    const search_filters = { filters: [{ key: 'crop', operator: '==', value: 'cereal' }] };
    const found = await retrieve(id, 'tells of', { search_filters });
    expect(found.map(({ node }) => node.extra_info.file_name)).toEqual(['beta.txt']);
    const unknown = await call('PUT', `/api/v1/pipelines/${id}/files/${crypto.randomUUID()}`, { body: {} });
    expect(unknown.status).toBe(404);
  });

  it('comes from a table, is overridden by the file’s own values, and can be removed', async () => {
    const { id, fileIds } = await threeFiles();
    const own = { custom_metadata: { crop: 'own' } };
    await call('PUT', `/api/v1/pipelines/${id}/files/${fileIds[1]}`, { body: own });
    const csv =
      'file_name,crop,tonnes,organic\nbeta.txt,"barley, winter",12.5,true\nalpha.txt,fruit,3,\ngamma.txt,x,1,';
    const answer = await uploadTable(id, 'table.csv', csv);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      rows: '3',
      files_updated: '2',
      rows_without_file: '1',
      unknown_files: 'name:gamma.txt',
    });
    await untilFinished(id);
    const shown = async () =>
      (await call<{ files: Row[] }>('GET', `/api/v1/pipelines/${id}/files2`)).body.files.map(
        (row) => row.custom_metadata,
      );
    expect(await shown()).toEqual([
      { crop: 'barley, winter', tonnes: 12.5, organic: true },
      { crop: 'own', tonnes: 3 },
      null,
    ]);
    const search_filters = { filters: [{ key: 'tonnes', operator: '>', value: 10 }] };
    const found = async () =>
      (await retrieve(id, 'tells of', { search_filters })).map(({ node }) => node.extra_info.file_name);
    await expect.poll(found).toEqual(['beta.txt']);
    const json = await uploadTable(id, 'table.json', JSON.stringify([{ id: fileIds[0], tonnes: 1 }]));
    expect(json.body).toMatchObject({ files_updated: '1' });
    expect((await shown())[0]).toEqual({ tonnes: 1 });
    expect((await call('DELETE', `/api/v1/pipelines/${id}/metadata`)).status).toBe(204);
    expect(await shown()).toEqual([null, { crop: 'own' }, null]);
    await expect.poll(found).toEqual([]);
  });

  it.each([
    ['no content', 'a.csv', ''],
    ['rows that name no file', 'a.csv', 'crop\nbarley'],
    ['broken JSON', 'a.json', '{"a":'],
    ['JSON of another form', 'a.json', '[1, 2]'],
  ])('rejects a table with %s', async (_, name, content) => {
    const answer = await uploadTable(await createPipeline(), name, content);
    expect(answer.status).toBe(400);
  });

  it('is hidden from other tenants', async () => {
    const id = await createPipeline();
    const { key } = await createTenant();
    expect((await uploadTable(id, 'a.csv', 'file_name\nx', key)).status).toBe(404);
    expect((await uploadTable(id, 'a.csv', 'file_name\nx', null)).status).toBe(401);
    expect((await call('DELETE', `/api/v1/pipelines/${id}/metadata`, { key })).status).toBe(404);
    const file = `/api/v1/pipelines/${id}/files/${crypto.randomUUID()}`;
    expect((await call('PUT', file, { key, body: {} })).status).toBe(404);
    expect((await call('PUT', `/api/v1/pipelines/${id}/metadata`, { body: {} })).status).toBe(415);
  });
});
