import type { Actor, Context } from '../context.ts';
import { apiKeys, members, organizations, projects, users } from '../db/schema/index.ts';
import { derivedId } from '../ids.ts';
import { redactApiKey } from '../lib/api-key.ts';
import { sha256 } from '../lib/hash.ts';

let done: Promise<void> | undefined;

/** The first user, organization, default project and key exist from the start. Once per isolate. */
export function ensureBootstrap(ctx: Context): Promise<void> {
  done ??= bootstrap(ctx).catch((error) => {
    done = undefined;
    throw error;
  });
  return done;
}

const bootstrapKeyId = (hash: string) => derivedId('bootstrap', 'key', hash);

/** Whether the caller holds the installation's own key: the operator. */
export async function isBootstrapKey({ settings }: Context, actor: Actor): Promise<boolean> {
  const key = settings.BOOTSTRAP_API_KEY;
  return key !== undefined && actor.keyId === (await bootstrapKeyId(await sha256(key)));
}

async function bootstrap({ db, settings }: Context): Promise<void> {
  const key = settings.BOOTSTRAP_API_KEY;
  if (!key) return;
  const hash = await sha256(key);
  const [userId, organizationId, projectId] = await Promise.all([
    derivedId('bootstrap', 'user'),
    derivedId('bootstrap', 'organization'),
    derivedId('bootstrap', 'project'),
  ]);
  await db.batch([
    db.insert(users).values({ id: userId, name: 'First user' }).onConflictDoNothing(),
    db
      .insert(organizations)
      .values({ id: organizationId, name: 'Default organization' })
      .onConflictDoNothing(),
    db.insert(members).values({ organizationId, userId, role: 'admin' }).onConflictDoNothing(),
    db
      .insert(projects)
      .values({ id: projectId, organizationId, name: 'Default', isDefault: true })
      .onConflictDoNothing(),
    db
      .insert(apiKeys)
      .values({
        id: await bootstrapKeyId(hash),
        organizationId,
        userId,
        name: 'BOOTSTRAP_API_KEY',
        keyType: 'user',
        hash,
        redacted: redactApiKey(key),
      })
      .onConflictDoNothing(),
  ]);
}
