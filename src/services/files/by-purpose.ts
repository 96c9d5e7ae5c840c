import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { type IdPage, type IdPageQuery, readPageById } from '#src/db/paging-by-id.ts';
import { type FileRow, files } from '#src/db/schema/index.ts';
import { bareId } from '#src/lib/ids.ts';

/** Purpose of files that were uploaded without one. */
export const DEFAULT_PURPOSE = 'user_data';

/** Maximum number of files per page. A client that asks for more reads further pages. */
const MAX_FILES = 1_000;

/** Returns a page of the files of the caller's project, sorted by creation, optionally of one purpose only. */
export function getFilesByPurpose(
  ctx: TenantContext,
  query: IdPageQuery & { purpose?: string | null | undefined },
): Promise<IdPage<FileRow>> {
  const isOfProject = eq(files.projectId, ctx.projectId);
  const isOfPurpose: SQL | undefined = query.purpose
    ? sql`coalesce(${files.purpose}, ${DEFAULT_PURPOSE}) = ${query.purpose}`
    : undefined;
  return readPageById(
    { ...query, limit: Math.min(query.limit, MAX_FILES) },
    {
      columns: [files.createdAt, files.id],
      async findKey(id) {
        const row = await ctx.db.query.files.findFirst({
          columns: { id: true, createdAt: true },
          where: and(isOfProject, eq(files.id, bareId(id))),
        });
        return row && [row.createdAt.getTime(), row.id];
      },
      read: (where, sorted, limit) =>
        ctx.db
          .select()
          .from(files)
          .where(and(isOfProject, isOfPurpose, where))
          .orderBy(sorted(files.createdAt), sorted(files.id))
          .limit(limit),
    },
  );
}
