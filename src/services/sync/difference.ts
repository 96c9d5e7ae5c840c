import { and, asc, eq, gt, isNull, ne, not, or, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import {
  dataSources,
  files,
  indexedDocuments,
  pipelineDocuments,
  pipelineFiles,
} from '#src/db/schema/index.ts';
import { configHash } from '#src/lib/hash.ts';
import { INGEST_REVISION, type Pipeline, type PipelineIndex } from '#src/services/indexes/indexes.ts';

/**
 * What is in the pipeline but not, or no longer so, in its index, and what is in the index but not in the
 * pipeline. All three compare fingerprints inside the database, a page of ids at a time.
 */
export interface Difference {
  fileIds: string[];
  documentIds: string[];
  removedIds: string[];
}

const PAGE = 500;

/** The part of a content fingerprint that the pipeline's configuration decides. */
export function shapeOf(pipeline: Pipeline): Promise<string> {
  return configHash({
    revision: INGEST_REVISION,
    parsing: pipeline.parsingConfigHash,
    transform: pipeline.transformConfigHash,
    embedTitle: embedsTitle(pipeline),
  });
}

/** The file's name is embedded with each chunk unless the pipeline keeps `file_name` out of embeddings. */
export function embedsTitle(pipeline: Pipeline): boolean {
  return !(pipeline.metadataConfig?.excluded_embed_metadata_keys ?? []).includes('file_name');
}

/** Compares as text with what `indexedDocuments` and `failedFingerprint` keep. */
export const fileContentFingerprint = (shape: string): SQL<string> =>
  sql<string>`${files.contentHash} || ':' || ${shape}`;
/** Of a file that the engine of this name could not read: another one may. */
export const unreadFingerprint = (content: SQL<string> | string, ocrId: string): SQL<string> =>
  sql<string>`${content} || ${`:unread:${ocrId}`}`;
export const fileMetadataFingerprint: SQL<string> = sql<string>`${files.updatedAt} || ':' || ${pipelineFiles.describedAt} || ':' || coalesce(${dataSources.updatedAt}, 0)`;
export const documentContentFingerprint = (shape: string): SQL<string> =>
  sql<string>`${pipelineDocuments.contentHash} || ':' || ${shape}`;
export const documentMetadataFingerprint: SQL<string> = sql<string>`'' || ${pipelineDocuments.describedAt}`;

/** The data source has bytes that we do not. */
const isToBeFetched = sql`${files.sourceVersion} is not ${files.fetchedVersion}`;
/** What an attempt to fetch is kept as when no retry can help it: another one needs another version. */
export const fetchFingerprint: SQL<string> = sql<string>`'source:' || ${files.sourceVersion}`;

/** Walks the differences in pages; ends early when the caller stops reading. `fileIds`: only those of these files. */
export async function* differences(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex,
  fileIds: string[] | null = null,
): AsyncGenerator<Difference> {
  const shape = await shapeOf(pipeline);
  const only = fileIds
    ? sql`${files.id} in (select value from json_each(${JSON.stringify(fileIds)}))`
    : undefined;
  const ocrId = await ctx.parser.ocrId();
  yield* paged((after) => changedFiles(ctx, pipeline, index, { shape, ocrId }, after, only), 'fileIds');
  if (fileIds) return;
  yield* paged((after) => changedDocuments(ctx, pipeline, index, shape, after), 'documentIds');
  yield* paged((after) => orphans(ctx, pipeline, index, after), 'removedIds');
}

async function* paged(
  read: (after: string) => Promise<{ id: string }[]>,
  kind: keyof Difference,
): AsyncGenerator<Difference> {
  let after = '';
  for (;;) {
    const rows = await read(after);
    if (rows.length > 0) {
      yield { fileIds: [], documentIds: [], removedIds: [], [kind]: rows.map((row) => row.id) };
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.id;
  }
}

function changedFiles(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex,
  { shape, ocrId }: { shape: string; ocrId: string },
  after: string,
  only: SQL | undefined,
) {
  const content = fileContentFingerprint(shape);
  return ctx.db
    .select({ id: files.id })
    .from(pipelineFiles)
    .innerJoin(files, eq(files.id, pipelineFiles.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineFiles.dataSourceId))
    .leftJoin(
      indexedDocuments,
      and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, files.id)),
    )
    .where(
      and(
        eq(pipelineFiles.pipelineId, pipeline.id),
        gt(pipelineFiles.fileId, after),
        only,
        or(
          and(isToBeFetched, sql`${pipelineFiles.failedFingerprint} is not ${fetchFingerprint}`),
          and(
            sql`${files.contentHash} is not null`,
            not(isToBeFetched),
            or(
              isNull(indexedDocuments.documentId),
              ne(indexedDocuments.contentFingerprint, content),
              ne(indexedDocuments.metadataFingerprint, fileMetadataFingerprint),
            ),
            sql`coalesce(${pipelineFiles.failedFingerprint}, '')
              not in (${content}, ${unreadFingerprint(content, ocrId)})`,
          ),
        ),
      ),
    )
    .orderBy(asc(pipelineFiles.fileId))
    .limit(PAGE);
}

function changedDocuments(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex,
  shape: string,
  after: string,
) {
  const content = documentContentFingerprint(shape);
  return ctx.db
    .select({ id: pipelineDocuments.documentId })
    .from(pipelineDocuments)
    .leftJoin(
      indexedDocuments,
      and(
        eq(indexedDocuments.indexId, index.id),
        eq(indexedDocuments.documentId, pipelineDocuments.documentId),
      ),
    )
    .where(
      and(
        eq(pipelineDocuments.pipelineId, pipeline.id),
        gt(pipelineDocuments.documentId, after),
        or(
          isNull(indexedDocuments.documentId),
          ne(indexedDocuments.contentFingerprint, content),
          ne(indexedDocuments.metadataFingerprint, documentMetadataFingerprint),
        ),
        or(isNull(pipelineDocuments.failedFingerprint), ne(pipelineDocuments.failedFingerprint, content)),
      ),
    )
    .orderBy(asc(pipelineDocuments.documentId))
    .limit(PAGE);
}

function orphans(ctx: Context, pipeline: Pipeline, index: PipelineIndex, after: string) {
  return ctx.db
    .select({ id: indexedDocuments.documentId })
    .from(indexedDocuments)
    .where(
      and(
        eq(indexedDocuments.indexId, index.id),
        gt(indexedDocuments.documentId, after),
        sql`not exists (select 1 from pipeline_files pf where pf.pipeline_id = ${pipeline.id}
          and pf.file_id = ${indexedDocuments.documentId})`,
        sql`not exists (select 1 from pipeline_documents pd where pd.pipeline_id = ${pipeline.id}
          and pd.document_id = ${indexedDocuments.documentId})`,
      ),
    )
    .orderBy(asc(indexedDocuments.documentId))
    .limit(PAGE);
}
