import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { members } from '#src/db/schema/index.ts';
import { call, upload } from '#test/support/client.ts';
import { keysUnder } from '#test/support/files.ts';
import { callWith, databaseWhere } from '#test/support/meanwhile.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const ORGANIZATIONS = '/api/v1/organizations';
const db = openDatabase(env.DB);

const join = (userId: string, { organizationId }: Tenant) =>
  db.insert(members).values({ userId, organizationId, name: 'Guest', role: 'member' });

async function addMember({ key, organizationId }: Tenant): Promise<string> {
  const path = `${ORGANIZATIONS}/${organizationId}/users`;
  return (await call<{ user_id: string }>('POST', path, { key, body: { name: 'Ada' } })).body.user_id;
}

const exists = async (userId: string) =>
  (await env.DB.prepare('select id from users where id = ?').bind(userId).first()) !== null;

async function keysOf(userId: string): Promise<number> {
  const count = env.DB.prepare('select count(*) as number from api_keys where user_id = ?').bind(userId);
  return (await count.first<number>('number'))!;
}

describe('a member who is removed', () => {
  const remove = ({ key, organizationId }: Tenant, userId: string) =>
    call('DELETE', `${ORGANIZATIONS}/${organizationId}/users/${userId}`, { key });

  it('is deleted as a user if they belong to no other organization', async () => {
    const admin = await createTenant();
    const userId = await addMember(admin);
    expect((await remove(admin, userId)).status).toBe(204);
    expect(await exists(userId)).toBe(false);
    expect(await exists(admin.userId)).toBe(true);
  });

  it('remains a user, with the keys of the other organization, if they belong to one', async () => {
    const [admin, guest] = [await createTenant(), await createTenant()];
    await join(guest.userId, admin);
    expect((await remove(admin, guest.userId)).status).toBe(204);
    expect(await exists(guest.userId)).toBe(true);
    expect(await keysOf(guest.userId)).toBe(1);
    expect((await call('GET', ORGANIZATIONS, { key: guest.key })).status).toBe(200);
  });

  it('loses only their own keys of the organization', async () => {
    const admin = await createTenant();
    const [gone, stays] = [await addMember(admin), await addMember(admin)];
    for (const user_id of [gone, stays])
      await call('POST', '/api/v1/api-keys', { key: admin.key, body: { user_id } });
    await remove(admin, gone);
    expect([await keysOf(gone), await keysOf(stays), await keysOf(admin.userId)]).toEqual([0, 1, 1]);
  });
});

describe('the keys and audit events of a removed member', () => {
  const remove = ({ key, organizationId }: Tenant, userId: string) =>
    call('DELETE', `${ORGANIZATIONS}/${organizationId}/users/${userId}`, { key });

  /** More events than one statement changes. */
  const EVENTS = 2_001;
  const recordEvents = ({ organizationId }: Tenant, userId: string) =>
    env.DB.prepare(
      `with recursive event(n) as (select 1 union all select n + 1 from event where n < ?3)
       insert into audit_events (id, organization_id, user_id, key_id, operation, outcome, request_id, created_at)
       select ?2 || n, ?1, ?2, 'key', 'createFile', 'success', '', n from event`,
    )
      .bind(organizationId, userId, EVENTS)
      .run();
  const eventsWith = async (where: string, ...values: string[]) =>
    (await env.DB.prepare(`select count(*) as n from audit_events where ${where}`)
      .bind(...values)
      .first<number>('n'))!;

  it('no longer identify the member, in however many events', async () => {
    const admin = await createTenant();
    const userId = await addMember(admin);
    await recordEvents(admin, userId);
    expect((await remove(admin, userId)).status).toBe(204);
    expect(await eventsWith('user_id = ?', userId)).toBe(0);
    expect(await eventsWith("organization_id = ? and operation = 'createFile'", admin.organizationId)).toBe(
      EVENTS,
    );
  });

  it('are gone even if clearing the events fails, and the call can be repeated', async () => {
    const admin = await createTenant();
    const userId = await addMember(admin);
    await call('POST', '/api/v1/api-keys', { key: admin.key, body: { user_id: userId } });
    await recordEvents(admin, userId);
    const DB = databaseWhere(/^update "audit_events"/, async () => {
      throw new Error('D1 was overloaded');
    });
    const path = `${ORGANIZATIONS}/${admin.organizationId}/users/${userId}`;
    expect((await callWith({ DB }, 'DELETE', path, { key: admin.key })).status).toBe(500);
    expect(await keysOf(userId)).toBe(0);
    expect(await eventsWith('user_id = ?', userId)).toBe(EVENTS);
    expect((await remove(admin, userId)).status).toBe(204);
    expect(await eventsWith('user_id = ?', userId)).toBe(0);
    expect((await remove(admin, userId)).status).toBe(404);
  });

  it('end with the membership, even if a key was created during the removal', async () => {
    const [admin, guest] = [await createTenant(), await createTenant()];
    await env.DB.prepare('delete from members where user_id = ?').bind(guest.userId).run();
    expect((await call('GET', ORGANIZATIONS, { key: guest.key })).status).toBe(401);
    await join(guest.userId, admin);
    expect((await call('GET', ORGANIZATIONS, { key: guest.key })).status).toBe(401);
  });
});

describe('an organization that is deleted', () => {
  /** Creates a further organization of a tenant, and returns it as a tenant with its default project. */
  async function createSecond(me: Tenant): Promise<Tenant> {
    const { key } = me;
    const made = await call<{ id: string }>('POST', ORGANIZATIONS, { key, body: { name: 'Second' } });
    const path = `/api/v1/projects?organization_id=${made.body.id}`;
    const [project] = (await call<{ id: string }[]>('GET', path, { key })).body;
    return { ...me, organizationId: made.body.id, projectId: project!.id };
  }

  const remove = ({ key, organizationId }: Tenant) =>
    call('DELETE', `${ORGANIZATIONS}/${organizationId}`, { key });

  it('takes along the bytes and rows of its projects, and leaves those of the caller’s other projects', async () => {
    const me = await createTenant();
    const doomed = await createSecond(me);
    const query = `?project_id=${doomed.projectId}`;
    await upload('doomed.txt', 'Goes along.', { key: me.key, query });
    await upload('kept.txt', 'Stays.', { key: me.key });
    expect(await keysUnder(`projects/${doomed.projectId}/files/`)).toHaveLength(1);
    expect((await remove(doomed)).status).toBe(204);
    expect(await keysUnder(`projects/${doomed.projectId}/`)).toEqual([]);
    expect(await keysUnder(`projects/${me.projectId}/files/`)).toHaveLength(1);
    const { results } = await env.DB.prepare('select name from files where project_id in (?, ?)')
      .bind(doomed.projectId, me.projectId)
      .all();
    expect(results).toEqual([{ name: 'kept.txt' }]);
  });

  it('deletes the users who belonged to it alone, and keeps the others', async () => {
    const [me, guest] = [await createTenant(), await createTenant()];
    const doomed = await createSecond(me);
    const alone = await addMember(doomed);
    const elsewhere = await addMember(me);
    await join(guest.userId, doomed);
    expect((await remove(doomed)).status).toBe(204);
    const left = [me.userId, guest.userId, elsewhere, alone].map(exists);
    expect(await Promise.all(left)).toEqual([true, true, true, false]);
  });
});
