import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { Issue } from '#test/suites/operation-calls.ts';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Project {
  id: string;
  name: string;
  retention: Record<string, number | null> | null;
}

const PATH = '/api/v1/projects';
const NOTHING = {
  files_days: null,
  parses_days: null,
  jobs_days: null,
  webhook_deliveries_days: null,
  usage_days: null,
};

describe("a project's retention", () => {
  it('can be set, changed field by field and removed', async () => {
    const { key } = await createTenant();
    const send = (method: string, path: string, body: object) => call<Project>(method, path, { key, body });
    const made = await send('POST', PATH, { name: 'Kept', retention: { jobs_days: 30 } });
    expect(made.body.retention).toEqual({ ...NOTHING, jobs_days: 30 });
    const path = `${PATH}/${made.body.id}`;
    const changed = await send('PUT', path, { name: 'Kept', retention: { files_days: 90 } });
    expect(changed.body.retention).toEqual({ ...NOTHING, jobs_days: 30, files_days: 90 });
    const renamed = await send('PUT', path, { name: 'Renamed' });
    expect(renamed.body).toMatchObject({ name: 'Renamed', retention: { jobs_days: 30, files_days: 90 } });
    const upserted = await send('PUT', PATH, { name: 'Renamed', retention: { jobs_days: null } });
    expect(upserted.body.retention).toEqual({ ...NOTHING, files_days: 90 });
    const unchanged = await send('PUT', PATH, { name: 'Renamed' });
    expect(unchanged.body.retention).toEqual({ ...NOTHING, files_days: 90 });
    for (const read of [path, `/api/v2/projects/${made.body.id}`]) {
      expect((await call<Project>('GET', read, { key })).body.retention).toEqual(upserted.body.retention);
    }
    expect((await send('PUT', path, { name: 'Renamed', retention: null })).body.retention).toBeNull();
    const nulls = await send('PUT', path, { name: 'Renamed', retention: { usage_days: null } });
    expect(nulls.body.retention).toBeNull();
  });

  it.each([
    ['files_days', 0],
    ['parses_days', -1],
    ['jobs_days', 1.5],
    ['webhook_deliveries_days', 36_501],
    ['usage_days', 'a week'],
  ])('rejects %s with the value %s', async (name, days) => {
    const { key } = await createTenant();
    const body = { name: 'Wrong', retention: { [name]: days } };
    const answer = await call<{ detail: Issue[] }>('POST', PATH, { key, body });
    expect(answer.status).toBe(422);
    expect(answer.body.detail.map(({ loc }) => loc)).toEqual([['body', 'retention', name]]);
    expect((await call<Project[]>('GET', `${PATH}?project_name=Wrong`, { key })).body).toEqual([]);
  });

  it('can be changed only by admins of the organization', async () => {
    const [owner, stranger] = [await createTenant(), await createTenant()];
    const path = `${PATH}/${owner.projectId}`;
    const body = { name: 'Default', retention: { files_days: 1 } };
    expect((await call('PUT', path, { key: null, body })).status).toBe(401);
    expect((await call('PUT', path, { key: stranger.key, body })).status).toBe(404);
    await env.DB.prepare("update members set role = 'member' where user_id = ?").bind(owner.userId).run();
    expect((await call('PUT', path, { key: owner.key, body })).status).toBe(403);
    expect((await call('PUT', PATH, { key: owner.key, body })).status).toBe(403);
    expect((await call<Project>('GET', path, { key: owner.key })).body.retention).toBeNull();
  });
});
