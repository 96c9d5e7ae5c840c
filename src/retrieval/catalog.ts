import { and, asc, eq, gt, inArray, lte, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { fileMemberColumns, type TextMember, textMemberColumns } from '#src/db/pipeline-members.ts';
import {
  dataSources,
  files,
  indexedDocuments,
  type Pipeline,
  type PipelineIndex,
  pipelineMembers,
} from '#src/db/schema/index.ts';
import { buildDocumentMetadata, buildFileMetadata } from '#src/services/indexes/node-metadata.ts';
import type { CatalogEntry } from './ports.ts';

/**
 * Number of catalog entries read per database query. It limits both the number of queries and the memory that
 * concurrent queries use.
 */
export const PAGE_SIZE = 1_000;
const MAX_CONCURRENT_PAGES = 3;

/**
 * Yields every file and text document of an index with its node metadata, ordered by id. If `after` is set,
 * starts after that id.
 */
export async function* readCatalog(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex,
  after = '',
): AsyncIterable<CatalogEntry[]> {
  const ends = await findPageEnds(ctx, index.id, after);
  const pages = ends.map(({ id }, number) =>
    // The last page has no upper bound. It therefore includes entries that were indexed while the catalog is
    // read.
    whereInPage(index.id, ends[number - 1]?.id ?? after, number + 1 < ends.length ? id : undefined),
  );
  for (let from = 0; from < pages.length; from += MAX_CONCURRENT_PAGES) {
    const next = pages.slice(from, from + MAX_CONCURRENT_PAGES);
    yield* await Promise.all(next.map((page) => readEntries(ctx, pipeline, page)));
  }
}

/**
 * Returns the first `limit` files and text documents of an index after an id, ordered by id. Unlike `readCatalog`, it
 * reads no more of the index than it returns.
 */
export function readFirstEntries(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex,
  { after = '', limit }: { after?: string; limit: number },
): Promise<CatalogEntry[]> {
  // The subquery limits the documents before they are joined. SQLite would join all of them otherwise.
  const first = ctx.db
    .select({ id: indexedDocuments.documentId })
    .from(indexedDocuments)
    .where(whereInPage(index.id, after, undefined))
    .orderBy(asc(indexedDocuments.documentId))
    .limit(limit);
  const page = and(eq(indexedDocuments.indexId, index.id), inArray(indexedDocuments.documentId, first));
  return readEntries(ctx, pipeline, page);
}

type Page = ReturnType<typeof whereInPage>;

/**
 * The number is part of the SQL text. As a parameter, D1 would pass it as floating point, and the division
 * would not yield an integer.
 */
const PAGE_SIZE_SQL = sql.raw(String(PAGE_SIZE));

function findPageEnds(ctx: Context, indexId: string, after: string): Promise<{ id: string }[]> {
  return ctx.db.all(sql`
    select max(id) as id from (
      select document_id as id, (row_number() over (order by document_id) - 1) / ${PAGE_SIZE_SQL} as page
      from indexed_documents where index_id = ${indexId} and document_id > ${after} and chunk_count > 0
    ) group by page order by page`);
}

/**
 * Builds the condition that selects the published documents of one page. `chunk_count` is above zero once a
 * version of a document is published.
 */
function whereInPage(indexId: string, after: string, last: string | undefined) {
  return and(
    eq(indexedDocuments.indexId, indexId),
    gt(indexedDocuments.documentId, after),
    last === undefined ? undefined : lte(indexedDocuments.documentId, last),
    gt(indexedDocuments.chunkCount, 0),
  );
}

async function readEntries(ctx: Context, pipeline: Pipeline, page: Page): Promise<CatalogEntry[]> {
  const { id, name, fileType, fileSize, externalFileId, lastModifiedAt, resourceInfo } = files;
  const { tableMetadata, customMetadata, dataSourceId } = fileMemberColumns;
  const { documentId, metadata, excludedLlmMetadataKeys } = textMemberColumns;
  const rows = await ctx.db
    .select({
      file: { id, name, fileType, fileSize, externalFileId, lastModifiedAt, resourceInfo },
      member: { tableMetadata, customMetadata, dataSourceId },
      source: { customMetadata: dataSources.customMetadata },
      text: { documentId, metadata, hiddenKeys: excludedLlmMetadataKeys },
    })
    .from(indexedDocuments)
    .innerJoin(
      pipelineMembers,
      and(
        eq(pipelineMembers.pipelineId, pipeline.id),
        eq(pipelineMembers.documentId, indexedDocuments.documentId),
      ),
    )
    .leftJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .where(page)
    .orderBy(asc(indexedDocuments.documentId));
  return rows.map(({ file, member, source, text }) => {
    if (!file) return toTextEntry(pipeline, text);
    return {
      documentId: file.id,
      title: file.name,
      metadata: buildFileMetadata(pipeline, file, member, source),
    };
  });
}

function toTextEntry(
  pipeline: Pipeline,
  { hiddenKeys, ...text }: Pick<TextMember, 'documentId' | 'metadata'> & { hiddenKeys: string[] },
): CatalogEntry {
  const metadata = buildDocumentMetadata(pipeline, text);
  const title = String(metadata.file_name ?? metadata.title ?? '');
  return { documentId: text.documentId, title, metadata, hiddenKeys };
}
