import { and, asc, eq, gt, isNull, ne, not, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Context } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { whereFiles } from '#src/db/pipeline-members.ts';
import {
  dataSources,
  files,
  type IngestionStatus,
  indexedDocuments,
  type MemberKind,
  type Pipeline,
  type PipelineIndex,
  pipelineMembers,
} from '#src/db/schema/index.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { needsModel, resolveReadingPlan } from '#src/reading/plan/plan.ts';
import { INGEST_REVISION } from '#src/services/indexes/indexes.ts';
import { openParameters } from '#src/services/pipelines/configuration.ts';

/** File or text of the pipeline whose index entry is missing or outdated. */
export interface ChangedMember {
  id: string;
  kind: MemberKind;
  documentId: string;
  status: IngestionStatus;
  /** Size in bytes of the file or text with its metadata. Null if the size is unknown. */
  bytes: number | null;
}

export interface Difference {
  members: ChangedMember[];
  removedIds: string[];
}

export const PAGE_SIZE = 500;

/** Hashes of the pipeline's configuration, which are parts of the fingerprints of documents. */
export interface FingerprintParts {
  content: string;
  /**
   * Hash of the list of metadata keys that the pipeline excludes from embeddings. If the list changes, all
   * documents count as changed.
   */
  metadata: string;
}

export async function buildFingerprintParts(pipeline: Pipeline): Promise<FingerprintParts> {
  const excluded = new Set(pipeline.metadataConfig?.excluded_embed_metadata_keys);
  return {
    content: await configHash({
      revision: INGEST_REVISION,
      parsing: pipeline.parsingConfigHash,
      transform: pipeline.transformConfigHash,
    }),
    metadata: await configHash([...excluded].toSorted()),
  };
}

/** Content hash of a file or text. Null while a file has no content. */
const contentHash = sql<string | null>`coalesce(${files.contentHash}, ${pipelineMembers.contentHash})`;
/**
 * Returns SQL for the content fingerprint, which changes if a document has to be chunked again. It combines
 * the content hash with the configuration.
 */
export const buildContentFingerprint = (shape: FingerprintParts): SQL<string> =>
  sql<string>`${contentHash} || ':' || ${shape.content}`;
/**
 * Returns SQL for the fingerprint of a file that this OCR engine could not read. A different engine changes
 * the fingerprint, so the file is tried again.
 */
export const buildUnreadFingerprint = (content: SQL<string> | string, ocrId: string): SQL<string> =>
  sql<string>`${content} || ${`:unread:${ocrId}`}`;
/**
 * Returns SQL for a fingerprint that changes whenever the title or metadata of a document may have changed.
 */
export const buildMetadataFingerprint = (shape: FingerprintParts): SQL<string> =>
  sql<string>`coalesce(${files.updatedAt}, 0) || ':' || ${pipelineMembers.describedAt} || ':'
    || coalesce(${dataSources.updatedAt}, 0) || ':' || ${shape.metadata}`;

/** SQL condition that the data source lists another version of a file than the downloaded one. */
const needsDownload = sql`${files.sourceVersion} is not ${files.fetchedVersion}`;
/**
 * Fingerprint of a download that failed permanently because of its content. The download is not repeated
 * until the data source has another version.
 */
export const fetchFingerprint: SQL<string> = sql<string>`'source:' || ${files.sourceVersion}`;

const selectLength = (column: SQLiteColumn) => sql`coalesce(length(${column}), 0)`;
const { customMetadata, metadata, tableMetadata, text } = pipelineMembers;
/**
 * SQL expression for the number of bytes that a sync item has to read. Null if the size of a file is unknown.
 */
const bytes = sql<number | null>`iif(${pipelineMembers.kind} = 'file', ${files.fileSize}, length(${text}))
  + ${selectLength(metadata)} + ${selectLength(customMetadata)} + ${selectLength(tableMetadata)} + ${selectLength(files.resourceInfo)}`;

/**
 * Yields the differences between a pipeline and its index page by page. With `fileIds`, only the files with
 * these ids are compared.
 */
export async function* iterateDifferences(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex,
  fileIds: string[] | null = null,
): AsyncGenerator<Difference> {
  const shape = await buildFingerprintParts(pipeline);
  const only = fileIds
    ? and(whereFiles(pipeline.id), isInList(pipelineMembers.documentId, fileIds))
    : undefined;
  const state = { shape, ocrId: await ctx.parser.ocrId() };
  const changed = iteratePaged((after?: ChangedMember) =>
    selectChangedMembers(ctx, pipeline, index, state, after, only),
  );
  const isSlow = needsModel(
    resolveReadingPlan(
      parseInput(parseParameters, await openParameters(ctx, pipeline), ['parse_parameters']),
    ),
  );
  for await (const members of changed) {
    // Without a known size, each file becomes an item of its own. Small files are then processed in parallel,
    // because reading pages with a model is slow.
    yield { members: isSlow ? members.map((each) => ({ ...each, bytes: null })) : members, removedIds: [] };
  }
  if (fileIds) return;
  const gone = iteratePaged((after?: { id: string }) => selectOrphans(ctx, pipeline, index, after));
  for await (const rows of gone) yield { members: [], removedIds: rows.map(({ id }) => id) };
}

async function* iteratePaged<Row>(read: (after?: Row) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let after: Row | undefined; ; ) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_SIZE) return;
    after = rows.at(-1);
  }
}

export function selectChangedMembers(
  ctx: Context,
  pipeline: Pick<Pipeline, 'id'>,
  index: Pick<PipelineIndex, 'id'>,
  { shape, ocrId }: { shape: FingerprintParts; ocrId: string },
  after: ChangedMember | undefined,
  only: SQL | undefined,
) {
  const content = buildContentFingerprint(shape);
  const { id, kind, documentId, status, failedFingerprint } = pipelineMembers;
  return ctx.db
    .select({ id, kind, documentId, status, bytes })
    .from(pipelineMembers)
    .leftJoin(files, eq(files.id, pipelineMembers.fileId))
    .leftJoin(dataSources, eq(dataSources.id, pipelineMembers.dataSourceId))
    .leftJoin(
      indexedDocuments,
      and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, documentId)),
    )
    .where(
      and(
        eq(pipelineMembers.pipelineId, pipeline.id),
        after && sql`(${documentId}, ${kind}) > (${after.documentId}, ${after.kind})`,
        only,
        or(
          and(needsDownload, sql`${failedFingerprint} is not ${fetchFingerprint}`),
          and(
            sql`${contentHash} is not null`,
            not(needsDownload),
            or(
              isNull(indexedDocuments.documentId),
              ne(indexedDocuments.contentFingerprint, content),
              ne(indexedDocuments.metadataFingerprint, buildMetadataFingerprint(shape)),
            ),
            sql`coalesce(${failedFingerprint}, '') not in (${content}, ${buildUnreadFingerprint(content, ocrId)})`,
          ),
        ),
      ),
    )
    .orderBy(asc(documentId), asc(kind))
    .limit(PAGE_SIZE);
}

export function selectOrphans(
  ctx: Context,
  pipeline: Pick<Pipeline, 'id'>,
  index: Pick<PipelineIndex, 'id'>,
  after: { id: string } | undefined,
) {
  return ctx.db
    .select({ id: indexedDocuments.documentId })
    .from(indexedDocuments)
    .where(
      and(
        eq(indexedDocuments.indexId, index.id),
        after && gt(indexedDocuments.documentId, after.id),
        sql`not exists (select 1 from pipeline_members member where member.pipeline_id = ${pipeline.id}
          and member.document_id = ${indexedDocuments.documentId})`,
      ),
    )
    .orderBy(asc(indexedDocuments.documentId))
    .limit(PAGE_SIZE);
}
