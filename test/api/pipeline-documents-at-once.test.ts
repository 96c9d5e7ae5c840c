import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { keysUnder } from '#test/support/files.ts';
import { bucketWhere, callWith, countingDatabase, databaseWhere } from '#test/support/meanwhile.ts';
import { createPipeline } from '#test/support/pipelines.ts';

interface Document {
  id: string;
  text: string;
}

const path = (pipeline: string, document = '') => `/api/v1/pipelines/${pipeline}/documents${document}`;
const put = (pipeline: string, text: string, id = 'a') =>
  call('PUT', path(pipeline), { body: [{ id, text, metadata: {} }] });
const read = (pipeline: string) => call<Document>('GET', path(pipeline, '/a'));

/** Texts that are too long to be stored in their rows. */
const [X, Y, FIRST] = ['X', 'Y', 'first'].map((text) => text.repeat(9_000)) as [string, string, string];

async function listStoredTexts(pipeline: string): Promise<string[]> {
  const row = await env.DB.prepare('select project_id as id from pipelines where id = ?')
    .bind(pipeline)
    .first<{ id: string }>();
  return keysUnder(`projects/${row!.id}/pipelines/${pipeline}/`);
}

describe('a document that is written twice concurrently', () => {
  it('has the text of the later write, and no other text is stored', async () => {
    const id = await createPipeline();
    await put(id, X);
    const DB = databaseWhere(/^insert into "pipeline_members"/, () => put(id, Y));
    const body = [{ id: 'a', text: X, metadata: { kind: 'late' } }];
    const answer = await callWith<Document[]>({ DB }, 'PUT', path(id), { body });
    expect(answer.body).toMatchObject([{ id: 'a', text: X, metadata: { kind: 'late' } }]);
    expect((await read(id)).body).toMatchObject({ text: X, metadata: { kind: 'late' } });
    expect(await listStoredTexts(id)).toHaveLength(1);
  });

  it('is created by one call, and the other call is rejected', async () => {
    const id = await createPipeline();
    const DB = databaseWhere(/^insert into "pipeline_members"/, () => put(id, FIRST));
    const body = [{ id: 'a', text: `second ${FIRST}`, metadata: {} }];
    expect((await callWith({ DB }, 'POST', path(id), { body })).status).toBe(409);
    expect((await read(id)).body.text).toBe(FIRST);
    expect(await listStoredTexts(id)).toHaveLength(1);
  });

  it('keeps its text if it is deleted and added again', async () => {
    const id = await createPipeline();
    await put(id, X);
    // The row is deleted, and the text is about to be deleted.
    const FILES = bucketWhere('delete', () => put(id, X));
    expect((await callWith({ FILES }, 'DELETE', path(id, '/a'))).status).toBe(204);
    expect((await read(id)).body.text).toBe(X);
  });

  it('leaves no text behind when it is deleted', async () => {
    const id = await createPipeline();
    await put(id, X);
    const DB = databaseWhere(/^delete from "pipeline_members"/, () => put(id, Y));
    expect((await callWith({ DB }, 'DELETE', path(id, '/a'))).status).toBe(204);
    expect((await read(id)).status).toBe(404);
    expect(await listStoredTexts(id)).toEqual([]);
  });
});

describe('a short document', () => {
  it('is stored only in its row, and in the bucket once it is long', async () => {
    const id = await createPipeline();
    await put(id, 'short');
    expect([(await read(id)).body.text, await listStoredTexts(id)]).toEqual(['short', []]);
    await put(id, X);
    expect((await read(id)).body.text).toBe(X);
    expect(await listStoredTexts(id)).toHaveLength(1);
    await put(id, 'short again');
    expect([(await read(id)).body.text, await listStoredTexts(id)]).toEqual(['short again', []]);
  });
});

describe('reading a document', () => {
  it('during a replacement returns the old or the new version', async () => {
    const id = await createPipeline();
    await put(id, X);
    const FILES = bucketWhere('get', () => put(id, Y));
    expect((await callWith<Document>({ FILES }, 'GET', path(id, '/a'))).body.text).toBe(Y);
  });

  it('during its deletion answers 404', async () => {
    const id = await createPipeline();
    await put(id, X);
    await put(id, 'kept', 'b');
    const FILES = () => bucketWhere('get', () => call('DELETE', path(id, '/a')));
    const listed = await callWith<Document[]>({ FILES: FILES() }, 'GET', path(id));
    expect(listed.body.map(({ text }) => text)).toEqual(['kept']);
    await put(id, X);
    expect((await callWith({ FILES: FILES() }, 'GET', path(id, '/a'))).status).toBe(404);
  });

  it('without its text fails instead of returning an empty document', async () => {
    const id = await createPipeline();
    await put(id, X);
    await env.FILES.delete(await listStoredTexts(id));
    expect((await read(id)).status).toBe(500);
  });
});

describe('many documents in one call', () => {
  it('are returned in the given order, with few statements', async () => {
    const id = await createPipeline();
    const body = Array.from({ length: 60 }, (_, at) => ({
      id: `${(at * 37) % 100}\u0000\ud800`,
      text: `Text ${at}.`,
      metadata: { at, note: 'x'.repeat(12_000) },
    }));
    const asked = countingDatabase();
    const answer = await callWith<Document[]>(asked, 'PUT', path(id), { body });
    expect(answer.body.map(({ text }) => text)).toEqual(body.map(({ text }) => text));
    expect(asked.statements).toBeLessThan(20);
    const { body: listed } = await call<Document[]>('GET', path(id, '?limit=100'));
    expect(listed.map(({ text }) => text)).toEqual(body.map(({ text }) => text));
    expect(listed[3]).toMatchObject({ id: '11\u0000\ufffd', metadata: { at: 3 } });
  });
});
