import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { type FileBody, follow, keysUnder, textOf, type UrlBody } from '#test/support/files.ts';
import { bucketWhere, callWith, countingDatabase, databaseWhere } from '#test/support/meanwhile.ts';
import { addFiles, createPipeline, retrieve, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

const download = async (id: string, key?: string) => {
  const { body } = await call<UrlBody>('GET', `/api/v1/files/${id}/content`, { ...(key && { key }) });
  return textOf(await follow(body.url));
};

describe('an upload', () => {
  it('succeeds even if the previous bytes cannot be deleted', async () => {
    const { key } = await createTenant();
    const path = '/api/v1/files?external_file_id=doc';
    const id = await upload('a.txt', 'old bytes', { key, query: '?external_file_id=doc' });
    const FILES = bucketWhere('delete', () => Promise.reject(new Error('the bucket is out of order')));
    const form = { upload_file: new File(['new bytes'], 'a.txt') };
    const answer = await callWith<FileBody>({ FILES }, 'POST', path, { key, form });
    expect(answer).toMatchObject({ status: 200, body: { id, file_size: 9 } });
    expect(await download(id, key)).toBe('new bytes');
  });

  it('keeps its bytes if it is unknown whether the row was written', async () => {
    const { key, projectId } = await createTenant();
    const DB = databaseWhere(/^insert into "files"/, () => Promise.reject(new Error('the line was cut')));
    const form = { upload_file: new File(['bytes'], 'a.txt') };
    expect((await callWith({ DB }, 'POST', '/api/v1/files', { key, form })).status).toBe(500);
    expect(await keysUnder(`projects/${projectId}/`)).toHaveLength(1);
  });
});

describe('deleting a file while it is added to a pipeline', () => {
  it('removes it from all pipelines', async () => {
    const [before, after] = [await createPipeline(), await createPipeline()];
    const [id] = (await addFiles(before, { 'note.txt': 'The note speaks of marzipan.' })) as [string];
    await sync(before);
    const DB = databaseWhere(/from "pipeline_indexes"/, async () => {
      await call('PUT', `/api/v1/pipelines/${after}/files`, { body: [{ file_id: id }] });
      await sync(after);
      expect(await retrieve(after, 'marzipan')).toHaveLength(1);
    });
    expect((await callWith({ DB }, 'DELETE', `/api/v1/files/${id}`)).status).toBe(204);
    for (const pipeline of [before, after]) expect(await retrieve(pipeline, 'marzipan')).toEqual([]);
    expect((await call('GET', `/api/v1/pipelines/${after}/files`)).body).toEqual([]);
  });

  it('fails the whole request with the position of the file', async () => {
    const pipeline = await createPipeline();
    const [kept, gone] = [await upload('a.txt', 'a'), await upload('b.txt', 'b')];
    const DB = databaseWhere(/^insert into "pipeline_members"/, () =>
      call('DELETE', `/api/v1/files/${gone}`),
    );
    const body = [{ file_id: kept }, { file_id: gone }];
    const answer = await callWith({ DB }, 'PUT', `/api/v1/pipelines/${pipeline}/files`, { body });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 1, 'file_id'] }] } });
    expect((await call('GET', `/api/v1/pipelines/${pipeline}/files`)).body).toEqual([]);
  });
});

describe('with thousands of files', () => {
  const MANY = 1_300;

  /** Inserts many files, three per creation time, and returns their ids in order of creation. */
  async function manyFiles(projectId: string): Promise<string[]> {
    const ids = Array.from({ length: MANY }, () => crypto.randomUUID());
    await env.DB.prepare(
      `insert into files (id, project_id, name, created_at)
       select value, ?, 'file ' || key, key / 3 from json_each(?)`,
    )
      .bind(projectId, JSON.stringify(ids))
      .run();
    return ids;
  }

  const newestFirst = (ids: string[]) => {
    const moments = new Map(ids.map((id, at) => [id, Math.floor(at / 3)]));
    return ids.toSorted((a, b) => moments.get(b)! - moments.get(a)! || (a < b ? 1 : -1));
  };

  it('the list of a project is complete and in order, and is read in pages', async () => {
    const { key, projectId } = await createTenant();
    const ids = await manyFiles(projectId);
    const asked = countingDatabase();
    const answer = await callWith<FileBody[]>(asked, 'GET', '/api/v1/files', { key });
    expect(answer.status).toBe(200);
    expect(answer.body.map(({ id }) => id)).toEqual(newestFirst(ids));
    expect(answer.body.find(({ id }) => id === ids[7])).toMatchObject({ name: 'file 7', file_size: null });
    expect(asked.mostRows).toBeLessThan(MANY);
  });

  it('they are added to a pipeline in few statements, and its list is read in pages', async () => {
    const { key, projectId } = await createTenant();
    const ids = await manyFiles(projectId);
    const { id } = (await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body: { name: 'p' } }))
      .body;
    const path = `/api/v1/pipelines/${id}/files`;
    const added = countingDatabase();
    const note = (at: number) => (at % 2 ? { custom_metadata: { at } } : {});
    const body = ids.map((file_id, at) => ({ file_id, ...note(at) }));
    const answer = await callWith<{ file_id: string }[]>(added, 'PUT', path, { key, body });
    expect(answer.body.map(({ file_id }) => file_id)).toEqual(ids);
    expect(added.statements).toBeLessThan(20);
    const listed = countingDatabase();
    const list = await callWith<{ file_id: string; custom_metadata: unknown }[]>(listed, 'GET', path, {
      key,
    });
    expect(list.body.map(({ file_id }) => file_id)).toEqual(ids);
    expect(list.body.map((each) => each.custom_metadata)).toEqual(
      ids.map((_, at) => (at % 2 ? { at } : null)),
    );
    expect(listed.mostRows).toBeLessThan(MANY);
  });

  it('a list that fails at the start is an error', async () => {
    const { key } = await createTenant();
    const path = `/api/v1/pipelines/${crypto.randomUUID()}/files`;
    expect((await call('GET', path, { key })).body).toMatchObject({ code: 'not_found' });
    expect((await call('GET', '/api/v1/files', { key })).body).toEqual([]);
  });
});
