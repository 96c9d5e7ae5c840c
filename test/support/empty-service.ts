import { applyD1Migrations, reset } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createContext } from '#src/context.ts';
import { ensureBootstrap } from '#src/services/tenancy/bootstrap.ts';
import { settingsOf } from '#src/settings.ts';

// Files of tests share one runtime, and each begins here with an empty service. The database, the bucket, the objects
// and their alarms end with the file that left them: its webhooks, syncs and retries would otherwise go on within the
// next one and be met by its stubs, counts and dumps. Messages of its queues still come, and find nothing to work on.
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

// The service makes the first user once for its settings, and has done so in the database of the file before.
const ctx = createContext(env, { waitUntil() {} });
await ensureBootstrap({ ...ctx, settings: { ...settingsOf(env) } });
