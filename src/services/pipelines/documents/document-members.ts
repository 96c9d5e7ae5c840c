import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { filesOf, isFileOf, isTextOf, textsOf } from '#src/db/pipeline-members.ts';
import { type DataSource, dataSources, type FileRow, files, pipelineMembers } from '#src/db/schema/index.ts';
import { bareId } from '#src/lib/ids.ts';

export type Member = typeof pipelineMembers.$inferSelect;

/** A document of a pipeline: an inserted text, or a file. */
export interface DocumentMember {
  member: Member;
  /** Null for inserted texts. */
  file: FileRow | null;
  /** Data source of the file; null for uploads. */
  source: DataSource | null;
}

export interface DocumentFilter {
  file_id?: string | null | undefined;
  only_direct_upload?: boolean | null | undefined;
  only_api_data_source_documents?: boolean | null | undefined;
}

export const documentRows = (ctx: Context, where: SQL | undefined) =>
  ctx.db
    .select({
      member: getTableColumns(pipelineMembers),
      file: getTableColumns(files),
      source: getTableColumns(dataSources),
    })
    .from(pipelineMembers)
    .leftJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .where(where)
    .$dynamic();

/** Without a filter, an index that covers both kinds is used. */
export function documentConditions(pipelineId: string, filter: DocumentFilter): SQL | undefined {
  const { file_id: fileId, only_direct_upload: direct, only_api_data_source_documents: ofSources } = filter;
  // A unary plus keeps SQLite on the index of the list's order.
  const isOfSource = sql`+${pipelineMembers.dataSourceId} is not null`;
  if (fileId) {
    return and(
      isFileOf(pipelineId, bareId(fileId).toLowerCase()),
      ofSources ? isOfSource : undefined,
      direct ? sql`false` : undefined,
    );
  }
  if (direct) return and(textsOf(pipelineId), ofSources ? sql`false` : undefined);
  return ofSources ? and(filesOf(pipelineId), isOfSource) : eq(pipelineMembers.pipelineId, pipelineId);
}

/** Finds members by document id. If a text and a file have the same id, the text is returned. */
export async function findMembers(
  ctx: Context,
  pipelineId: string,
  ids: string[],
): Promise<Map<string, DocumentMember>> {
  const where = and(eq(pipelineMembers.pipelineId, pipelineId), isOneOf(pipelineMembers.documentId, ids));
  const rows = await documentRows(ctx, where);
  const isText = ({ member }: DocumentMember) => Number(member.kind === 'text');
  return new Map(
    rows.sort((a, b) => isText(a) - isText(b)).map((row) => [row.member.documentId, row] as const),
  );
}

/** Condition that selects a member's row. */
export const isMember = ({ kind, pipelineId, documentId }: Member) =>
  kind === 'file' ? isFileOf(pipelineId, documentId) : isTextOf(pipelineId, documentId);
