import { eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { keys } from '#src/bucket/keys.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { organizations, projects } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';
import { countRows } from './read.ts';
import { listBackupTables } from './tables.ts';

/**
 * Parameters of a restore. They are stored in the bucket during the restore, so that every call refers to the
 * same restore.
 */
const orderSchema = z.object({
  /** Id of the backup, which is also the id of its restore. */
  id: z.string(),
  /** Id of the project to restore. Null restores the whole installation. */
  project: z.string().nullable(),
  /** Id of the organization that will own the project. */
  organization: z.string().nullable(),
  hold: z.boolean(),
});
export type RestoreOrder = z.infer<typeof orderSchema>;

/**
 * Starts a restore, or returns the restore that is in progress. Throws Conflict with a list of existing data
 * if there is any, because a restore never merges data.
 */
export async function beginRestore(
  ctx: TenantContext,
  input: {
    backup_id: string;
    project?: string | null | undefined;
    organization?: string | null | undefined;
    hold?: boolean | null | undefined;
  },
): Promise<RestoreOrder & { resumed: boolean }> {
  await requireOperator(ctx);
  const project = input.project ?? null;
  const known = await findOrder(ctx, input.backup_id);
  if (known && known.project === project) return { ...known, resumed: true };
  if (known)
    throw new Conflict(
      `The restore of backup ${input.backup_id} was started for another project or the whole installation. Send the same \`project\`.`,
    );
  const there = await listExistingData(ctx, project);
  if (there.length > 0) {
    const what = project === null ? 'The installation is not empty' : `Project ${project} is not empty`;
    throw new Conflict(`${what}: it has ${there.join(', ')}.`);
  }
  // A project of the backup may have the same name as the installation's first project. The first project is
  // therefore renamed to its id.
  if (project === null) await ctx.db.update(projects).set({ name: sql`${projects.id}` });
  const made: RestoreOrder = {
    id: input.backup_id,
    project,
    organization: project === null ? null : await chooseOrganization(ctx, project, input.organization),
    hold: input.hold ?? false,
  };
  await ctx.bucket.put(keys.restoreOrder(made.id), JSON.stringify(made));
  return { ...made, resumed: false };
}

export async function requireOrder(ctx: TenantContext, id: string): Promise<RestoreOrder> {
  await requireOperator(ctx);
  const found = await findOrder(ctx, id);
  if (!found) throw new NotFound('Restore', id);
  return found;
}

async function findOrder(ctx: Context, id: string): Promise<RestoreOrder | undefined> {
  const object = await ctx.bucket.get(keys.restoreOrder(id));
  return object ? orderSchema.parse(await object.json()) : undefined;
}

/** Describes existing data that prevents a restore. Rows that every new installation has do not count. */
async function listExistingData(ctx: Context, project: string | null): Promise<string[]> {
  const found: string[] = [];
  for (const table of listBackupTables(project)) {
    const rows = await countRows(ctx, table, project);
    if (rows > (table.existsInNewInstallation ? 1 : 0)) found.push(`${rows} ${table.shape.name}`);
  }
  const prefix = project === null ? keys.projects : keys.project(project);
  const { objects } = await ctx.bucket.list({ prefix, limit: 1 });
  if (objects[0]) found.push(`bytes (${objects[0].key})`);
  return found;
}

/**
 * Returns the organization that will own the project: its current organization, otherwise the named one,
 * otherwise the caller's.
 */
async function chooseOrganization(
  ctx: TenantContext,
  project: string,
  named: string | null | undefined,
): Promise<string> {
  const there = await ctx.db.query.projects.findFirst({ where: eq(projects.id, project) });
  const id = there?.organizationId ?? named ?? ctx.organizationId;
  const isKnown = await ctx.db.$count(organizations, sql`${organizations.id} = ${id}`);
  if (isKnown === 0) throw new NotFound('Organization', id);
  return id;
}
