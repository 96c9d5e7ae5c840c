import { and, asc, eq, getTableColumns, gt } from 'drizzle-orm';
import type { Context } from '../context.ts';
import {
  dataSources,
  files,
  indexedDocuments,
  pipelineDocuments,
  pipelineFiles,
} from '../db/schema/index.ts';
import type { CatalogEntry } from '../retrieval/ports.ts';
import type { Pipeline, PipelineIndex } from './indexes.ts';
import { documentMetadata, fileMetadata } from './node-metadata.ts';

const BATCH = 500;

/** Every file and document that the index can answer with, with the metadata its nodes carry. */
export async function* catalogOf(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex,
): AsyncIterable<CatalogEntry[]> {
  for (let after = ''; ; ) {
    const rows = await fileRows(ctx, pipeline.id, index.id, after);
    yield rows.map(({ file, membership, source }) => ({
      documentId: file.id,
      title: file.name,
      metadata: fileMetadata(pipeline, file, membership, source),
    }));
    if (rows.length < BATCH) break;
    after = rows.at(-1)!.file.id;
  }
  for (let after = ''; ; ) {
    const rows = await documentRows(ctx, pipeline.id, index.id, after);
    yield rows.map(({ document }) => {
      const metadata = documentMetadata(pipeline, document);
      return {
        documentId: document.documentId,
        title: String(metadata.file_name ?? metadata.title ?? ''),
        metadata,
        hiddenKeys: document.excludedLlmMetadataKeys,
      };
    });
    if (rows.length < BATCH) break;
    after = rows.at(-1)!.document.documentId;
  }
}

function fileRows(ctx: Context, pipelineId: string, indexId: string, after: string) {
  return ctx.db
    .select({
      membership: getTableColumns(pipelineFiles),
      file: getTableColumns(files),
      source: getTableColumns(dataSources),
    })
    .from(indexedDocuments)
    .innerJoin(
      pipelineFiles,
      and(eq(pipelineFiles.pipelineId, pipelineId), eq(pipelineFiles.fileId, indexedDocuments.documentId)),
    )
    .innerJoin(files, eq(files.id, pipelineFiles.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineFiles.dataSourceId))
    .where(indexed(indexId, after))
    .orderBy(asc(indexedDocuments.documentId))
    .limit(BATCH);
}

function documentRows(ctx: Context, pipelineId: string, indexId: string, after: string) {
  return ctx.db
    .select({ document: getTableColumns(pipelineDocuments) })
    .from(indexedDocuments)
    .innerJoin(
      pipelineDocuments,
      and(
        eq(pipelineDocuments.pipelineId, pipelineId),
        eq(pipelineDocuments.documentId, indexedDocuments.documentId),
      ),
    )
    .where(indexed(indexId, after))
    .orderBy(asc(indexedDocuments.documentId))
    .limit(BATCH);
}

/** Chunks are counted once a version is published. */
const indexed = (indexId: string, after: string) =>
  and(
    eq(indexedDocuments.indexId, indexId),
    gt(indexedDocuments.documentId, after),
    gt(indexedDocuments.chunkCount, 0),
  );
