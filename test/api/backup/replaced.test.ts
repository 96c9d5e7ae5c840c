import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { newId } from '#src/lib/ids.ts';
import { begunProject, begunRestore, finishRestore, projectRow, writeRows } from '#test/support/backups.ts';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

const file = (project_id: string, external_file_id: string, more: object = {}) => ({
  id: newId(),
  project_id,
  name: 'f',
  external_file_id,
  ...more,
});
const listFileIds = async (project: string) => {
  const files = env.DB.prepare('select id from files where project_id = ? order by id').bind(project);
  return (await files.all<{ id: string }>()).results.map(({ id }) => id);
};

describe('resources that were deleted and created again during a backup', () => {
  it('are restored in their newer version, in whatever page and however often the page is sent', async () => {
    const { id, project } = await begunProject();
    const older = [file(project, 'a'), file(project, 'b'), file(project, 'c')];
    const newer = [file(project, 'a'), file(project, 'b')];
    expect((await writeRows(id, 'files', older)).body).toMatchObject({ written: 3, left_out: [] });
    const replaced = older.slice(0, 2).map((row) => row.id);
    const second = await writeRows(id, 'files', newer);
    expect(second.status, JSON.stringify(second.body)).toBe(200);
    expect(second.body.written).toBe(2);
    expect(second.body.left_out.toSorted()).toEqual(replaced);
    const all = [older[2]!, ...newer].map((row) => row.id);
    expect(await listFileIds(project)).toEqual(all);
    const again = await writeRows(id, 'files', older);
    expect(again.body).toMatchObject({ written: 1, left_out: replaced });
    expect((await writeRows(id, 'files', newer)).body).toMatchObject({ written: 2, left_out: [] });
    expect(await listFileIds(project)).toEqual(all);
  });

  it('are restored in their newest version within one page', async () => {
    const { id, project } = await begunProject();
    const rows = [file(project, 'a'), file(project, 'a'), file(project, 'a')];
    const { body } = await writeRows(id, 'files', rows);
    expect(body).toMatchObject({ written: 1, left_out: rows.slice(0, 2).map((row) => row.id) });
    expect(await listFileIds(project)).toEqual([rows[2]!.id]);
  });

  it('do not replace rows of another project', async () => {
    const { projectId } = await createTenant();
    const [theirs, job_id] = [newId(), newId('pjb')];
    await env.DB.prepare(
      "insert into usage_records (id, project_id, product, job_id, pages, credits) values (?, ?, 'parse', ?, 1, 1)",
    )
      .bind(theirs, projectId, job_id)
      .run();
    const { id, project } = await begunProject();
    const row = { id: newId(), project_id: project, product: 'parse', job_id, pages: 1, credits: 1 };
    const { body } = await writeRows(id, 'usage_records', [row]);
    expect(body).toMatchObject({ written: 0, left_out: [row.id] });
    const kept = env.DB.prepare('select project_id from usage_records where id = ?').bind(theirs);
    expect(await kept.first('project_id')).toBe(projectId);
  });
});

describe('a row', () => {
  it('is restored without its data source if the data source is not restored', async () => {
    const { id, project } = await begunProject();
    const row = file(project, 'a', { data_source_id: crypto.randomUUID() });
    expect((await writeRows(id, 'files', [row])).body).toMatchObject({ written: 1, left_out: [] });
    const source = { id: newId(), project_id: project, name: 's', source_type: 'S3', component: '{}' };
    expect((await writeRows(id, 'data_sources', [source])).body.written).toBe(1);
    const held = file(project, 'b', { data_source_id: source.id });
    await writeRows(id, 'files', [held]);
    const sources = await env.DB.prepare('select data_source_id from files where project_id = ? order by id')
      .bind(project)
      .all();
    expect(sources.results).toEqual([{ data_source_id: null }, { data_source_id: source.id }]);
  });
});

it('an empty project keeps its name, and takes the limits and the retention of the backup', async () => {
  const { projectId, key } = await createTenant();
  const before = { name: 'Mine', limits: null, retention: { files_days: 3 } };
  await call('PUT', `/api/v1/projects/${projectId}`, { key, body: before });
  const { id } = await begunRestore(projectId);
  const row = { ...projectRow(projectId), limits: '{"files":7}', retention: '{"jobs_days":9}' };
  expect((await writeRows(id, 'projects', [row])).body.written).toBe(1);
  const now = await env.DB.prepare('select name, limits, retention from projects where id = ?')
    .bind(projectId)
    .first();
  expect(now).toEqual({ name: 'Mine', limits: row.limits, retention: row.retention });
  const storage_key = `projects/${projectId}/files/a/b`;
  await writeRows(id, 'files', [file(projectId, 'a', { storage_key, file_size: 5 })]);
  await finishRestore(id);
  // The counters for limits are not part of a backup, so the restore computes them.
  const held = env.DB.prepare('select files, bytes from project_storage where project_id = ?');
  expect(await held.bind(projectId).first()).toEqual({ files: 1, bytes: 5 });
});
