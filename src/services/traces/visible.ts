import { and, eq, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { projects, type TraceRow, traces } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { findRole } from '#src/services/tenancy/roles.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';

/**
 * Returns the SQL condition for the traces of an organization that the caller may see. Returns `undefined` for admins,
 * who see all of them. Others see only what they asked themselves, as with chat sessions.
 */
export async function whereVisible(ctx: TenantContext, organizationId: string): Promise<SQL | undefined> {
  const role = await findRole(ctx, ctx.actor, organizationId);
  return role === 'admin' ? undefined : eq(traces.userId, ctx.actor.userId);
}

/** Returns a trace that the caller may see. Throws `NotFound` otherwise. */
export async function requireTrace(ctx: TenantContext, id: string): Promise<TraceRow> {
  const [found] = await ctx.db
    .select({ trace: traces, organizationId: projects.organizationId })
    .from(traces)
    .innerJoin(projects, eq(projects.id, traces.projectId))
    .where(and(eq(traces.id, id), withinScope(ctx, traces.projectId)));
  if (found?.trace.userId === ctx.actor.userId) return found.trace;
  if (found && (await whereVisible(ctx, found.organizationId)) === undefined) return found.trace;
  throw new NotFound('Trace', id);
}
