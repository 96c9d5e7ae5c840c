import { and, desc, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Actor, Context, TenantContext } from '#src/context/context.ts';
import { prepareOnce } from '#src/db/prepare-once.ts';
import { readUntilWrite } from '#src/db/reads-until-write.ts';
import { type ApiKey, type ApiScope, apiKeys, members, projects, type Role } from '#src/db/schema/index.ts';
import { Forbidden, Invalid, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { generateApiKey, redactApiKey } from '#src/lib/secrets/api-key.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import {
  ExpiredKey,
  getHighestScope,
  getKeyScope,
  getLowerScope,
  includesScope,
  limitRole,
} from './api-scopes.ts';
import { ensureBootstrap } from './bootstrap.ts';
import { getMember, requireAdmin } from './memberships.ts';
import { isDefaultProject, isKeyMembership } from './request-scope.ts';

/** Minimum interval in milliseconds between two updates of the time at which a key or session was last used. */
export const LAST_USED_RESOLUTION_MS = 60_000;

export interface KeyRow {
  key: ApiKey;
  defaultProject: NonNullable<Actor['defaultProject']> | null;
  /** Role of the key's user in the key's organization. Null if the user is not a member. */
  role: Role | null;
}

/** Finds an API key by its hash. Implementations may read other rows in the same SQL statement. */
export type KeyReader = (hash: string) => Promise<KeyRow | undefined>;

/**
 * Returns the caller that an API key identifies. Returns `undefined` if the key is unknown or revoked.
 * Throws Unauthenticated if it has expired.
 */
export async function findKeyActor(
  ctx: Context,
  key: string,
  read: KeyReader = (hash) => readKey(ctx, hash),
): Promise<Actor | undefined> {
  await ensureBootstrap(ctx);
  const row = await read(await sha256(key));
  return row && toActor(ctx, row.key, row.role, row.defaultProject ?? undefined);
}

function readKey(ctx: Context, hash: string): Promise<KeyRow | undefined> {
  const read = () => selectKey(ctx, hash);
  return readUntilWrite(ctx.db, { key: `key ${hash}`, tables: [apiKeys, members, projects], read });
}

/** Columns of a `KeyRow`, for queries that join the tables of the membership and the default project. */
export const KEY_COLUMNS = {
  key: apiKeys,
  role: members.role,
  defaultProject: { id: projects.id, organizationId: projects.organizationId },
};

const selectKeyByHash = prepareOnce((db) =>
  db
    .select(KEY_COLUMNS)
    .from(apiKeys)
    .leftJoin(members, isKeyMembership(apiKeys))
    .leftJoin(projects, isDefaultProject(apiKeys))
    .where(eq(apiKeys.hash, sql.placeholder('hash')))
    .prepare(),
);

async function selectKey(ctx: Context, hash: string): Promise<KeyRow | undefined> {
  const [row] = await selectKeyByHash(ctx.db).execute({ hash });
  return row;
}

/**
 * Returns the caller that a stored API key identifies. Returns `undefined` if its user is no longer a member of
 * the key's organization. Throws Unauthenticated if the key has expired.
 */
export function toActor(
  ctx: Context,
  row: ApiKey,
  role: Role | null,
  defaultProject?: Actor['defaultProject'],
): Actor | undefined {
  const now = Date.now();
  if (row.expiresAt && row.expiresAt.getTime() <= now) throw new ExpiredKey(row.expiresAt);
  if (role === null) return undefined;
  if (!row.lastUsedAt || now - row.lastUsedAt.getTime() > LAST_USED_RESOLUTION_MS) {
    ctx.defer(
      ctx.db
        .update(apiKeys)
        .set({ lastUsedAt: new Date(now) })
        .where(eq(apiKeys.id, row.id))
        .run(),
    );
  }
  const scope = getKeyScope(row);
  return {
    userId: row.userId,
    organizationId: row.organizationId,
    keyId: row.id,
    projectId: row.projectId,
    organizationOnly: row.organizationOnly,
    role: limitRole(role, scope),
    scope,
    defaultProject,
  };
}

export interface NewApiKey {
  name?: string | null;
  project_id?: string | null;
  expires_at?: string | null;
  key_type?: 'user' | 'agent' | null;
  /** User who owns the new key. Defaults to the caller. */
  user_id?: string | null;
  /** Scopes of the new key. The highest one counts. Defaults to the scope of the creating key. */
  scopes?: readonly ApiScope[] | null;
  /** `viewer` has the same effect as the scope `read`. */
  role?: 'viewer' | null;
}

/**
 * Creates an API key, which is returned once and stored only as a hash. A project key can only create keys of
 * its project. Admins may create keys for other members, limited to the organization.
 */
export async function createApiKey(
  ctx: TenantContext,
  input: NewApiKey,
): Promise<{ row: ApiKey; key: string }> {
  const projectId = input.project_id ?? ctx.actor.projectId;
  if (projectId) await requireOwnProject(ctx, projectId);
  const userId = input.user_id ?? ctx.actor.userId;
  const isForAnother = userId !== ctx.actor.userId;
  if (isForAnother) {
    await requireAdmin(ctx, ctx.organizationId);
    await getMember(ctx, ctx.organizationId, userId);
  }
  const scope = chooseScope(ctx, input);
  const expiresAt = await chooseExpiry(ctx, input.expires_at);
  const key = generateApiKey();
  const [row] = await ctx.db
    .insert(apiKeys)
    .values({
      id: newId(),
      organizationId: ctx.organizationId,
      userId,
      organizationOnly: isForAnother || ctx.actor.organizationOnly,
      projectId,
      parentId: ctx.actor.keyId,
      name: input.name,
      keyType: input.key_type ?? 'user',
      role: includesScope(scope, 'write') ? null : 'viewer',
      scope,
      hash: await sha256(key),
      redacted: redactApiKey(key),
      expiresAt,
    })
    .returning();
  return { row: row!, key };
}

/** Returns the scope of a new API key. Throws Invalid if the creating key does not have it. */
function chooseScope({ actor }: TenantContext, { scopes, role }: NewApiKey): ApiScope {
  const wanted = scopes?.length ? getHighestScope(scopes) : role ? 'read' : actor.scope;
  if (!includesScope(actor.scope, wanted)) {
    const msg = `must not exceed the scope of the key that creates this key, which is ${actor.scope}`;
    throw Invalid.field(['scopes'], msg);
  }
  return role ? getLowerScope(wanted, 'read') : wanted;
}

/**
 * Returns the expiry of a new API key, or null if it never expires. Defaults to the expiry of the creating
 * key. Throws Invalid if the requested expiry is later.
 */
async function chooseExpiry(ctx: TenantContext, wanted: string | null | undefined): Promise<Date | null> {
  const { keyId } = ctx.actor;
  const parent = keyId ? await ctx.db.query.apiKeys.findFirst({ where: eq(apiKeys.id, keyId) }) : undefined;
  const latest = parent?.expiresAt ?? null;
  if (!wanted) return latest;
  const end = new Date(wanted);
  if (latest && end > latest) {
    const msg = `must not be later than ${latest.toISOString()}, when the key that creates this key expires`;
    throw Invalid.field(['expires_at'], msg);
  }
  return end;
}

async function requireOwnProject(ctx: TenantContext, projectId: string): Promise<void> {
  if (ctx.actor.projectId && ctx.actor.projectId !== projectId) {
    throw new Forbidden('This key is scoped to another project.');
  }
  const project = await ctx.db.query.projects.findFirst({
    where: and(eq(projects.id, projectId), eq(projects.organizationId, ctx.organizationId)),
  });
  if (!project) throw new NotFound('Project', projectId);
}

/**
 * Returns the SQL condition that the caller may see an API key. A project key sees the keys of its project.
 * Other keys see those of their organization.
 */
function whereVisible(ctx: TenantContext) {
  return and(
    eq(apiKeys.organizationId, ctx.organizationId),
    ctx.actor.projectId ? eq(apiKeys.projectId, ctx.actor.projectId) : undefined,
  );
}

export async function listApiKeys(ctx: TenantContext, projectId?: string | null): Promise<ApiKey[]> {
  return ctx.db.query.apiKeys.findMany({
    where: and(
      whereVisible(ctx),
      projectId ? or(eq(apiKeys.projectId, projectId), isNull(apiKeys.projectId)) : undefined,
    ),
    orderBy: [desc(apiKeys.createdAt), desc(apiKeys.id)],
  });
}

/**
 * Revokes an API key. Members may revoke their own keys, and admins any key of the organization. With
 * `withChildren`, keys that were created with it are revoked too.
 */
export async function revokeApiKey(ctx: TenantContext, id: string, withChildren = false): Promise<void> {
  const row = await ctx.db.query.apiKeys.findFirst({ where: and(whereVisible(ctx), eq(apiKeys.id, id)) });
  if (!row) throw new NotFound('API key', id);
  if (row.userId !== ctx.actor.userId) await requireAdmin(ctx, ctx.organizationId);
  await ctx.db
    .delete(apiKeys)
    .where(withChildren ? sql`${apiKeys.id} in (${selectKeyFamily(id)})` : eq(apiKeys.id, id));
}

function selectKeyFamily(id: string): SQL {
  return sql`with recursive family(id) as (
    select ${id} union select child.id from api_keys as child join family on child.parent_id = family.id
  ) select id from family`;
}
