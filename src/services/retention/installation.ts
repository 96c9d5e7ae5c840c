import { and, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import {
  auditEvents,
  directories,
  invitations,
  organizations,
  storedResponses,
} from '#src/db/schema/index.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { removeExpiredTraces } from './traces.ts';

const ROWS_PER_STEP = 1_000;
/** Maximum number of directories per step. Each has up to 10,000 files, whose rows are deleted with the directory. */
const DIRECTORIES_PER_STEP = 5;
/** Days after which an invitation that was accepted or has expired is deleted. */
const INVITATION_DAYS = 30;
/** Days after which a stored response of the OpenAI protocol is deleted. */
const RESPONSE_DAYS = 30;

/**
 * Deletes expired data of all projects together, until the time `until`: events of the audit log that are older than
 * RETENTION_AUDIT_LOG_DAYS, old invitations, stored responses, expired directories and traces. Returns whether nothing is left.
 */
export async function removeExpiredOfInstallation(ctx: Context, until: number): Promise<boolean> {
  const before = (days: number) => new Date(Date.now() - days * DAY_MS);
  const areEventsGone = await deleteRows(
    ctx,
    auditEvents,
    and(
      // Every event belongs to an organization. The condition lets SQLite use the index by organization and time, so that
      // no change has to write an index by time alone.
      inArray(auditEvents.organizationId, ctx.db.select({ id: organizations.id }).from(organizations)),
      lt(auditEvents.createdAt, before(ctx.settings.RETENTION_AUDIT_LOG_DAYS)),
    )!,
    until,
  );
  const areInvitationsGone = await deleteRows(
    ctx,
    invitations,
    sql`coalesce(accepted_at, expires_at) < ${before(INVITATION_DAYS).getTime()}`,
    until,
  );
  const areResponsesGone = await deleteRows(
    ctx,
    storedResponses,
    lt(storedResponses.createdAt, before(RESPONSE_DAYS)),
    until,
  );
  const areDirectoriesGone = await deleteRows(
    ctx,
    directories,
    lt(directories.expiresAt, new Date()),
    until,
    DIRECTORIES_PER_STEP,
  );
  const areTracesGone = await removeExpiredTraces(ctx, until);
  return areEventsGone && areInvitationsGone && areResponsesGone && areDirectoriesGone && areTracesGone;
}

async function deleteRows(
  { db }: Context,
  table: typeof auditEvents | typeof invitations | typeof storedResponses | typeof directories,
  isOver: SQL,
  until: number,
  rowsPerStep = ROWS_PER_STEP,
): Promise<boolean> {
  while (Date.now() < until) {
    const old = db.select({ id: table.id }).from(table).where(isOver).limit(rowsPerStep);
    const { meta } = await db.delete(table).where(inArray(table.id, old));
    if (meta.changes < rowsPerStep) return true;
  }
  return false;
}
