import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { createContext } from '#src/context/context.ts';
import { projects } from '#src/db/schema/index.ts';
import { eraseProjects } from '#src/services/organizations/erase-project.ts';
import { findKeyActor } from '#src/services/tenancy/api-keys.ts';
import { resolveScope } from '#src/services/tenancy/request-scope.ts';
import { createFixtures } from '#test/suites/operation-inputs.ts';
import { begunRestore, finishRestore, projectRow, writeRows } from '#test/support/backups.ts';
import { call, upload } from '#test/support/client.ts';
import { clearLeftoversNow } from '#test/support/kept.ts';
import { keptBy, NOTHING } from '#test/support/objects.ts';
import { createTenant } from '#test/support/tenants.ts';

const MINUTE = 60_000;
const getIntake = (projectId: string) => env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(projectId));
const keysUnder = async (prefix: string) =>
  (await env.FILES.list({ prefix })).objects.map(({ key }) => key.slice(prefix.length));
const listLeftovers = (projectId: string) =>
  runInDurableObject(getIntake(projectId), (_, { storage }) =>
    storage.sql.exec<{ prefix: string; at: number }>('select * from leftovers order by prefix, at').toArray(),
  );

interface Row {
  content_hash: string;
  storage_key: string;
}
const readFileRow = (id: string) =>
  env.DB.prepare('select content_hash, storage_key from files where id = ?').bind(id).first<Row>();

describe('leftovers', () => {
  it('of a deleted file are removed after fifteen minutes, and other files keep their objects', async () => {
    const { key, projectId } = await createTenant();
    const [gone, kept] = [
      await upload('a.txt', 'Of one.', { key }),
      await upload('b.txt', 'Of two.', { key }),
    ];
    const [old, own] = [(await readFileRow(gone))!, (await readFileRow(kept))!];
    const before = Date.now();
    expect((await call('DELETE', `/api/v1/files/${gone}`, { key })).status).toBe(204);
    // Simulates an upload, a parse and a read that were in progress.
    const parsed = keys.parsedFile(projectId, old.content_hash);
    await env.FILES.put(`${parsed}pages/x/summary.json`, '{}');
    await env.FILES.put(`${keys.uploads(projectId, gone)}late`, 'late');
    await env.DB.prepare(
      `insert into parses (id, project_id, content_hash, config_hash, kind, page_count, metadata)
       values (?, ?, ?, '', 'text', 1, '{}')`,
    )
      .bind(crypto.randomUUID(), projectId, old.content_hash)
      .run();
    const others = `${keys.parsedFile(projectId, own.content_hash)}pages/x/summary.json`;
    await env.FILES.put(others, '{}');
    const moments = await listLeftovers(projectId);
    expect(moments.map(({ prefix }) => prefix)).toEqual([keys.uploads(projectId, gone), parsed]);
    for (const { at } of moments) {
      expect(at).toBeGreaterThanOrEqual(before + 15 * MINUTE);
      expect(at).toBeLessThanOrEqual(Date.now() + 15 * MINUTE);
    }
    await clearLeftoversNow(projectId);
    expect(await keysUnder(parsed)).toEqual([]);
    expect(await keysUnder(keys.uploads(projectId, gone))).toEqual([]);
    const count = env.DB.prepare('select count(*) as n from parses where project_id = ?').bind(projectId);
    expect(await count.first('n')).toBe(0);
    expect(await env.FILES.head(others)).not.toBeNull();
    expect(await env.FILES.head(own.storage_key)).not.toBeNull();
    expect(await listLeftovers(projectId)).toEqual([]);
  });

  it('are not removed if another file has the same content', async () => {
    const { key, projectId } = await createTenant();
    const gone = await upload('a.txt', 'The same.', { key });
    const { content_hash } = (await readFileRow(gone))!;
    await call('DELETE', `/api/v1/files/${gone}`, { key });
    await upload('b.txt', 'The same.', { key });
    const page = `${keys.parsedFile(projectId, content_hash)}pages/x/000000.json`;
    await env.FILES.put(page, '{}');
    await clearLeftoversNow(projectId);
    expect(await env.FILES.head(page)).not.toBeNull();
  });

  it('of a direct upload to the bucket are removed once the upload URL has expired', async () => {
    const { key, projectId } = await createTenant();
    const id = await upload('a.txt', 'A text.', { key });
    const until = Date.now() + 5 * 60 * MINUTE;
    const pending = `${keys.uploads(projectId, id)}pending`;
    await env.DB.prepare('update files set pending_key = ?, pending_until = ? where id = ?')
      .bind(pending, until, id)
      .run();
    await call('DELETE', `/api/v1/files/${id}`, { key });
    const moments = await listLeftovers(projectId);
    const ofUploads = moments.filter(({ prefix }) => prefix === keys.uploads(projectId, id));
    expect(ofUploads.map(({ at }) => at)).toContain(until + MINUTE);
  });

  it('of a deleted project include dead letters, and those of other projects stay', async () => {
    const { key } = await createTenant();
    const make = createFixtures(await createTenant());
    const { body } = await call<{ id: string }>('POST', '/api/v1/projects', {
      key,
      body: { name: 'Doomed' },
    });
    const letters = {
      'of its pipeline': { type: 'ingest-file', pipelineId: crypto.randomUUID() },
      'of its job': { type: 'parse', jobId: `pjb-${crypto.randomUUID()}`, projectId: body.id },
      'of another release': { type: 'reindex-shard', pipelineId: crypto.randomUUID() },
      'of another pipeline': { type: 'sync-pipeline', pipelineId: await make.pipeline() },
      'of another job': { type: 'extract', jobId: (await make.job('extract')).job_id },
    };
    for (const [id, message] of Object.entries(letters)) {
      await env.DB.prepare('insert into dead_letters (id, type, message) values (?, ?, ?)')
        .bind(id, message.type, JSON.stringify(message))
        .run();
    }
    await call('DELETE', `/api/v1/projects/${body.id}`, { key });
    await clearLeftoversNow(body.id);
    const left = await env.DB.prepare('select id from dead_letters order by id').all<{ id: string }>();
    expect(left.results.map(({ id }) => id)).toEqual([
      'of another job',
      'of another pipeline',
      'of another release',
    ]);
  });

  it('of a deleted project are not removed during its restore, nor afterwards if its rows refer to them', async () => {
    const { key } = await createTenant();
    const { body } = await call<{ id: string }>('POST', '/api/v1/projects', {
      key,
      body: { name: 'Doomed' },
    });
    const project = body.id;
    await call('DELETE', `/api/v1/projects/${project}`, { key });
    const { id } = await begunRestore(project);
    const [file, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const [own, orphan] = [keys.upload(project, file, 'a'), keys.upload(project, other, 'a')];
    for (const place of [own, orphan]) await env.FILES.put(place, 'bytes');
    await clearLeftoversNow(project);
    expect(await env.FILES.head(own)).not.toBeNull();
    const [again] = await listLeftovers(project);
    expect(Math.round((again!.at - Date.now()) / MINUTE)).toBe(5);
    await writeRows(id, 'projects', [projectRow(project)]);
    await writeRows(id, 'files', [{ id: file, project_id: project, name: 'f', storage_key: own }]);
    await finishRestore(id);
    await clearLeftoversNow(project);
    expect(await keysUnder(keys.project(project))).toEqual([`files/${file}/a`]);
  });

  it('of a file are removed after its upload URL has expired, even if the project was deleted', async () => {
    const { key } = await createTenant();
    const { body } = await call<{ id: string }>('POST', '/api/v1/projects', {
      key,
      body: { name: 'Doomed' },
    });
    const query = `?project_id=${body.id}`;
    const ends = [5, 7].map((hours) => Date.now() + hours * 60 * MINUTE);
    const ids: string[] = [];
    for (const until of ends) {
      const id = await upload('a.txt', `A text until ${until}.`, { key, query });
      await env.DB.prepare('update files set pending_key = ?, pending_until = ? where id = ?')
        .bind(`${keys.uploads(body.id, id)}pending`, until, id)
        .run();
      ids.push(id);
    }
    expect((await call('DELETE', `/api/v1/files/${ids[0]}`, { key })).status).toBe(204);
    const ctx = createContext(env, { waitUntil() {} });
    const actor = await findKeyActor(ctx, key);
    const tenant = await resolveScope(ctx, actor!, { project_id: body.id });
    const bucket = new Proxy(env.FILES, {
      get() {
        throw new Error('the bucket is away');
      },
    });
    await expect(eraseProjects({ ...tenant, bucket }, eq(projects.id, body.id))).rejects.toThrow('away');
    for (const until of ends)
      expect((await listLeftovers(body.id)).map(({ at }) => at)).toContain(until + MINUTE);
    expect((await call('DELETE', `/api/v1/projects/${body.id}`, { key })).status).toBe(204);
    for (const until of ends)
      expect((await listLeftovers(body.id)).map(({ at }) => at)).toContain(until + MINUTE);
  });

  it('of a deleted project are removed, and its Durable Object then stores nothing', async () => {
    const { key } = await createTenant();
    const { body } = await call<{ id: string }>('POST', '/api/v1/projects', {
      key,
      body: { name: 'Doomed' },
    });
    expect((await call('DELETE', `/api/v1/projects/${body.id}`, { key })).status).toBe(204);
    const prefix = keys.project(body.id);
    await env.FILES.put(`${prefix}files/late/late`, 'late');
    await env.FILES.put(`${prefix}of-another-version/late`, 'late');
    const waits = (await listLeftovers(body.id)).map(({ at }) => Math.round((at - Date.now()) / MINUTE));
    expect(waits).toEqual([1, 15, 120]);
    await clearLeftoversNow(body.id);
    expect(await keysUnder(prefix)).toEqual([]);
    expect(await keptBy(getIntake(body.id))).toEqual(NOTHING);
  });
});
