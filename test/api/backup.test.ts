import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { dataSinks } from '#src/db/schema/index.ts';
import { sha256 } from '#src/lib/hash.ts';
import type { Row } from '#src/services/backup/restored-as.ts';
import { keyRingOf } from '#src/services/secrets/key-ring.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { BACKUP_KEY, begunRestore } from '#test/support/backups.ts';
import { BASE, call } from '#test/support/client.ts';
import { startWith } from '#test/support/configured.ts';
import { addFiles, createPipeline, retrieve, sync, untilFinished } from '#test/support/pipelines.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface Page {
  rows: Row[];
  unopened: { place: string }[];
  next_page_token: string | null;
}
interface Written {
  written: number;
  left_out: string[];
  unopened: { place: string }[];
}
interface Refusal {
  detail: { loc: unknown[]; msg: string }[] | string;
}

const ADMIN = '/api/v1/admin';
const OTHER_KEY = `k2:${'B'.repeat(43)}=`;
const SECRET = 'a secret of a sink';

const read = async (table: string, project: string, more: object = {}) =>
  (
    await call<Page>('POST', `${ADMIN}/backup/rows`, {
      body: { table, project, backup_key: BACKUP_KEY, ...more },
    })
  ).body;
const write = <Body = Written>(restore: string, table: string, rows: object[]) =>
  call<Body>('POST', `${ADMIN}/restores/${restore}/rows`, { body: { table, rows, backup_key: BACKUP_KEY } });

let owner: Tenant;
let stranger: Tenant;
beforeAll(async () => {
  owner = await createTenant();
  stranger = await createTenant();
});

const moment = 1_700_000_000_000;
const projectRow = (id: string): Row => ({
  id,
  organization_id: 'any',
  name: `restored ${id}`,
  is_default: 1,
  created_at: moment,
  updated_at: moment,
});

/** A restore of a project, with the project's own row. */
async function begun() {
  const order = await begunRestore();
  expect((await write(order.id, 'projects', [projectRow(order.project)])).body.written).toBe(1);
  return order;
}

const asked = (method: string, path: string, body: unknown) =>
  new Request(`${BASE}${path}`, {
    method,
    headers: { authorization: `Bearer ${env.BOOTSTRAP_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('secrets', () => {
  it('travel sealed, and are sealed with the key of where they come to', async () => {
    const body = { name: 'sink', sink_type: 'VENDOR_E', component: { api_key: SECRET, index_name: 'i' } };
    const { body: sink } = await call<{ id: string }>(
      'POST',
      `/api/v1/data-sinks?project_id=${owner.projectId}`,
      {
        key: owner.key,
        body,
      },
    );
    const { rows, unopened } = await read('data_sinks', owner.projectId);
    expect(unopened).toEqual([]);
    const text = JSON.stringify(rows);
    expect(text).toContain('sealed:v1:backup:');
    expect(text).not.toContain('sealed:v1:k1:');
    expect(text).not.toContain(SECRET);

    const order = await begun();
    const id = crypto.randomUUID();
    const ring = keyRingOf(BACKUP_KEY);
    const place = `${sealedPlaces.dataSink(id)}/api_key`;
    const component = JSON.stringify({
      api_key: await ring.seal(JSON.stringify(SECRET), place),
      index_name: 'i',
    });
    const row = { ...rows.find((each) => each.id === sink.id)!, id, project_id: order.project, component };
    const elsewhere = startWith({ ENCRYPTION_KEY: OTHER_KEY });
    const sent = { table: 'data_sinks', rows: [row], backup_key: BACKUP_KEY };
    const answer = await elsewhere(asked('POST', `${ADMIN}/restores/${order.id}/rows`, sent));
    expect(await answer.json()).toEqual({ written: 1, left_out: [], unopened: [] });
    const stored = await openDatabase(env.DB).query.dataSinks.findFirst({
      where: (table, { eq }) => eq(table.id, id),
    });
    const sealed = (stored!.component as { api_key: string }).api_key;
    expect(await keyRingOf(OTHER_KEY).open(sealed, place)).toBe(JSON.stringify(SECRET));
  });

  it('that no key opens are named, and handed on', async () => {
    const id = crypto.randomUUID();
    const lost = keyRingOf(`lost:${'C'.repeat(43)}=`);
    const component = { api_key: await lost.seal('"x"', `${sealedPlaces.dataSink(id)}/api_key`) };
    await openDatabase(env.DB)
      .insert(dataSinks)
      .values({ id, projectId: stranger.projectId, name: 'n', sinkType: 'VENDOR_E', component });
    const { rows, unopened } = await read('data_sinks', stranger.projectId);
    expect(unopened).toEqual([
      { place: sealedPlaces.dataSink(id), message: expect.stringContaining('lost') },
    ]);
    expect(rows).toHaveLength(1);
    await env.DB.prepare('delete from data_sinks where id = ?').bind(id).run();
  });

  it('need a key that is one', async () => {
    for (const backup_key of ['', 'k:short', `k1:${'D'.repeat(43)}=`]) {
      const body = { table: 'projects', backup_key };
      const answer = await call<Refusal>('POST', `${ADMIN}/backup/rows`, { body });
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body.detail)).toContain('backup_key');
    }
  });
});

describe('rows', () => {
  it('come in pages that lack nothing and repeat nothing', async () => {
    const { projectId, key } = await createTenant();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const body = { name: `p${n}` };
      ids.push((await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body })).body.id);
    }
    const found: unknown[] = [];
    let page_token: string | null = null;
    do {
      const page: Page = await read('pipelines', projectId, { page_size: 2, page_token });
      expect(page.rows.length).toBeLessThanOrEqual(2);
      found.push(...page.rows.map(({ id }) => id));
      page_token = page.next_page_token;
    } while (page_token);
    expect(found).toEqual(ids.toSorted());
  });

  it('of two million bytes are one to a page', async () => {
    const { projectId } = await createTenant();
    const db = openDatabase(env.DB);
    for (const name of ['a', 'b', 'c']) {
      const component = { text: 'x'.repeat(900_000) };
      await db
        .insert(dataSinks)
        .values({ id: crypto.randomUUID(), projectId, name, sinkType: 'VENDOR_E', component });
    }
    const first = await read('data_sinks', projectId);
    expect(first.rows).toHaveLength(2);
    const second = await read('data_sinks', projectId, { page_token: first.next_page_token });
    expect(second.rows).toHaveLength(1);
    expect(second.next_page_token).toBeNull();
  });

  it('are written once, however often they are sent', async () => {
    const { id, project } = await begun();
    const row = { ...projectRow(project), id: crypto.randomUUID() };
    const retriever = { id: row.id, project_id: project, name: 'r', pipelines: '[]' };
    for (let time = 0; time < 2; time += 1) {
      expect((await write(id, 'retrievers', [retriever])).body).toEqual({
        written: 1,
        left_out: [],
        unopened: [],
      });
    }
    const count = await env.DB.prepare('select count(*) as n from retrievers where id = ?')
      .bind(row.id)
      .first();
    expect(count?.n).toBe(1);
    // What the backup did not have is as it is made.
    expect(
      await env.DB.prepare('select created_at from retrievers where id = ?').bind(row.id).first('created_at'),
    ).toBeGreaterThan(moment);
  });

  it('of what was deleted meanwhile are left out, and named', async () => {
    const { id } = await begun();
    const row = {
      id: crypto.randomUUID(),
      session_id: crypto.randomUUID(),
      position: 0,
      role: 'user',
      created_at: moment,
    };
    const { body } = await write(id, 'chat_messages', [row]);
    expect(body).toMatchObject({ written: 0, left_out: [row.id] });
  });
});

describe('a project’s backup is refused', () => {
  const refused = async (table: string, row: (project: string) => Row, says: string) => {
    const { id, project } = await begun();
    const answer = await write<Refusal>(id, table, [row(project)]);
    expect(answer.status, JSON.stringify(answer.body)).toBe(422);
    expect(JSON.stringify(answer.body.detail)).toContain(says);
  };
  const pipeline = async () =>
    (
      await call<{ id: string }>('POST', '/api/v1/pipelines', {
        key: stranger.key,
        body: { name: crypto.randomUUID() },
      })
    ).body.id;
  const retriever = (project_id: string): Row => ({
    id: crypto.randomUUID(),
    project_id,
    name: 'r',
    pipelines: '[]',
  });

  it('with a row of another project', () =>
    refused('retrievers', () => retriever(stranger.projectId), `${stranger.projectId} is another project`));

  it('with another project’s own row', () =>
    refused('projects', () => projectRow(stranger.projectId), `${stranger.projectId} is another project`));

  it('with the id of another project’s thing', async () => {
    const id = await pipeline();
    await refused(
      'pipelines',
      (project_id) => ({
        id,
        project_id,
        name: 'p',
        embedding_config: '{}',
        transform_config: '{}',
        parse_parameters: '{}',
        preset_retrieval_parameters: '{}',
        embedding_config_hash: '',
        parsing_config_hash: '',
        transform_config_hash: '',
      }),
      `pipelines/${id} belongs to another project`,
    );
  });

  it('where a row belongs to another project’s thing', async () => {
    const pipeline_id = await pipeline();
    const run = {
      id: crypto.randomUUID(),
      pipeline_id,
      generation: 1,
      status: 'SUCCESS',
      reason: 'request',
      counters: '{}',
      started_at: moment,
    };
    await refused('sync_runs', () => run, `pipelines/${pipeline_id} belongs to another project`);
  });

  it('where a conversation is with another project’s pipeline', async () => {
    const pipeline_id = await pipeline();
    const session = { id: crypto.randomUUID(), pipeline_id, retriever_id: null, user_id: stranger.userId };
    const ids = { llm_params_id: crypto.randomUUID(), retrieval_params_id: crypto.randomUUID() };
    await refused(
      'chat_sessions',
      () => ({ ...session, ...ids }),
      `pipelines/${pipeline_id} belongs to another`,
    );
    const columns = 'id, pipeline_id, user_id, llm_params_id, retrieval_params_id';
    await env.DB.prepare(`insert into chat_sessions (${columns}) values (?, ?, ?, '', '')`)
      .bind(session.id, pipeline_id, stranger.userId)
      .run();
    // With a retriever of its own, so that the session's lack of one is no plain no.
    const { id, project } = await begun();
    await write(id, 'retrievers', [retriever(project)]);
    const message = { id: crypto.randomUUID(), session_id: session.id, position: 0, role: 'user' };
    const answer = await write<Refusal>(id, 'chat_messages', [message]);
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body.detail)).toContain(`chat_sessions/${session.id} belongs to another`);
  });

  it('where a job names another project’s file', async () => {
    const file = crypto.randomUUID();
    await env.DB.prepare('insert into files (id, project_id, name) values (?, ?, ?)')
      .bind(file, stranger.projectId, 'f')
      .run();
    const job = (project_id: string): Row => ({
      id: `pjb-${crypto.randomUUID()}`,
      project_id,
      user_id: 'u',
      file_input: file,
      file_id: file,
      document_input_type: 'file_id',
      configuration: '{}',
    });
    await refused('parse_jobs', job, `files/${file} belongs to another project`);
  });

  it('where a file’s bytes are another project’s', async () => {
    const storage_key = `projects/${stranger.projectId}/files/a/b`;
    const file = (project_id: string): Row => ({
      id: crypto.randomUUID(),
      project_id,
      name: 'f',
      storage_key,
    });
    await refused('files', file, `keeps nothing at ${storage_key}`);
  });

  it('with columns and tables that are none of its', async () => {
    await refused('retrievers', (project) => ({ ...retriever(project), extra: 1 }), 'has no such column');
    await refused('retrievers', (project) => ({ ...retriever(project), name: null }), 'retrievers needs it');
    await refused('api_keys', () => ({ id: 'a' }), 'has no table api_keys');
  });
});

describe('bytes', () => {
  const put = (order: { id: string }, key: string, bytes: string, hash: string, more = '') =>
    call<Refusal>(
      'PUT',
      `${ADMIN}/restores/${order.id}/object?key=${encodeURIComponent(key)}&sha256=${hash}${more}`,
      {
        raw: new TextEncoder().encode(bytes),
        headers: { 'content-type': 'application/octet-stream' },
      },
    );

  it('come with all that is said of them', async () => {
    const at = `projects/${owner.projectId}/files/a/b`;
    const options = {
      httpMetadata: { contentType: 'image/png' },
      customMetadata: { width: '12', note: 'Größe' },
    };
    await env.FILES.put(at, 'bytes', options);
    const listed = await call<{ objects: { key: string; metadata: string }[] }>(
      'GET',
      `${ADMIN}/backup/objects?project=${owner.projectId}`,
    );
    const { metadata } = listed.body.objects.find(({ key }) => key === at)!;
    const order = await begunRestore();
    const key = `projects/${order.project}/files/a/b`;
    expect((await put(order, key, 'bytes', await sha256('bytes'), `&metadata=${metadata}`)).status).toBe(200);
    const object = await env.FILES.head(key);
    expect(object?.httpMetadata).toMatchObject(options.httpMetadata);
    expect(object?.customMetadata).toEqual(options.customMetadata);
  });

  it('in pieces are put together', async () => {
    const order = await begunRestore();
    const key = `projects/${order.project}/files/a/b`;
    const hash = await sha256('one two three');
    const pieces = ['one ', 'two ', 'three'];
    expect((await put(order, key, 'three', hash, '&piece=3&pieces=3')).status).toBe(409);
    for (const [at, piece] of pieces.entries()) {
      expect((await put(order, key, piece, hash, `&piece=${at + 1}&pieces=3`)).status).toBe(200);
    }
    expect(await (await env.FILES.get(key))?.text()).toBe('one two three');
    expect((await env.FILES.list({ prefix: `restores/${order.id}/pieces` })).objects).toEqual([]);
  });

  it('that are others are refused, and leave nothing', async () => {
    const order = await begunRestore();
    const key = `projects/${order.project}/files/a/b`;
    const answer = await put(order, key, 'changed', await sha256('bytes'));
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain('another hash');
    expect(await env.FILES.head(key)).toBeNull();
  });

  it('have no place outside of their project', async () => {
    const order = await begunRestore();
    const hash = await sha256('x');
    const own = `projects/${order.project}`;
    for (const key of [
      `projects/${stranger.projectId}/files/a/b`,
      `${own}/../${stranger.projectId}/files/a`,
      `${own}/./a`,
      `${own}//a`,
      `${own}/`,
      `${own}/a\u0000b`,
      `${own}/${'a'.repeat(1024)}`,
      'restores/order.json',
      '../a',
      '',
    ]) {
      expect((await put(order, key, 'x', hash)).status, key).toBe(422);
    }
    const read = await call(
      'GET',
      `${ADMIN}/backup/object?key=${encodeURIComponent(`restores/${order.id}/order.json`)}`,
    );
    expect(read.status).toBe(422);
  });
});

describe('work that was under way', () => {
  const job = (project_id: string, status: string): Row => ({
    id: `pjb-${crypto.randomUUID()}`,
    project_id,
    user_id: 'u',
    status,
    file_input: 'gone',
    document_input_type: 'file_id',
    configuration: '{}',
    attempt: 3,
    started_at: moment,
    created_at: moment,
    updated_at: moment,
  });
  const stored = (table: string, id: unknown) =>
    env.DB.prepare(`select * from ${table} where id = ?`).bind(id).first();

  it('is as a restart would have it', async () => {
    const { id, project } = await begun();
    const pipeline_id = crypto.randomUUID();
    const configs = [
      'embedding_config',
      'transform_config',
      'parse_parameters',
      'preset_retrieval_parameters',
    ];
    const hashes = ['embedding_config_hash', 'parsing_config_hash', 'transform_config_hash'];
    const pipeline = {
      ...Object.fromEntries([...configs.map((name) => [name, '{}']), ...hashes.map((name) => [name, ''])]),
      id: pipeline_id,
      project_id: project,
      name: 'p',
    };
    await write(id, 'pipelines', [pipeline]);
    const file = { id: crypto.randomUUID(), project_id: project, name: 'f' };
    await write(id, 'files', [file]);
    const member = {
      id: crypto.randomUUID(),
      pipeline_id,
      kind: 'file',
      document_id: file.id,
      file_id: file.id,
    };
    await write(id, 'pipeline_members', [{ ...member, status: 'SUCCESS', job_id: 'j', chunk_count: 4 }]);
    const run = {
      id: crypto.randomUUID(),
      pipeline_id,
      generation: 7,
      status: 'IN_PROGRESS',
      reason: 'request',
    };
    await write(id, 'sync_runs', [{ ...run, counters: '{}', started_at: moment, finished_at: null }]);
    const [open, over] = [job(project, 'RUNNING'), job(project, 'FAILED')];
    await write(id, 'parse_jobs', [open, over]);
    const delivery = {
      id: crypto.randomUUID(),
      project_id: project,
      job_id: 'j',
      event_id: 'e',
      endpoint: 'e',
    };
    const event = { sequence: 1, event_type: 't', configuration: '{}', body: '{}', status: 'pending' };
    await write(id, 'webhook_deliveries', [{ ...delivery, ...event, next_attempt_at: moment }]);

    expect(await stored('pipeline_members', member.id)).toMatchObject({
      status: 'NOT_STARTED',
      job_id: null,
      chunk_count: null,
    });
    expect(await stored('sync_runs', run.id)).toMatchObject({
      status: 'CANCELLED',
      finished_at: expect.any(Number),
    });
    expect(await stored('parse_jobs', open.id)).toMatchObject({
      status: 'PENDING',
      attempt: 0,
      started_at: null,
    });
    expect(await stored('parse_jobs', over.id)).toMatchObject({
      status: 'FAILED',
      attempt: 3,
      started_at: moment,
    });
    expect(await stored('webhook_deliveries', delivery.id)).toMatchObject({
      status: 'dead',
      next_attempt_at: null,
    });

    const step = (page_token: string | null) =>
      call<{ syncs: number; jobs: number; next_page_token: string | null }>(
        'POST',
        `${ADMIN}/restores/${id}/finish`,
        { body: { page_token } },
      );
    const total = { syncs: 0, jobs: 0 };
    let token: string | null = null;
    do {
      const { body } = await step(token);
      total.syncs += body.syncs;
      total.jobs += body.jobs;
      token = body.next_page_token;
    } while (token);
    expect(total).toEqual({ syncs: 1, jobs: 1 });
    // Its history goes on: the newest run is the one that tells how the pipeline is.
    const newest = await env.DB.prepare('select max(generation) as n from sync_runs where pipeline_id = ?')
      .bind(pipeline_id)
      .first('n');
    expect(newest).toBe(8);
    expect((await step(null)).status).toBe(404);
    expect((await env.FILES.list({ prefix: `restores/${id}/` })).objects).toEqual([]);
  });

  it('is ended where the restore is to hold', async () => {
    const project = crypto.randomUUID();
    const body = { backup_id: crypto.randomUUID(), project, hold: true };
    await call('POST', `${ADMIN}/restores`, { body });
    await write(body.backup_id, 'projects', [projectRow(project)]);
    const open = job(project, 'PENDING');
    await write(body.backup_id, 'parse_jobs', [open]);
    expect(await stored('parse_jobs', open.id)).toMatchObject({
      status: 'CANCELLED',
      finished_at: expect.any(Number),
    });
  });
});

describe('after the database has gone back in time', () => {
  it('an index that is disowned is made anew, and answers until then', async () => {
    const id = await createPipeline();
    await addFiles(id, { 'a.md': '# Harbour\n\nIgnatius keeps the lighthouse.' });
    await untilFinished(id);
    const indexes = async () =>
      (
        await env.DB.prepare("select id from pipeline_indexes where pipeline_id = ? and state = 'live'")
          .bind(id)
          .all<{ id: string }>()
      ).results.map((row) => row.id);
    const before = await indexes();
    await env.DB.prepare("update pipeline_indexes set config_hash = '' where pipeline_id = ?").bind(id).run();
    expect((await retrieve(id, 'lighthouse')).length).toBeGreaterThan(0);
    await sync(id);
    const after = await indexes();
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    expect((await retrieve(id, 'lighthouse')).length).toBeGreaterThan(0);
  });
});

describe('a restore', () => {
  it('is refused where something is, which is named', async () => {
    const { projectId, key } = await createTenant();
    await call('POST', '/api/v1/pipelines', { key, body: { name: 'there' } });
    for (const project of [projectId, null]) {
      const body = { backup_id: crypto.randomUUID(), project };
      const answer = await call<Refusal>('POST', `${ADMIN}/restores`, { body });
      expect(answer.status).toBe(409);
      expect(answer.body.detail).toMatch(/\d+ pipelines/);
    }
    expect((await write(crypto.randomUUID(), 'projects', [])).status).toBe(404);
  });

  it('goes on as what it was begun as', async () => {
    const { id, project } = await begun();
    const again = (more: object) =>
      call<{ resumed: boolean }>('POST', `${ADMIN}/restores`, { body: { backup_id: id, ...more } });
    expect((await again({ project })).body.resumed).toBe(true);
    const other = await again({});
    expect(other.status).toBe(409);
    expect(JSON.stringify(other.body)).toContain('about something else');
  });

  it('puts a project where it is told to, under a name that is free', async () => {
    const project = crypto.randomUUID();
    const body = { backup_id: crypto.randomUUID(), project, organization: stranger.organizationId };
    expect((await call('POST', `${ADMIN}/restores`, { body })).status).toBe(200);
    const taken = await write<Refusal>(body.backup_id, 'projects', [
      { ...projectRow(project), name: 'Default' },
    ]);
    expect(taken.status).toBe(409);
    expect(taken.body.detail).toContain('projects.name');
    await write(body.backup_id, 'projects', [projectRow(project)]);
    const row = await env.DB.prepare('select * from projects where id = ?').bind(project).first();
    expect(row).toMatchObject({ organization_id: stranger.organizationId, is_default: 0 });
    const nowhere = {
      ...body,
      backup_id: crypto.randomUUID(),
      project: crypto.randomUUID(),
      organization: crypto.randomUUID(),
    };
    expect((await call('POST', `${ADMIN}/restores`, { body: nowhere })).status).toBe(404);
  });

  it('tells of what of a project refers to another', async () => {
    const { projectId, organizationId } = await createTenant();
    const other = crypto.randomUUID();
    await env.DB.prepare("insert into projects (id, organization_id, name) values (?, ?, 'other')")
      .bind(other, organizationId)
      .run();
    const sink = crypto.randomUUID();
    await openDatabase(env.DB)
      .insert(dataSinks)
      .values({ id: sink, projectId: other, name: 'n', sinkType: 'VENDOR_E', component: {} });
    const pipeline = crypto.randomUUID();
    await env.DB.prepare(
      `insert into pipelines (id, project_id, name, embedding_config, transform_config, parse_parameters,
         preset_retrieval_parameters, embedding_config_hash, parsing_config_hash, transform_config_hash, data_sink_id)
       values (?, ?, 'p', '{}', '{}', '{}', '{}', '', '', '', ?)`,
    )
      .bind(pipeline, projectId, sink)
      .run();
    const { body } = await call<{ outside: object[] }>('GET', `${ADMIN}/backup?project=${projectId}`);
    expect(body.outside).toEqual([{ place: `pipelines/${pipeline}`, reference: `data_sinks/${sink}` }]);
    await env.DB.prepare('delete from pipelines where id = ?').bind(pipeline).run();
  });
});
