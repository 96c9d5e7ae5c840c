import { sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { auditEvents } from '#src/db/schema/index.ts';
import { backoff } from '#src/lib/async/backoff.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { currentTrace } from '#src/lib/trace.ts';

/** Change or sign-in to record. It contains ids and names of operations, never contents of requests. */
export interface NewAuditEvent {
  /** Defaults to a new id. An event with an id that exists is not stored again. */
  id?: string;
  organizationId: string;
  projectId?: string | null;
  userId?: string | null;
  keyId?: string | null;
  operation: string;
  outcome?: 'success' | 'failure';
  objectType?: string | null;
  objectId?: string | null;
  requestId: string;
  address?: string | undefined;
}

const MAX_ATTEMPTS = 3;
const RETRIES = { first: 0.1, longest: 1 };
/** Maximum length of values that come from a request, such as an object's name in a path. */
const MAX_TEXT = 200;

/**
 * Writes an event to the audit log. Resolves when the row is stored. If the database still fails after three
 * attempts, the event is written to the log of the service instead, because the change has already happened.
 */
export async function recordEvent(ctx: Context, event: NewAuditEvent): Promise<void> {
  const row = buildRow(ctx, event);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await ctx.db.insert(auditEvents).values(row).onConflictDoNothing();
      return;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || isOrganizationGone(error)) {
        ctx.log.error('audit event not stored', { ...row, error: getErrorMessage(error) });
        return;
      }
      await scheduler.wait(backoff(RETRIES, attempt) * 1000);
    }
  }
}

/** Returns the row of an event, with the time and the trace of the current request. */
export const buildRow = (ctx: Context, event: NewAuditEvent) => ({
  ...event,
  id: event.id ?? newId(),
  outcome: event.outcome ?? ('success' as const),
  objectId: event.objectId?.slice(0, MAX_TEXT) ?? null,
  requestId: event.requestId.slice(0, MAX_TEXT),
  traceId: currentTrace()?.traceId ?? null,
  address: ctx.settings.AUDIT_LOG_ADDRESSES ? (event.address ?? null) : null,
  createdAt: new Date(),
});

const isOrganizationGone = (error: unknown) => /FOREIGN KEY/.test(getErrorMessage(error));

/** Maximum number of events per statement. D1 aborts a statement after 30 seconds. */
const EVENTS_PER_UPDATE = 2_000;

/**
 * Removes what identifies a user from the events of one organization. The events themselves stay. Returns the
 * number of changed events. An interrupted call can be repeated.
 */
export async function forgetUser(ctx: Context, organizationId: string, userId: string): Promise<number> {
  const own = sql`select rowid from audit_events
    where organization_id = ${organizationId} and user_id = ${userId} limit ${EVENTS_PER_UPDATE}`;
  for (let forgotten = 0; ; ) {
    const { meta } = await ctx.db
      .update(auditEvents)
      .set({ userId: null, keyId: null, address: null })
      .where(sql`rowid in (${own})`);
    forgotten += meta.changes;
    if (meta.changes < EVENTS_PER_UPDATE) return forgotten;
  }
}
