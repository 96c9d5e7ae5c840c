import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createContext, type TenantContext } from '#src/context/context.ts';
import { findKeyActor } from '#src/services/tenancy/api-keys.ts';
import { resolveScope } from '#src/services/tenancy/request-scope.ts';
import { requireWriter } from '#src/services/tenancy/roles.ts';
import { isWithinScope } from '#src/services/tenancy/scope.ts';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

it('a row outside the scope of the request or the key is treated as missing', async () => {
  const [me, stranger] = [await createTenant(), await createTenant()];
  const key = me.key;
  const second = await call<{ id: string }>('POST', '/api/v1/projects', { key, body: { name: 'Second' } });
  const b = await call<{ id: string }>('POST', '/api/v1/organizations', { key, body: { name: 'B' } });
  const ofB = await call<{ id: string }[]>('GET', `/api/v1/projects?organization_id=${b.body.id}`, { key });
  const rows = {
    first: { projectId: me.projectId, organizationId: me.organizationId },
    second: { projectId: second.body.id, organizationId: me.organizationId },
    'of B': { projectId: ofB.body[0]!.id, organizationId: b.body.id },
    'of a stranger': { projectId: stranger.projectId, organizationId: stranger.organizationId },
  };
  const ctx = createContext(env, { waitUntil() {} } as never);
  const actor = (await findKeyActor(ctx, key))!;
  const seen = async (scope: TenantContext) => {
    const all = Object.entries(rows).map(async ([name, row]) =>
      (await isWithinScope(scope, row)) ? name : '',
    );
    return (await Promise.all(all)).filter(Boolean);
  };
  const asked = (requested: object) => resolveScope(ctx, actor, requested);
  expect(await seen(await asked({}))).toEqual(['first', 'second', 'of B']);
  expect(await seen(await asked({ project_id: second.body.id }))).toEqual(['second']);
  expect(await seen(await asked({ organization_id: b.body.id }))).toEqual(['of B']);
  expect(await seen(await asked({ organization_id: me.organizationId }))).toEqual(['first', 'second']);
  const only = await resolveScope(ctx, { ...actor, organizationOnly: true }, {});
  expect(await seen(only)).toEqual(['first', 'second']);
});

it('a row of an organization in which the caller is a viewer can be read but not written', async () => {
  const [own, host] = [await createTenant(), await createTenant()];
  await env.DB.prepare(
    "insert into members (organization_id, user_id, name, role) values (?, ?, 'Guest', 'viewer')",
  )
    .bind(host.organizationId, own.userId)
    .run();
  const ctx = createContext(env, { waitUntil() {} } as never);
  const reading = await resolveScope(ctx, (await findKeyActor(ctx, own.key))!, {});
  const writing = await requireWriter(reading, true);
  const canUse = async (scope: TenantContext) =>
    Promise.all([isWithinScope(scope, own), isWithinScope(scope, host)]);
  expect(await canUse(reading)).toEqual([true, true]);
  expect(await canUse(writing)).toEqual([true, false]);
});
