import { and, asc, eq, gt, isNull, ne, not, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Context } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { filesOf } from '#src/db/pipeline-members.ts';
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
import { needsModel, planOf } from '#src/reading/plan/plan.ts';
import { INGEST_REVISION } from '#src/services/indexes/indexes.ts';
import { openParameters } from '#src/services/pipelines/configuration.ts';

/** A member of the pipeline whose index entry is missing or outdated. */
export interface ChangedMember {
  id: string;
  kind: MemberKind;
  documentId: string;
  status: IngestionStatus;
  /** Size of the input with its metadata; null if it is unknown or not in the database. */
  bytes: number | null;
}

/** A page of differences between a pipeline and its index. Fingerprints are compared in the database. */
export interface Difference {
  members: ChangedMember[];
  /** Documents in the index that are not in the pipeline. */
  removedIds: string[];
}

export const PAGE = 500;

/** Parts of the documents' fingerprints that follow from the pipeline's configuration. */
export interface Shape {
  content: string;
  /**
   * Changes with the pipeline's keys that are excluded from embeddings, so that every document is examined
   * again.
   */
  metadata: string;
}

export async function shapeOf(pipeline: Pipeline): Promise<Shape> {
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

/** Null while a file has no bytes. */
const contentHash = sql<string | null>`coalesce(${files.contentHash}, ${pipelineMembers.contentHash})`;
/** Content fingerprint, compared as text with `indexedDocuments` and `failedFingerprint`. */
export const contentFingerprint = (shape: Shape): SQL<string> =>
  sql<string>`${contentHash} || ':' || ${shape.content}`;
/** Fingerprint of a file that this OCR engine could not read. Another engine may read it. */
export const unreadFingerprint = (content: SQL<string> | string, ocrId: string): SQL<string> =>
  sql<string>`${content} || ${`:unread:${ocrId}`}`;
/**
 * Fingerprint of the times at which title and metadata last changed. The attempt decides by `contextHash`
 * whether the embedded part changed; only then it embeds again.
 */
export const metadataFingerprint = (shape: Shape): SQL<string> =>
  sql<string>`coalesce(${files.updatedAt}, 0) || ':' || ${pipelineMembers.describedAt} || ':'
    || coalesce(${dataSources.updatedAt}, 0) || ':' || ${shape.metadata}`;

/** Condition that the data source has another version than the one that was downloaded. */
const isToBeFetched = sql`${files.sourceVersion} is not ${files.fetchedVersion}`;
/**
 * Fingerprint of a download that failed permanently because of the content. It is not repeated until the data
 * source has another version.
 */
export const fetchFingerprint: SQL<string> = sql<string>`'source:' || ${files.sourceVersion}`;

const lengthOf = (column: SQLiteColumn) => sql`coalesce(length(${column}), 0)`;
const { customMetadata, metadata, tableMetadata, text } = pipelineMembers;
/** Number of bytes that an item has to read. It is null if the size of a file is not known. */
const bytes = sql<number | null>`iif(${pipelineMembers.kind} = 'file', ${files.fileSize}, length(${text}))
  + ${lengthOf(metadata)} + ${lengthOf(customMetadata)} + ${lengthOf(tableMetadata)} + ${lengthOf(files.resourceInfo)}`;

/** Yields the differences in pages, lazily. `fileIds` limits them to these files. */
export async function* differences(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex,
  fileIds: string[] | null = null,
): AsyncGenerator<Difference> {
  const shape = await shapeOf(pipeline);
  const only = fileIds ? and(filesOf(pipeline.id), isOneOf(pipelineMembers.documentId, fileIds)) : undefined;
  const state = { shape, ocrId: await ctx.parser.ocrId() };
  const changed = paged((after?: ChangedMember) => changedMembers(ctx, pipeline, index, state, after, only));
  const isSlow = needsModel(
    planOf(parseInput(parseParameters, await openParameters(ctx, pipeline), ['parse_parameters'])),
  );
  for await (const members of changed) {
    // A model reads so slowly that small files are better processed in parallel than together.
    yield { members: isSlow ? members.map((each) => ({ ...each, bytes: null })) : members, removedIds: [] };
  }
  if (fileIds) return;
  const gone = paged((after?: { id: string }) => orphans(ctx, pipeline, index, after));
  for await (const rows of gone) yield { members: [], removedIds: rows.map(({ id }) => id) };
}

async function* paged<Row>(read: (after?: Row) => Promise<Row[]>): AsyncGenerator<Row[]> {
  for (let after: Row | undefined; ; ) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1);
  }
}

export function changedMembers(
  ctx: Context,
  pipeline: Pick<Pipeline, 'id'>,
  index: Pick<PipelineIndex, 'id'>,
  { shape, ocrId }: { shape: Shape; ocrId: string },
  after: ChangedMember | undefined,
  only: SQL | undefined,
) {
  const content = contentFingerprint(shape);
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
          and(isToBeFetched, sql`${failedFingerprint} is not ${fetchFingerprint}`),
          and(
            sql`${contentHash} is not null`,
            not(isToBeFetched),
            or(
              isNull(indexedDocuments.documentId),
              ne(indexedDocuments.contentFingerprint, content),
              ne(indexedDocuments.metadataFingerprint, metadataFingerprint(shape)),
            ),
            sql`coalesce(${failedFingerprint}, '') not in (${content}, ${unreadFingerprint(content, ocrId)})`,
          ),
        ),
      ),
    )
    .orderBy(asc(documentId), asc(kind))
    .limit(PAGE);
}

export function orphans(
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
    .limit(PAGE);
}
