import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { Context } from '#src/context/context.ts';
import { retryUntilWritten } from '#src/db/retry-until-written.ts';
import type { questionSets, truthSets } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';

/** Maximum number of JSON characters per statement. D1 limits a parameter to 2 MB. */
const CHARACTERS_PER_STATEMENT = 400_000;

export type Statement = BatchItem<'sqlite'>;

export interface CurrentSet {
  /** SQL condition that the members of the set are the ones that were read. */
  isCurrent: SQL;
}

/**
 * Changes members of a set and raises the version of the set, in one transaction. `build` returns statements that
 * depend on the condition `isCurrent`. It is called again if another request changed the members.
 */
export async function changeVersionedSet(
  ctx: Context,
  { table, name }: { table: typeof questionSets | typeof truthSets; name: string },
  setId: string,
  build: (current: CurrentSet) => Promise<Statement[]>,
): Promise<void> {
  await retryUntilWritten(async () => {
    const [set] = await ctx.db
      .select({ id: table.id, version: table.version })
      .from(table)
      .where(eq(table.id, setId));
    if (!set) throw new NotFound(name, setId);
    const isCurrent = sql`exists (select 1 from ${table} as own where own.id = ${set.id} and own.version = ${set.version})`;
    const [first, ...others] = await build({ isCurrent });
    // The version is raised last, so that the conditions of all statements see the same version.
    const raise = ctx.db
      .update(table)
      .set({ version: set.version + 1, updatedAt: new Date() })
      .where(and(eq(table.id, set.id), eq(table.version, set.version)))
      .returning({ id: table.id });
    const results: unknown[] = await ctx.db.batch([first!, ...others, raise]);
    const raised = results.at(-1) as { id: string }[];
    return raised.length > 0 ? set : undefined;
  });
}

/** Splits rows into JSON arrays that are short enough for a parameter of a statement. */
export function splitRows(rows: readonly object[]): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let characters = 0;
  for (const row of rows) {
    const json = JSON.stringify(row);
    if (part.length > 0 && characters + json.length > CHARACTERS_PER_STATEMENT) {
      parts.push(`[${part.join(',')}]`);
      [part, characters] = [[], 0];
    }
    part.push(json);
    characters += json.length;
  }
  if (part.length > 0) parts.push(`[${part.join(',')}]`);
  return parts;
}
