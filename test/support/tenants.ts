import { env } from 'cloudflare:workers';
import { openDatabase } from '#src/db/client.ts';
import { apiKeys, members, organizations, projects, users } from '#src/db/schema/index.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';

export interface Tenant {
  key: string;
  organizationId: string;
  projectId: string;
  userId: string;
}

/** Creates a separate tenant directly in the database. */
export async function createTenant(options: { scoped?: boolean; expiresAt?: Date } = {}): Promise<Tenant> {
  const db = openDatabase(env.DB);
  const [userId, organizationId, projectId] = [0, 1, 2].map(() => crypto.randomUUID()) as [
    string,
    string,
    string,
  ];
  const key = `slc_${crypto.randomUUID()}`;
  await db.batch([
    db.insert(users).values({ id: userId }),
    db.insert(organizations).values({ id: organizationId, name: 'Elsewhere' }),
    db.insert(members).values({ organizationId, userId, name: 'Somebody', role: 'admin' }),
    db.insert(projects).values({ id: projectId, organizationId, name: 'Default', isDefault: true }),
    db.insert(apiKeys).values({
      id: crypto.randomUUID(),
      organizationId,
      userId,
      projectId: options.scoped ? projectId : null,
      keyType: 'user',
      hash: await sha256(key),
      redacted: 'slc_…',
      expiresAt: options.expiresAt ?? null,
    }),
  ]);
  return { key, organizationId, projectId, userId };
}
