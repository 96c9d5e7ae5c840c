import { listDurableObjectIds, runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { createVersionLedger } from '#src/services/indexes/version-ledger.ts';
import { createFileBatch } from '#test/suites/openai-operation-inputs.ts';
import { createFixtures } from '#test/suites/operation-inputs.ts';
import { call, upload } from '#test/support/client.ts';
import { expectNothingLeft, left, type Made, manyPages, newProject } from '#test/support/deleted-projects.ts';
import { untilEnded } from '#test/support/jobs.ts';
import { clearLeftoversNow, everythingKept, TABLES, untilParserIsIdle } from '#test/support/kept.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

/** Tables whose rows do not belong to a project. */
const OF_NO_PROJECT = [
  ...['organizations', 'users', 'members', 'bootstraps', 'dead_letters'],
  ...['invitations', 'identities', 'identity_sessions', 'audit_events'],
];

/** Records a version as if the store of the pipeline's index carried the whole search. */
async function publishInLedger(pipelineId: string): Promise<void> {
  const select = env.DB.prepare('select id from pipeline_indexes where pipeline_id = ?').bind(pipelineId);
  const index = (await select.first<{ id: string }>())!;
  const ledger = createVersionLedger({ db: openDatabase(env.DB) }, index.id);
  await ledger.open(['a document']);
  const languages = new Map([['en', { chunks: 1, words: 3 }]]);
  const content = { chunks: 1, bytes: 20, languages, hasEarlier: false };
  await ledger.publish([{ documentId: 'a document', version: 1, ...content }]);
}

/** Creates something in every table, every folder of the bucket and every kind of Durable Object. */
async function fill(tenant: Tenant, { id, make, key }: Made): Promise<void> {
  await call('POST', '/api/v1/session', { key: null, body: { api_key: key } });
  const limited = { name: 'limited', limits: { files: 1_000, pages_per_day: 10_000 } };
  expect((await call('PUT', `/api/v1/projects/${id}`, { key: tenant.key, body: limited })).status).toBe(200);
  const { pipeline_id } = await make.pipelineNode();
  await publishInLedger(pipeline_id);
  const long = { id: 'long', text: 'A long text about oranges. '.repeat(9_000), metadata: {} };
  await make.create('POST', `/api/v1/pipelines/${pipeline_id}/documents`, [long]);
  const figure = await make.figure();
  const paths = ['page_screenshots/0', `page-figures/0/${figure.figure_name}`];
  for (const path of paths) {
    expect((await call('GET', `/api/v1/files/${figure.id}/${path}`, { key })).status).toBe(200);
  }
  await make.create('PUT', `/api/v1/pipelines/${pipeline_id}/files`, [{ file_id: figure.id }]);
  await make.create('PATCH', `/api/v2/files/${figure.id}`, { folder: 'figures', tags: ['oranges'] });
  const preset = { name: 'Words first', parameters: { alpha: 0 } };
  await make.create('POST', `/api/v2/pipelines/${pipeline_id}/retrieval-presets`, preset);
  await make.dataSink();
  await make.pipelineSource();
  await make.embeddingModelConfig();
  await make.configuration();
  await make.connectedApplication();
  const retriever = await make.retriever();
  await make.create('POST', `/api/v1/retrievers/${retriever}/chat-sessions`);
  const question = { messages: [{ role: 'user', content: 'What does marmalade need?' }], id: 'a chat' };
  expect((await call('POST', `/api/v1/pipelines/${pipeline_id}/chat`, { key, body: question })).status).toBe(
    200,
  );
  await make.delivery();
  const parse = await make.completedParse();
  for (const kind of ['extract', 'classify'] as const) {
    const { job_id } = await make.job(kind);
    await untilEnded(kind, job_id, key);
    const corrections = kind === 'extract' ? {} : null;
    await make.create('PUT', `/api/v2/${kind}/${job_id}/review`, {
      revision: 0,
      approved: true,
      corrections,
    });
  }
  await untilEnded('split', (await make.job('split')).job_id, key);
  await make.sheetsRegion();
  await make.batch();
  await make.agentData();
  const { directory_id: source_directory_id } = await make.directoryFile();
  await make.create('POST', '/compat/api/v1/indexes', { source_directory_id });
  const { session_id } = await make.create<{ session_id: string }>('POST', '/compat/api/v1/chat', {});
  const asked = { index_ids: [pipeline_id], prompt: 'What does marmalade need?' };
  const stream = `/compat/api/v1/chat/${session_id}/messages/stream`;
  expect((await call('POST', stream, { key, body: asked })).status).toBe(200);
  await make.evaluationRun();
  await make.scheduledSet();
  await make.sweep();
  await make.accuracyRun();
  // This job has not started when the project is deleted.
  await make.job('extract');
  const settings = { models: {}, daily_tokens: 5_000 };
  const path = `/api/v1/projects/${id}/model-settings`;
  expect((await call('PUT', path, { key: tenant.key, body: settings })).status).toBe(200);
  await call('GET', `/api/v2/parse/${parse.job_id}?expand=items`, { key });
  await make.create('POST', `/api/v1/pipelines/${pipeline_id}/sync`);
  await env.DB.prepare("insert into model_usage values (?, '2026-01-01', 'chat', 'm', 1, 0, 1, 1, 0, 1)")
    .bind(id)
    .run();
  await env.DB.batch([
    env.DB.prepare('insert into trace_settings values (?, 1, 30, 1, null, 0)').bind(id),
    env.DB.prepare(
      "insert into traces (id, project_id, pipeline_id, kind) values (?, ?, ?, 'retrieval')",
    ).bind(crypto.randomUUID(), id, pipeline_id),
    env.DB.prepare(
      `insert into stored_responses (id, project_id, pipeline_id, user_id, input, response, passages)
        values (?, ?, ?, ?, '[]', '{}', '[]')`,
    ).bind(crypto.randomUUID(), id, pipeline_id, tenant.userId),
  ]);
  await createFileBatch(make, pipeline_id);
}

const countRows = (lines: string[], table: string) =>
  lines.filter((line) => line.startsWith(`row ${table} `)).length;

/** Runs the alarms of the shards, which purge removed chunks. */
async function shardsKeepUp(): Promise<void> {
  for (const id of await listDurableObjectIds(env.SEARCH_SHARD)) {
    await runDurableObjectAlarm(env.SEARCH_SHARD.get(id));
  }
}

/** Returns the ids of the shards of a pipeline. Syncs of tests that have ended may still fill shards of others. */
async function listShards(pipeline: string): Promise<string[]> {
  const { results } = await env.DB.prepare('select id, shards from pipeline_indexes where pipeline_id = ?')
    .bind(pipeline)
    .all<{ id: string; shards: number }>();
  expect(results).not.toEqual([]);
  return results.flatMap(({ id, shards }) =>
    Array.from({ length: shards }, (_, shard) => env.SEARCH_SHARD.idFromName(`${id}/${shard}`).toString()),
  );
}

/** Returns the state once no work of the pipeline is left. */
async function settled(key: string, pipeline: string): Promise<string[]> {
  await call('POST', `/api/v1/pipelines/${pipeline}/sync`, { key });
  await expect
    .poll(
      async () =>
        (await call<{ status: string }>('GET', `/api/v1/pipelines/${pipeline}/status`, { key })).body.status,
      { timeout: PATIENCE_MS },
    )
    .toBe('SUCCESS');
  return untilNothingChanges();
}

/** Pause in milliseconds between two looks at the state, which other work would change meanwhile. */
const PAUSE_MS = 700;

/**
 * Returns the state once two looks show the same. Syncs of tests that have ended go on in the same runtime, and what
 * they write would look like something that the deletion left.
 */
async function untilNothingChanges(): Promise<string[]> {
  await untilParserIsIdle();
  let state = await everythingKept();
  await expect
    .poll(
      async () => {
        const before = state;
        state = await everythingKept();
        return before.join('\n') === state.join('\n');
      },
      { timeout: PATIENCE_MS, interval: PAUSE_MS },
    )
    .toBe(true);
  return state;
}

describe('a deleted project', () => {
  it('leaves no row, no bytes and no Durable Object', async () => {
    const tenant = await createTenant();
    const before = await everythingKept();
    const project = await newProject(tenant);
    await fill(tenant, project);
    const full = await everythingKept();
    const owned = TABLES.filter((table) => !OF_NO_PROJECT.includes(table));
    expect(owned.filter((table) => countRows(full, table) <= countRows(before, table))).toEqual([]);
    for (const folder of ['files', 'parsed', 'pipelines']) {
      expect(full.some((line) => line.startsWith(`key projects/${project.id}/${folder}/`))).toBe(true);
    }
    const answer = await call('DELETE', `/api/v1/projects/${project.id}`, { key: tenant.key });
    expect(answer.status).toBe(204);
    await expectNothingLeft(before, [project]);
  });
});

describe('in a project that stays', () => {
  it('a deleted file leaves nothing, even if it is deleted during its sync', async () => {
    const tenant = await createTenant();
    const project = { id: tenant.projectId, key: tenant.key, make: createFixtures(tenant) };
    const pipeline = await project.make.pipeline();
    const path = `/api/v1/pipelines/${pipeline}/files`;
    const before = await settled(tenant.key, pipeline);
    for (const wait of [0, 50, 200, 800]) {
      const id = await upload('pages.pdf', manyPages(wait), tenant);
      await project.make.create('PUT', path, [{ file_id: id }]);
      await new Promise((resolve) => setTimeout(resolve, wait));
      await call('GET', `/api/v1/files/${id}/page_screenshots/0`, { key: tenant.key });
      expect((await call('DELETE', `/api/v1/files/${id}`, { key: tenant.key })).status).toBe(204);
    }
    await settled(tenant.key, pipeline);
    // The parser writes pages of a deleted file until it notices the deletion. They are removed afterwards.
    await untilParserIsIdle();
    // Runs and daily counts are kept, and the items of the last run by their ids. A shard keeps the numbers
    // of removed chunks and their words until it merges its postings; see docs/explanation/security-model.md.
    const isHistory =
      /^row (sync_runs|daily_activity|pipeline_indexes) |PIPELINE_SYNC \w+ table (item|memo) |SEARCH_SHARD \w+ table (setting|language|recent_batch|retired|tombstone) /;
    const own = await listShards(pipeline);
    expect((await everythingKept()).some((line) => own.some((id) => line.includes(id)))).toBe(true);
    const isOther = (line: string) =>
      line.startsWith('object SEARCH_SHARD ') && !own.some((id) => line.includes(id));
    await expect
      .poll(
        async () => {
          await clearLeftoversNow(project.id);
          await shardsKeepUp();
          return (await left(before)).filter((line) => !isHistory.test(line) && !isOther(line));
        },
        { timeout: PATIENCE_MS, interval: 500 },
      )
      .toEqual([]);
  });

  it('a deleted pipeline leaves only its files', async () => {
    const tenant = await createTenant();
    const make = createFixtures(tenant);
    const ids = [await make.file(), await make.illustrated()];
    const before = await everythingKept();
    for (const wait of [0, 100, 500]) {
      const pipeline = await make.pipeline();
      const files = ids.map((file_id) => ({ file_id }));
      await make.create('PUT', `/api/v1/pipelines/${pipeline}/files`, files);
      await new Promise((resolve) => setTimeout(resolve, wait));
      expect((await call('DELETE', `/api/v1/pipelines/${pipeline}`, { key: tenant.key })).status).toBe(204);
    }
    const ofFiles = /^key projects\/[^/]+\/parsed\/|^row (daily_activity|parses) /;
    await expect
      .poll(async () => (await left(before)).filter((line) => !ofFiles.test(line)), {
        timeout: PATIENCE_MS,
        interval: 1_000,
      })
      .toEqual([]);
  });
});
