import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { findKeyActor } from '#src/services/tenancy/api-keys.ts';
import { ensureBootstrap, isBootstrapKey } from '#src/services/tenancy/bootstrap.ts';

const real = createContext(env, { waitUntil() {} } as never);

/** Creates the context of a service that starts with this bootstrap key. */
const startWith = (BOOTSTRAP_API_KEY: string | undefined, db = real.db): Context => ({
  ...real,
  db,
  settings: { ...real.settings, BOOTSTRAP_API_KEY },
});
const newKey = () => `slc_${crypto.randomUUID()}`;
const away = new Proxy({} as Context['db'], {
  get() {
    throw new Error('the database is away');
  },
});

it('the bootstrap key creates the first user as admin of the first organization', async () => {
  const key = newKey();
  const ctx = startWith(key);
  const actor = (await findKeyActor(ctx, key))!;
  expect(actor).toMatchObject({ projectId: null, organizationOnly: false });
  const row = await ctx.db.query.apiKeys.findFirst({ where: (each, { eq }) => eq(each.id, actor.keyId!) });
  expect(row).toMatchObject({
    name: 'BOOTSTRAP_API_KEY',
    keyType: 'user',
    hash: await sha256(key),
    expiresAt: null,
    parentId: null,
  });
  expect(row?.redacted).not.toBe(key);
  const { organizationId, userId } = actor;
  const organization = await ctx.db.query.organizations.findFirst({
    where: (each, { eq }) => eq(each.id, organizationId),
  });
  expect(organization?.name).toBe('Default organization');
  const member = await ctx.db.query.members.findFirst({
    where: (each, { and, eq }) => and(eq(each.organizationId, organizationId), eq(each.userId, userId)),
  });
  expect(member).toMatchObject({ name: 'First user', role: 'admin' });
  expect(actor.defaultProject?.organizationId).toBe(organizationId);
  const home = await ctx.db.query.projects.findFirst({
    where: (each, { eq }) => eq(each.id, actor.defaultProject!.id),
  });
  expect(home).toMatchObject({ name: 'Default', isDefault: true });
});

it('the first user, organization and project have fixed ids', async () => {
  const key = newKey();
  expect(await findKeyActor(startWith(key), key)).toMatchObject({
    userId: '8b6689f6-6854-8bab-936c-7f2a670f0d29',
    organizationId: '5c2488c3-6973-822d-8743-dc95e784b10d',
    defaultProject: { id: '4a566f0d-d629-82b9-a297-6d472487a815' },
  });
});

it('a new bootstrap key opens the same organization, and the old key still works', async () => {
  const [first, second] = [newKey(), newKey()];
  const before = await findKeyActor(startWith(first), first);
  const after = await findKeyActor(startWith(second), second);
  expect(after).toMatchObject({ userId: before?.userId, organizationId: before?.organizationId });
  expect(after?.keyId).not.toBe(before?.keyId);
  expect(await findKeyActor(startWith(second), first)).toMatchObject({ keyId: before?.keyId });
});

it('bootstrapping is retried by the next request after a database failure, and then done once', async () => {
  const key = newKey();
  const ctx = startWith(key);
  await expect(ensureBootstrap({ ...ctx, db: away })).rejects.toThrow('away');
  await ensureBootstrap(ctx);
  expect(await findKeyActor(ctx, key)).toBeDefined();
  await ensureBootstrap({ ...ctx, db: away });
});

it('without a bootstrap key no database is needed, and no key is the operator’s', async () => {
  const key = newKey();
  const actor = (await findKeyActor(startWith(key), key))!;
  expect(await isBootstrapKey(startWith(key), actor)).toBe(true);
  expect(await isBootstrapKey(startWith(newKey()), actor)).toBe(false);
  const without = startWith(undefined, away);
  await ensureBootstrap(without);
  expect(await isBootstrapKey(without, actor)).toBe(false);
});
