import { eq } from 'drizzle-orm';
import type { Actor, Context, TenantContext } from '#src/context/context.ts';
import { apiKeys, bootstraps, members, organizations, projects, users } from '#src/db/schema/index.ts';
import { Forbidden } from '#src/lib/errors.ts';
import { derivedId } from '#src/lib/ids.ts';
import { redactApiKey } from '#src/lib/secrets/api-key.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import type { Settings } from '#src/settings/settings.ts';

const bootstrapsBySettings = new WeakMap<Settings, Promise<void>>();

/** Creates the first user, organization, project and API key if they are missing. Runs once per isolate. */
export function ensureBootstrap(ctx: Context): Promise<void> {
  const { settings } = ctx;
  let bootstrapped = bootstrapsBySettings.get(settings);
  if (!bootstrapped) {
    bootstrapped = bootstrap(ctx).catch((error) => {
      bootstrapsBySettings.delete(settings);
      throw error;
    });
    bootstrapsBySettings.set(settings, bootstrapped);
  }
  return bootstrapped;
}

const deriveBootstrapKeyId = (hash: string) => derivedId('bootstrap', 'key', hash);

/** Returns the id of the organization that is created together with the first API key. */
export const deriveFirstOrganizationId = () => derivedId('bootstrap', 'organization');

/** Returns whether the caller uses the bootstrap key and is therefore the operator. */
export async function isBootstrapKey({ settings }: Context, actor: Actor): Promise<boolean> {
  const key = settings.BOOTSTRAP_API_KEY;
  return key !== undefined && actor.keyId === (await deriveBootstrapKeyId(await sha256(key)));
}

export async function requireOperator(ctx: TenantContext): Promise<void> {
  if (await isBootstrapKey(ctx, ctx.actor)) return;
  throw new Forbidden('Only the key in BOOTSTRAP_API_KEY can do this.');
}

/** Creates the objects only once for each bootstrap key, so that a revoked bootstrap key stays revoked. */
async function bootstrap({ db, settings }: Context): Promise<void> {
  const key = settings.BOOTSTRAP_API_KEY;
  if (!key) return;
  const hash = await sha256(key);
  if (await db.query.bootstraps.findFirst({ where: eq(bootstraps.keyHash, hash) })) return;
  const [userId, organizationId, projectId] = await Promise.all([
    derivedId('bootstrap', 'user'),
    deriveFirstOrganizationId(),
    derivedId('bootstrap', 'project'),
  ]);
  await db.batch([
    db.insert(bootstraps).values({ keyHash: hash }).onConflictDoNothing(),
    db.insert(users).values({ id: userId }).onConflictDoNothing(),
    db
      .insert(organizations)
      .values({ id: organizationId, name: 'Default organization' })
      .onConflictDoNothing(),
    db
      .insert(members)
      .values({ organizationId, userId, name: 'First user', role: 'admin' })
      .onConflictDoNothing(),
    db
      .insert(projects)
      .values({ id: projectId, organizationId, name: 'Default', isDefault: true })
      .onConflictDoNothing(),
    db
      .insert(apiKeys)
      .values({
        id: await deriveBootstrapKeyId(hash),
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
