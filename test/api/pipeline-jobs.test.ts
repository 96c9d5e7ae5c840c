import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Run {
  id: string;
  pipeline_id: string;
  pipeline_name: string;
  started_at: string;
}
interface Page {
  items: Run[];
  next_page_token: string | null;
  total_size: number;
}

async function syncedPipeline() {
  const id = await createPipeline();
  const fileIds = await addFiles(id, { 'a.txt': 'Apples ripen.', 'b.txt': ' ', 'c.txt': '\n ' });
  const status = await sync(id);
  return { id, fileIds, jobId: status.job_id! };
}

/** Creates a tenant with pipelines that have runs with these start times. */
async function withRuns(starts: Record<string, number[]>) {
  const { key } = await createTenant();
  const ids: Record<string, string> = {};
  for (const [name, moments] of Object.entries(starts)) {
    const { id } = (await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body: { name } })).body;
    ids[name] = id;
    const insert = `insert into sync_runs (id, pipeline_id, generation, status, reason, counters, started_at, finished_at)
      values (?, ?, ?, ?, 'schedule', '{}', ?, ?)`;
    for (const [at, moment] of moments.entries()) {
      const status = at % 2 === 0 ? 'SUCCESS' : 'ERROR';
      await env.DB.prepare(insert)
        .bind(crypto.randomUUID(), id, at + 1, status, moment, moment + 1)
        .run();
    }
  }
  return { key, ids };
}

describe('a single sync', () => {
  it('has its counters, the duration of its stages, and what failed', async () => {
    const { id, fileIds, jobId } = await syncedPipeline();
    const read = async (query = '') =>
      (await call<Record<string, unknown>>('GET', `/api/v1/pipelines/${id}/jobs/${jobId}${query}`)).body;
    const run = await read();
    expect(run).toMatchObject({
      id: jobId,
      pipeline_id: id,
      status: 'PARTIAL_SUCCESS',
      counters: { indexed: 1, failed: 2 },
      failed: {
        limit: 50,
        offset: 0,
        total_count: 2,
        items: [
          { kind: 'file', document_id: fileIds[1], name: 'b.txt', step: 'PARSE' },
          { kind: 'file', document_id: fileIds[2], name: 'c.txt', step: 'PARSE' },
        ],
      },
    });
    expect(run.stage_seconds).toHaveProperty('embed');
    expect(await read('?limit=1&offset=1')).toMatchObject({
      failed: { total_count: 2, limit: 1, offset: 1, items: [{ name: 'c.txt' }] },
    });
  });

  it('is found only in its own pipeline', async () => {
    const { jobId, id } = await syncedPipeline();
    const other = await createPipeline();
    expect((await call('GET', `/api/v1/pipelines/${other}/jobs/${jobId}`)).status).toBe(404);
    expect((await call('GET', `/api/v1/pipelines/${id}/jobs/${crypto.randomUUID()}`)).status).toBe(404);
  });
});

describe('the syncs of a project', () => {
  it('are listed newest first, in pages, each once', async () => {
    const { key, ids } = await withRuns({ one: [10, 30, 50, 50], two: [20, 40, 50], none: [] });
    const read = async (query: string) =>
      (await call<Page>('GET', `/api/v1/pipeline-jobs?${query}`, { key })).body;
    const all = await read('');
    expect(all.total_size).toBe(7);
    expect(all.items.map((run) => Date.parse(run.started_at))).toEqual([50, 50, 50, 40, 30, 20, 10]);
    expect(all.items.at(-2)).toMatchObject({ pipeline_id: ids.two, pipeline_name: 'two' });
    const seen: string[] = [];
    for (let token: string | null = ''; token !== null; ) {
      const page: Page = await read(`page_size=2${token && `&page_token=${token}`}`);
      seen.push(...page.items.map((run) => run.id));
      token = page.next_page_token;
    }
    expect(seen).toEqual(all.items.map((run) => run.id));
    expect((await read(`pipeline_id=${ids.two}&page_size=1`)).total_size).toBe(3);
    const failed = await read('statuses=ERROR');
    expect(failed.items.map((run) => Date.parse(run.started_at))).toEqual([50, 40, 30]);
    expect(failed.total_size).toBe(3);
    const { key: stranger } = await createTenant();
    const theirs = await call<Page>('GET', `/api/v1/pipeline-jobs?pipeline_id=${ids.one}`, { key: stranger });
    expect(theirs.body).toMatchObject({ items: [], total_size: 0 });
  });
});

describe('pipelines with expanded status and counts', () => {
  it('include the newest sync and the number of files in each status', async () => {
    const { key, ids } = await withRuns({ one: [10, 30], two: [] });
    await env.DB.prepare(
      `insert into pipeline_members (id, pipeline_id, kind, document_id, text_id, content_hash, metadata,
         excluded_embed_metadata_keys, excluded_llm_metadata_keys, status)
       values ('t' || ?1, ?1, 'text', 'x', 'x', 'x', '{}', '[]', '[]', 'SUCCESS')`,
    )
      .bind(ids.one)
      .run();
    const list = await call<Record<string, unknown>[]>(
      'GET',
      '/api/v1/pipelines?expand=status&expand=counts',
      {
        key,
      },
    );
    const one = list.body.find(({ id }) => id === ids.one)!;
    expect(one).toMatchObject({
      ingestion: { status: 'ERROR', newest_job: { status: 'ERROR', reason: 'schedule' } },
      counts: { files: { SUCCESS: 0 }, documents: { SUCCESS: 1, ERROR: 0 } },
    });
    expect(list.body.find(({ id }) => id === ids.two)).toMatchObject({
      ingestion: { status: 'NOT_STARTED', newest_job: null },
      counts: { files: { SUCCESS: 0 }, documents: { SUCCESS: 0 } },
    });
    const plain = await call<Record<string, unknown>>('GET', `/api/v1/pipelines/${ids.one}`, { key });
    expect(plain.body).not.toHaveProperty('ingestion');
    expect(plain.body).not.toHaveProperty('counts');
  });

  it('count the files of a sync', async () => {
    const { id, jobId } = await syncedPipeline();
    const { body } = await call('GET', `/api/v1/pipelines/${id}?expand=counts&expand=status`);
    expect(body).toMatchObject({
      ingestion: { status: 'PARTIAL_SUCCESS', newest_job: { id: jobId } },
      counts: { files: { SUCCESS: 1, ERROR: 2, IN_PROGRESS: 0 }, documents: { SUCCESS: 0 } },
    });
  });
});
