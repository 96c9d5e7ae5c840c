import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createContext } from '#src/context/context.ts';
import type { ApiKey } from '#src/db/schema/index.ts';
import { findKeyActor, toActor } from '#src/services/tenancy/api-keys.ts';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

const deferred: Promise<unknown>[] = [];
const ctx = createContext(env, { waitUntil: (work: Promise<unknown>) => void deferred.push(work) });
const NOW = Date.parse('2026-03-04T05:06:07.000Z');

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
afterEach(() => void vi.useRealTimers());

/** Returns the key row of a new tenant with these columns. */
async function rowWith(columns: Partial<ApiKey>): Promise<ApiKey> {
  const { key } = await createTenant();
  const { keyId } = (await findKeyActor(ctx, key))!;
  deferred.length = 0;
  const row = await ctx.db.query.apiKeys.findFirst({ where: (each, { eq }) => eq(each.id, keyId!) });
  return { ...row!, ...columns };
}

const lastUse = async ({ id }: ApiKey) => {
  await Promise.all(deferred);
  const row = await ctx.db.query.apiKeys.findFirst({ where: (each, { eq }) => eq(each.id, id) });
  return row!.lastUsedAt?.getTime();
};

describe('an API key in use', () => {
  it('updates its own last-used time, and no other', async () => {
    const [used, unused] = [await rowWith({}), await rowWith({})];
    vi.setSystemTime(NOW + 90_000);
    toActor(ctx, { ...used, lastUsedAt: null }, 'member');
    expect(await lastUse(used)).toBe(NOW + 90_000);
    expect(await lastUse(unused)).toBe(NOW);
  });

  it('writes the last-used time at most once a minute', async () => {
    const written = async (ago: number) => {
      const row = await rowWith({ lastUsedAt: new Date(NOW - ago) });
      toActor(ctx, row, 'member');
      return deferred.length;
    };
    expect([await written(0), await written(60_000), await written(60_001)]).toEqual([0, 0, 1]);
  });

  it('works until the moment it expires', async () => {
    const actor = async (expiresAt: Date | null) =>
      toActor(ctx, await rowWith({ expiresAt, lastUsedAt: new Date(NOW) }), 'member');
    expect(await actor(new Date(NOW + 1))).toBeDefined();
    expect(await actor(null)).toBeDefined();
    const expired = await rowWith({ expiresAt: new Date(NOW), lastUsedAt: null });
    expect(() => toActor(ctx, expired, 'member')).toThrow('expired at 2026-03-04T05:06:07.000Z');
    expect(deferred).toEqual([]);
  });
});

describe('API keys of an organization', () => {
  interface Listed {
    id: string;
    key_type: string;
  }
  const make = async (key: string, body: object = {}) => {
    vi.setSystemTime(Date.now() + 1000);
    return (await call<Listed>('POST', '/api/v1/api-keys', { key, body })).body;
  };

  it('are listed newest first, and for a project together with organization-wide keys', async () => {
    const { key, projectId } = await createTenant();
    const other = await call<{ id: string }>('POST', '/api/v1/projects', { key, body: { name: 'Other' } });
    const whole = await make(key);
    const first = await make(key, { project_id: projectId });
    const second = await make(key, { project_id: projectId, key_type: 'agent' });
    const elsewhere = await make(key, { project_id: other.body.id });
    const made = new Set([whole, first, second, elsewhere].map(({ id }) => id));
    const listed = async (query: string) =>
      (await call<Listed[]>('GET', `/api/v1/api-keys${query}`, { key })).body.filter(({ id }) =>
        made.has(id),
      );
    const ids = (rows: Listed[]) => rows.map(({ id }) => id);
    expect(ids(await listed(''))).toEqual(ids([elsewhere, second, first, whole]));
    const ofProject = await listed(`?project_id=${projectId}`);
    expect(ids(ofProject)).toEqual(ids([second, first, whole]));
    expect(ofProject.map(({ key_type }) => key_type)).toEqual(['agent', 'user', 'user']);
  });

  it('expire no later than the key that creates them, by default at the same moment', async () => {
    const expiresAt = new Date(NOW + 60_000);
    const { key } = await createTenant({ expiresAt });
    const end = async (expires_at?: Date | null) => {
      const body = expires_at === undefined ? {} : { expires_at };
      const made = await call<{ expires_at: string }>('POST', '/api/v1/api-keys', { key, body });
      return made.status === 201 ? Date.parse(made.body.expires_at) - NOW : made.status;
    };
    expect([await end(), await end(null)]).toEqual([60_000, 60_000]);
    expect(await end(new Date(NOW + 30_000))).toBe(30_000);
    expect([await end(expiresAt), await end(new Date(NOW + 60_001))]).toEqual([60_000, 422]);
  });

  it('can be created only for projects of the organization, and by a scoped key only for its project', async () => {
    const [mine, theirs] = [await createTenant(), await createTenant()];
    const refused = async (key: string, project_id: string) =>
      (await call('POST', '/api/v1/api-keys', { key, body: { project_id } })).status;
    expect(await refused(mine.key, theirs.projectId)).toBe(404);
    expect(await refused(mine.key, crypto.randomUUID())).toBe(404);
    const { key } = await createTenant({ scoped: true });
    expect(await refused(key, mine.projectId)).toBe(403);
  });
});
