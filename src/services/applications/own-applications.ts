import { and, desc, eq, gt, isNotNull, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { type ConnectedApplication, connectedApplications } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { includesScope } from '#src/services/tenancy/api-scopes.ts';

/**
 * Returns the SQL condition that the caller may see a connected application. A caller with fewer rights than the user
 * sees only applications that have the same limits.
 */
const whereOwn = ({ actor, organizationId }: TenantContext): SQL | undefined =>
  and(
    eq(connectedApplications.organizationId, organizationId),
    eq(connectedApplications.userId, actor.userId),
    actor.projectId ? eq(connectedApplications.projectId, actor.projectId) : undefined,
    includesScope(actor.scope, 'write') ? undefined : eq(connectedApplications.canWrite, false),
  );

/** Returns the connected applications of the caller's user in the organization, newest first. */
export const listOwnApplications = (ctx: TenantContext): Promise<ConnectedApplication[]> =>
  ctx.db.query.connectedApplications.findMany({
    where: and(
      whereOwn(ctx),
      isNotNull(connectedApplications.redeemedAt),
      gt(connectedApplications.expiresAt, new Date()),
    ),
    orderBy: [desc(connectedApplications.createdAt), desc(connectedApplications.id)],
  });

/** Disconnects an application of the caller's user. Throws NotFound for all other applications. */
export async function removeOwnApplication(ctx: TenantContext, id: string): Promise<void> {
  const removed = await ctx.db
    .delete(connectedApplications)
    .where(and(whereOwn(ctx), eq(connectedApplications.id, id)))
    .returning({ id: connectedApplications.id });
  if (removed.length === 0) throw new NotFound('Connected application', id);
}
