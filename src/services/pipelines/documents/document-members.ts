import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { whereFile, whereFiles, whereText, whereTexts } from '#src/db/pipeline-members.ts';
import { type DataSource, dataSources, type FileRow, files, pipelineMembers } from '#src/db/schema/index.ts';
import { bareId } from '#src/lib/ids.ts';

export type Member = typeof pipelineMembers.$inferSelect;

/** Document of a pipeline: an inserted text, or a file. */
export interface DocumentMember {
  member: Member;
  file: FileRow | null;
  /** Data source of the file. Null for uploads and inserted texts. */
  source: DataSource | null;
}

export interface DocumentFilter {
  file_id?: string | null | undefined;
  only_direct_upload?: boolean | null | undefined;
  only_api_data_source_documents?: boolean | null | undefined;
}

export const selectDocuments = (ctx: Context, where: SQL | undefined) =>
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

/** Returns whether a filter excludes some documents of a pipeline. */
export const isFiltered = (filter: DocumentFilter): boolean =>
  Boolean(filter.file_id || filter.only_direct_upload || filter.only_api_data_source_documents);

/**
 * Returns the SQL condition for documents that match a filter. Without a filter, it includes both files and
 * texts, which share one database index.
 */
export function buildDocumentConditions(pipelineId: string, filter: DocumentFilter): SQL | undefined {
  const { file_id: fileId, only_direct_upload: direct, only_api_data_source_documents: ofSources } = filter;
  // The unary plus keeps SQLite from using an index on this column, because the list would then have to be
  // sorted.
  const isOfSource = sql`+${pipelineMembers.dataSourceId} is not null`;
  if (fileId) {
    return and(
      whereFile(pipelineId, bareId(fileId).toLowerCase()),
      ofSources ? isOfSource : undefined,
      direct ? sql`false` : undefined,
    );
  }
  if (direct) return and(whereTexts(pipelineId), ofSources ? sql`false` : undefined);
  return ofSources ? and(whereFiles(pipelineId), isOfSource) : eq(pipelineMembers.pipelineId, pipelineId);
}

/** Returns documents by id. If a text and a file have the same id, the text is returned. */
export async function findMembers(
  ctx: Context,
  pipelineId: string,
  ids: string[],
): Promise<Map<string, DocumentMember>> {
  const where = and(eq(pipelineMembers.pipelineId, pipelineId), isInList(pipelineMembers.documentId, ids));
  const rows = await selectDocuments(ctx, where);
  const isText = ({ member }: DocumentMember) => Number(member.kind === 'text');
  return new Map(
    rows.sort((a, b) => isText(a) - isText(b)).map((row) => [row.member.documentId, row] as const),
  );
}

export const whereMember = ({ kind, pipelineId, documentId }: Member) =>
  kind === 'file' ? whereFile(pipelineId, documentId) : whereText(pipelineId, documentId);
