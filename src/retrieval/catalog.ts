import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { fileMember, type TextMember, textMember } from '#src/db/pipeline-members.ts';
import {
  dataSources,
  files,
  indexedDocuments,
  type Pipeline,
  type PipelineIndex,
  pipelineMembers,
} from '#src/db/schema/index.ts';
import { documentMetadata, fileMetadata } from '#src/services/indexes/node-metadata.ts';
import type { CatalogEntry } from './ports.ts';

/** Entries per statement. With the number of concurrent statements it limits both round trips and memory. */
export const PAGE = 1_000;
const PAGES_AT_ONCE = 3;

/**
 * Yields every file and document of the index with the metadata that its nodes carry, ordered by id. With
 * `after`, only entries after that id.
 */
export async function* catalogOf(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex,
  after = '',
): AsyncIterable<CatalogEntry[]> {
  const ends = await pageEnds(ctx, index.id, after);
  const pages = ends.map(({ id }, number) =>
    // The last page has no upper bound, so that it includes entries that were indexed in the meantime.
    within(index.id, ends[number - 1]?.id ?? after, number + 1 < ends.length ? id : undefined),
  );
  for (let from = 0; from < pages.length; from += PAGES_AT_ONCE) {
    const next = pages.slice(from, from + PAGES_AT_ONCE);
    yield* await Promise.all(next.map((page) => entriesOn(ctx, pipeline, page)));
  }
}

type Page = ReturnType<typeof within>;

/** Inlined into the SQL: D1 binds numbers as floating point, so the division would not yield an integer. */
const WHOLE_PAGE = sql.raw(String(PAGE));

/** Returns the last id of each page, in order. */
function pageEnds(ctx: Context, indexId: string, after: string): Promise<{ id: string }[]> {
  return ctx.db.all(sql`
    select max(id) as id from (
      select document_id as id, (row_number() over (order by document_id) - 1) / ${WHOLE_PAGE} as page
      from indexed_documents where index_id = ${indexId} and document_id > ${after} and chunk_count > 0
    ) group by page order by page`);
}

/** A document's chunks are counted once its version is published. */
function within(indexId: string, after: string, last: string | undefined) {
  return and(
    eq(indexedDocuments.indexId, indexId),
    gt(indexedDocuments.documentId, after),
    last === undefined ? undefined : lte(indexedDocuments.documentId, last),
    gt(indexedDocuments.chunkCount, 0),
  );
}

async function entriesOn(ctx: Context, pipeline: Pipeline, page: Page): Promise<CatalogEntry[]> {
  const { id, name, fileType, fileSize, externalFileId, lastModifiedAt, resourceInfo } = files;
  const { tableMetadata, customMetadata, dataSourceId } = fileMember;
  const { documentId, metadata, excludedLlmMetadataKeys } = textMember;
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
    if (!file) return textEntry(pipeline, text);
    return {
      documentId: file.id,
      title: file.name,
      metadata: fileMetadata(pipeline, file, member, source),
    };
  });
}

function textEntry(
  pipeline: Pipeline,
  { hiddenKeys, ...text }: Pick<TextMember, 'documentId' | 'metadata'> & { hiddenKeys: string[] },
): CatalogEntry {
  const metadata = documentMetadata(pipeline, text);
  const title = String(metadata.file_name ?? metadata.title ?? '');
  return { documentId: text.documentId, title, metadata, hiddenKeys };
}
