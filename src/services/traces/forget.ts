import { sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { traces } from '#src/db/schema/index.ts';

/** Maximum number of traces per statement. D1 aborts a statement after 30 seconds. */
const ROWS_PER_UPDATE = 2_000;

/** Removes what identifies a user from the traces of an organization. The traces stay until they expire. */
export async function forgetAsker(ctx: Context, organizationId: string, userId: string): Promise<void> {
  const own = sql`select traces.rowid from traces join projects on projects.id = traces.project_id
    where traces.user_id = ${userId} and projects.organization_id = ${organizationId} limit ${ROWS_PER_UPDATE}`;
  for (;;) {
    const { meta } = await ctx.db
      .update(traces)
      .set({ userId: null, keyId: null })
      .where(sql`rowid in (${own})`);
    if (meta.changes < ROWS_PER_UPDATE) return;
  }
}
