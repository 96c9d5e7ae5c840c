import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { invitations } from '#src/db/schema/index.ts';

/** Returns the statement that deletes the invitations of a user that nobody has accepted. */
export const deleteOpenInvitations = (
  { db }: Context,
  organizationId: string,
  userId: string,
  condition?: SQL,
) =>
  db
    .delete(invitations)
    .where(
      and(
        eq(invitations.organizationId, organizationId),
        eq(invitations.createdBy, userId),
        isNull(invitations.acceptedAt),
        condition,
      ),
    );

/**
 * Returns the statement that deletes a user's open invitations, unless the user is an admin of the organization. A
 * removed or demoted admin could otherwise come back through a link. Run it after the membership has changed.
 */
export const deleteInvitationsUnlessAdmin = (ctx: Context, organizationId: string, userId: string) =>
  deleteOpenInvitations(
    ctx,
    organizationId,
    userId,
    sql`not exists (select 1 from members where organization_id = ${organizationId}
      and user_id = ${userId} and role = 'admin')`,
  );
