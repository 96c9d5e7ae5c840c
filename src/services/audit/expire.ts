import { inArray, lt } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { auditEvents } from '#src/db/schema/index.ts';
import { DAY_MS } from '#src/lib/day.ts';

const EVENTS_PER_STEP = 1_000;

/**
 * Deletes events that are older than RETENTION_AUDIT_LOG_DAYS, until the time `until`. Returns whether none is
 * left.
 */
export async function expireAuditEvents(ctx: Context, until: number): Promise<boolean> {
  const before = new Date(Date.now() - ctx.settings.RETENTION_AUDIT_LOG_DAYS * DAY_MS);
  while (Date.now() < until) {
    const old = ctx.db
      .select({ id: auditEvents.id })
      .from(auditEvents)
      .where(lt(auditEvents.createdAt, before))
      .limit(EVENTS_PER_STEP);
    const { meta } = await ctx.db.delete(auditEvents).where(inArray(auditEvents.id, old));
    if (meta.changes < EVENTS_PER_STEP) return true;
  }
  return false;
}
