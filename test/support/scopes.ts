import { env } from 'cloudflare:workers';
import { type Context, createContext, type TenantContext } from '#src/context/context.ts';
import { findKeyActor } from '#src/services/tenancy/api-keys.ts';
import { type RequestedScope, resolveScope } from '#src/services/tenancy/request-scope.ts';
import type { Tenant } from './tenants.ts';

/** Returns the context of a request with the key of a tenant. */
export async function scopeOf(
  { key }: Pick<Tenant, 'key'>,
  requested: RequestedScope = {},
  ctx: Context = createContext(env, { waitUntil() {} }),
): Promise<TenantContext> {
  return resolveScope(ctx, (await findKeyActor(ctx, key))!, requested);
}

/**
 * Returns the context of a request in which nothing is synced. `started` receives the ids of the pipelines whose sync
 * is requested.
 */
export async function quietScopeOf(
  tenant: Pick<Tenant, 'key'>,
  started: string[] = [],
): Promise<TenantContext> {
  const plain = createContext(env, { waitUntil() {} });
  const pipelineSync = (id: string) => ({
    start: async () => void started.push(id),
    schedule: async () => undefined,
    view: async () => null,
    summary: async () => null,
  });
  const objects = { ...plain.objects, pipelineSync };
  return scopeOf(tenant, {}, { ...plain, objects } as unknown as Context);
}
