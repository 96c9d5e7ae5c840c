import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { clientOf } from '#test/support/configured.ts';
import { createPipeline, retrieve, untilFinished } from '#test/support/pipelines.ts';

interface Row {
  id: string;
  text: string | null;
  text_id: string;
  content_hash: string;
  status: string;
}

const TEXT = 'The ferry to Kestrel Bay leaves at noon.';

const readRow = async (pipeline: string): Promise<Row> =>
  (await env.DB.prepare('select * from pipeline_members where pipeline_id = ?').bind(pipeline).first<Row>())!;
const readIndexed = (pipeline: string) =>
  env.DB.prepare(
    'select version, content_fingerprint from indexed_documents where index_id in (select id from pipeline_indexes where pipeline_id = ?)',
  )
    .bind(pipeline)
    .first<{ version: number; content_fingerprint: string }>();

const readProject = (pipeline: string) =>
  env.DB.prepare('select project_id from pipelines where id = ?').bind(pipeline).first<string>('project_id');

async function putText(pipeline: string, text: string): Promise<void> {
  const body = [{ id: 'ferry', text, metadata: {} }];
  expect((await call('PUT', `/api/v1/pipelines/${pipeline}/documents`, { body })).status).toBe(200);
  await untilFinished(pipeline);
}

describe('the row of a text document', () => {
  it('has short ids and a short hash', async () => {
    const pipeline = await createPipeline();
    await putText(pipeline, TEXT);
    const row = await readRow(pipeline);
    expect(row).toMatchObject({ text: TEXT, content_hash: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect([row.id.length, row.text_id.length]).toEqual([16, 16]);
  });

  it('keeps the long hash of an earlier release until the text changes', async () => {
    const pipeline = await createPipeline();
    await putText(pipeline, TEXT);
    const { content_hash: short } = await readRow(pipeline);
    const long = short + 'f'.repeat(32);
    await env.DB.batch([
      env.DB.prepare('update pipeline_members set content_hash = ? where pipeline_id = ?').bind(
        long,
        pipeline,
      ),
      env.DB.prepare(
        `update indexed_documents set content_fingerprint = replace(content_fingerprint, ?, ?)
         where index_id in (select id from pipeline_indexes where pipeline_id = ?)`,
      ).bind(short, long, pipeline),
    ]);
    const before = await readIndexed(pipeline);
    await putText(pipeline, TEXT);
    expect((await readRow(pipeline)).content_hash).toBe(long);
    expect((await readIndexed(pipeline))?.content_fingerprint).toBe(before?.content_fingerprint);
    expect(before?.content_fingerprint).toContain(long);
    await putText(pipeline, 'The ferry to Kestrel Bay leaves at dusk.');
    expect((await readRow(pipeline)).content_hash).toHaveLength(32);
    expect((await readIndexed(pipeline))?.content_fingerprint).not.toContain(long);
  });

  it('has no text if DOCUMENT_ROW_CHARACTERS is 0', async () => {
    const pipeline = await createPipeline();
    const client = clientOf(String(env.BOOTSTRAP_API_KEY), { DOCUMENT_ROW_CHARACTERS: '0' });
    const body = [{ id: 'ferry', text: TEXT, metadata: {} }];
    const put = await client<{ text: string }[]>('PUT', `/api/v1/pipelines/${pipeline}/documents`, body);
    expect(put.body[0]?.text).toBe(TEXT);
    await untilFinished(pipeline);
    const row = await readRow(pipeline);
    expect(row).toMatchObject({ text: null, status: 'SUCCESS' });
    const object = await env.FILES.get(
      `projects/${await readProject(pipeline)}/pipelines/${pipeline}/documents/${row.text_id}`,
    );
    expect(await object?.text()).toBe(TEXT);
    const [best] = await retrieve(pipeline, 'ferry');
    expect(best?.node.text).toContain(TEXT);
  });
});

it('lists files and texts together by their creation', async () => {
  const pipeline = await createPipeline();
  const file = (at: number) => [`file-${at}`, 'file', `file-${at}`, at];
  const text = (at: number) => [`text-${at}`, 'text', `text-${at}`, at];
  const rows = [file(1), text(2), text(3), file(3), text(4), file(5)];
  const project = await readProject(pipeline);
  await env.DB.batch(
    rows.flatMap(([id, kind, documentId, at]) => [
      ...(kind === 'file'
        ? [env.DB.prepare('insert into files (id, project_id, name) values (?, ?, ?)').bind(id, project, id)]
        : []),
      env.DB.prepare(
        `insert into pipeline_members (id, pipeline_id, kind, document_id, created_at, file_id, text_id, text, content_hash,
           metadata, excluded_embed_metadata_keys, excluded_llm_metadata_keys)
         values (?1, ?2, ?3, ?4, ?5, iif(?3 = 'file', ?4, null), iif(?3 = 'text', ?1, null), iif(?3 = 'text', ?4, null),
           iif(?3 = 'text', '', null), iif(?3 = 'text', '{}', null), iif(?3 = 'text', '[]', null), iif(?3 = 'text', '[]', null))`,
      ).bind(id, pipeline, kind, documentId, at),
    ]),
  );
  const list = async (skip: number, limit: number) => {
    const path = `/api/v1/pipelines/${pipeline}/documents/paginated?skip=${skip}&limit=${limit}`;
    const page = await call<{ documents: { id: string }[]; total_count: number }>('GET', path);
    expect(page.body.total_count).toBe(rows.length);
    return page.body.documents.map(({ id }) => id);
  };
  const sorted = ['file-1', 'text-2', 'file-3', 'text-3', 'text-4', 'file-5'];
  expect(await list(0, 10)).toEqual(sorted);
  expect(await list(2, 2)).toEqual(sorted.slice(2, 4));
  expect(await list(5, 10)).toEqual(sorted.slice(5));
});
