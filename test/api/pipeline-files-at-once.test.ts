import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import {
  addFiles,
  createPipeline,
  retrieve,
  statusOf,
  sync,
  untilFinished,
} from '#test/support/pipelines.ts';

interface Page {
  files: { name: string; file_id: string }[];
  total_count: number;
}

const base = (id: string) => `/api/v1/pipelines/${id}/files`;
const names = async (id: string, query: Record<string, string>) =>
  (await call<Page>('GET', `${base(id)}2?${new URLSearchParams(query)}`)).body.files.map(({ name }) => name);

async function fourFiles() {
  const id = await createPipeline();
  const fileIds = await addFiles(id, {
    'b.txt': 'Barley is a cereal that grows in cool places.',
    'a.txt': 'Apples ripen.',
    'empty.txt': ' \n',
    'ÜBEL.txt': '  \n ',
  });
  await sync(id);
  return { id, fileIds };
}

describe('failures of a pipeline’s files', () => {
  it('are counted by reason, and lists can be filtered by reason', async () => {
    const { id } = await fourFiles();
    await env.DB.prepare(
      "update pipeline_members set error = json_set(error, '$.message', 'Torn') where file_id =?",
    )
      .bind((await call<Page>('GET', `${base(id)}2?file_name_contains=%C3%BCbel`)).body.files[0]!.file_id)
      .run();
    const { body } = await call<{ reasons: { reason: string; step: string; count: number }[] }>(
      'GET',
      `${base(id)}/failures`,
    );
    expect(body).toMatchObject({ pipeline_id: id, total_count: 2 });
    const other = body.reasons.find(({ reason }) => reason !== 'Torn')!;
    expect(body.reasons).toHaveLength(2);
    expect(other).toMatchObject({ step: 'PARSE', count: 1 });
    expect(await names(id, { reason: 'Torn' })).toEqual(['ÜBEL.txt']);
    expect(await names(id, { reason: other.reason })).toEqual(['empty.txt']);
    expect(await names(id, { reason: 'tor' })).toEqual([]);
    const counts = async (query: string) =>
      (await call<{ counts: object }>('GET', `${base(id)}/status-counts?${query}`)).body;
    expect(await counts('reason=Torn')).toMatchObject({ total_count: 1, counts: { ERROR: 1, SUCCESS: 0 } });
    expect(await counts('file_name_contains=B')).toMatchObject({
      total_count: 2,
      counts: { ERROR: 1, SUCCESS: 1 },
    });
  });

  it('file lists can be sorted by status and by size', async () => {
    const { id } = await fourFiles();
    const bySize = ['empty.txt', 'ÜBEL.txt', 'a.txt', 'b.txt'];
    expect(await names(id, { order_by: 'file_size' })).toEqual(bySize);
    expect(await names(id, { order_by: 'file_size desc' })).toEqual(bySize.toReversed());
    const byState = ['empty.txt', 'ÜBEL.txt', 'b.txt', 'a.txt'];
    expect(await names(id, { order_by: 'status' })).toEqual(byState);
    expect(await names(id, { order_by: 'STATUS desc' })).toEqual(byState.toReversed());
  });
});

describe('bulk operations on files', () => {
  it('retry only the files that failed', async () => {
    const { id, fileIds } = await fourFiles();
    const before = (await statusOf(id)).job_id;
    const answer = await call('POST', `${base(id)}/retry`, { body: { filter: {} } });
    expect(answer).toMatchObject({ status: 200, body: { retried: 2 } });
    const status = await untilFinished(id, before);
    expect(status.progress?.counters).toMatchObject({ failed: 2 });
    const none = await call('POST', `${base(id)}/retry`, { body: { filter: { reason: 'no such reason' } } });
    expect(none.body).toEqual({ retried: 0 });
    const named = await call('POST', `${base(id)}/retry`, {
      body: { file_ids: [fileIds[2], crypto.randomUUID()] },
    });
    expect(named.body).toEqual({ retried: 1 });
  });

  it('remove files by filter or by ids, and the files are not found any more', async () => {
    const { id, fileIds } = await fourFiles();
    const remove = (body: object) => call('POST', `${base(id)}/remove`, { body });
    const failed = await remove({ filter: { statuses: ['ERROR'], file_name_contains: 'übel' } });
    expect(failed).toMatchObject({ status: 200, body: { removed: 1, remaining: 0 } });
    expect(await names(id, {})).toEqual(['b.txt', 'a.txt', 'empty.txt']);
    expect(await retrieve(id, 'barley')).not.toEqual([]);
    expect((await remove({ file_ids: [fileIds[0], fileIds[2]] })).body).toEqual({ removed: 2, remaining: 0 });
    expect(await names(id, {})).toEqual(['a.txt']);
    const found = await retrieve(id, 'barley');
    expect(found.map(({ node }) => node.extra_info.file_name)).not.toContain('b.txt');
    expect((await remove({ file_ids: [fileIds[0]] })).body).toEqual({ removed: 0, remaining: 0 });
  });

  it('remove more files than one statement can take, only from this pipeline', async () => {
    const { id } = await fourFiles();
    const other = await createPipeline();
    const project = 'select project_id from pipelines where id = ?1';
    await env.DB.batch([
      env.DB.prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
         insert into files (id, project_id, name) select 'bulk-' || i, (${project}), 'bulk ' || i from n`,
      ).bind(id),
      ...[id, other].map((pipeline) =>
        env.DB.prepare(
          `insert into pipeline_members (id, pipeline_id, kind, document_id, file_id, status)
           select ?1 || id, ?1, 'file', id, id, 'CANCELLED' from files where id like 'bulk-%'`,
        ).bind(pipeline),
      ),
    ]);
    const filter = { statuses: ['CANCELLED'] };
    expect((await call('POST', `${base(id)}/retry`, { body: { filter } })).body).toEqual({ retried: 1100 });
    await untilFinished(id);
    const removed = await call('POST', `${base(id)}/remove`, {
      body: { filter: { file_name_contains: 'BULK' } },
    });
    expect(removed.body).toEqual({ removed: 1100, remaining: 0 });
    expect((await call<Page>('GET', `${base(id)}2`)).body.total_count).toBe(4);
    const left = await call<Page>('GET', `${base(other)}/status-counts`);
    expect(left.body.total_count).toBe(1100);
  });

  it.each([
    ['neither ids nor a filter', {}],
    ['both', { file_ids: [crypto.randomUUID()], filter: { statuses: ['ERROR'] } }],
    ['no ids', { file_ids: [] }],
    ['too many ids', { file_ids: Array.from({ length: 1001 }, () => crypto.randomUUID()) }],
    ['a filter that everything fits', { filter: {} }],
    ['a filter of empty conditions', { filter: { statuses: [], only_manually_uploaded: false } }],
  ])('reject %s', async (_, body) => {
    expect((await call('POST', `${base(await createPipeline())}/remove`, { body })).status).toBe(422);
  });
});
