import { applyD1Migrations, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createContext } from '#src/context/context.ts';
import { ensureBootstrap } from '#src/services/tenancy/bootstrap.ts';
import { readSettings } from '#src/settings/settings.ts';

/**
 * Deletes the database, bucket and Durable Objects of the service, including alarms. Messages that are still
 * queued find no work.
 */
export async function emptyService(): Promise<void> {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  // The service creates the first user once per process, so create the user again in the empty database.
  const ctx = createContext(env, { waitUntil() {} });
  await ensureBootstrap({ ...ctx, settings: { ...readSettings(env) } });
}
