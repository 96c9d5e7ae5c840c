import { applyD1Migrations, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createContext } from '#src/context/context.ts';
import { ensureBootstrap } from '#src/services/tenancy/bootstrap.ts';
import { settingsOf } from '#src/settings/settings.ts';

/**
 * Ends whatever the service has and does: its database, bucket and objects with their alarms. Messages of its queues
 * still come, and find nothing to work on.
 */
export async function emptyService(): Promise<void> {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  // The service makes the first user once for its settings, and has done so in the database that is gone.
  const ctx = createContext(env, { waitUntil() {} });
  await ensureBootstrap({ ...ctx, settings: { ...settingsOf(env) } });
}
