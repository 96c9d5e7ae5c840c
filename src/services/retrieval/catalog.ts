import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import {
  dataSources,
  files,
  indexedDocuments,
  pipelineDocuments,
  pipelineFiles,
} from '#src/db/schema/index.ts';
import type { CatalogEntry } from '#src/retrieval/ports.ts';
import type { Pipeline, PipelineIndex } from '#src/services/indexes/indexes.ts';
import { documentMetadata, fileMetadata } from '#src/services/indexes/node-metadata.ts';

/** Entries of one statement, and statements' pairs under way: bounds both the round trips and the memory. */
export const PAGE = 1_000;
const PAGES_AT_ONCE = 3;

/** Every file and document that the index can answer with, with the metadata its nodes carry. */
export async function* catalogOf(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex,
): AsyncIterable<CatalogEntry[]> {
  const ends = await pageEnds(ctx, index.id);
  const pages = ends.map(({ id }, number) =>
    // The last page has no end: what was indexed meanwhile is on it.
    within(index.id, ends[number - 1]?.id, number + 1 < ends.length ? id : undefined),
  );
  for (let from = 0; from < pages.length; from += PAGES_AT_ONCE) {
    const batches = pages
      .slice(from, from + PAGES_AT_ONCE)
      .flatMap((page) => [filesOn(ctx, pipeline, page), documentsOn(ctx, pipeline, page)]);
    yield* await Promise.all(batches);
  }
}

type Page = ReturnType<typeof within>;

/** Written out: as a parameter it would be a floating-point number, and the division no whole one. */
const WHOLE_PAGE = sql.raw(String(PAGE));

/** The last id of each page, in order. */
function pageEnds(ctx: Context, indexId: string): Promise<{ id: string }[]> {
  return ctx.db.all(sql`
    select max(id) as id from (
      select document_id as id, (row_number() over (order by document_id) - 1) / ${WHOLE_PAGE} as page
      from indexed_documents where index_id = ${indexId} and chunk_count > 0
    ) group by page order by page`);
}

/** Chunks are counted once a version is published. */
function within(indexId: string, after: string | undefined, last: string | undefined) {
  return and(
    eq(indexedDocuments.indexId, indexId),
    after === undefined ? undefined : gt(indexedDocuments.documentId, after),
    last === undefined ? undefined : lte(indexedDocuments.documentId, last),
    gt(indexedDocuments.chunkCount, 0),
  );
}

async function filesOn(ctx: Context, pipeline: Pipeline, page: Page): Promise<CatalogEntry[]> {
  const { id, name, fileType, fileSize, externalFileId, lastModifiedAt, resourceInfo } = files;
  const { tableMetadata, customMetadata, dataSourceId } = pipelineFiles;
  const rows = await ctx.db
    .select({
      file: { id, name, fileType, fileSize, externalFileId, lastModifiedAt, resourceInfo },
      membership: { tableMetadata, customMetadata, dataSourceId },
      source: { customMetadata: dataSources.customMetadata },
    })
    .from(indexedDocuments)
    .innerJoin(
      pipelineFiles,
      and(eq(pipelineFiles.pipelineId, pipeline.id), eq(pipelineFiles.fileId, indexedDocuments.documentId)),
    )
    .innerJoin(files, eq(files.id, pipelineFiles.fileId))
    .leftJoin(dataSources, eq(dataSources.id, dataSourceId))
    .where(page)
    .orderBy(asc(indexedDocuments.documentId));
  return rows.map(({ file, membership, source }) => ({
    documentId: file.id,
    title: file.name,
    metadata: fileMetadata(pipeline, file, membership, source),
  }));
}

async function documentsOn(ctx: Context, pipeline: Pipeline, page: Page): Promise<CatalogEntry[]> {
  const { documentId, metadata, excludedLlmMetadataKeys } = pipelineDocuments;
  const rows = await ctx.db
    .select({ documentId, metadata, hiddenKeys: excludedLlmMetadataKeys })
    .from(indexedDocuments)
    .innerJoin(
      pipelineDocuments,
      and(eq(pipelineDocuments.pipelineId, pipeline.id), eq(documentId, indexedDocuments.documentId)),
    )
    .where(page)
    .orderBy(asc(indexedDocuments.documentId));
  return rows.map((document) => {
    const metadata = documentMetadata(pipeline, document);
    return {
      documentId: document.documentId,
      title: String(metadata.file_name ?? metadata.title ?? ''),
      metadata,
      hiddenKeys: document.hiddenKeys,
    };
  });
}
