import { and, eq, ne, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { type IdPage, type IdPageQuery, readPageById } from '#src/db/paging-by-id.ts';
import {
  files,
  type IngestionStatus,
  type Pipeline,
  pipelineMembers,
  pipelines,
} from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { findFiles } from '../../files/files.ts';
import { newPipeline } from '../input.ts';
import { selectMemberCounts } from '../overview.ts';
import { addPipelineFiles } from '../pipeline-files.ts';
import { createPipeline, getPipeline, updatePipeline } from '../pipelines.ts';

/** Sizes of chunks in tokens. */
export interface ChunkSizes {
  size: number;
  overlap: number;
}

/** A pipeline as a client of the OpenAI protocol sees it. */
export interface VectorStore {
  pipeline: Pipeline;
  /** Number of files of the pipeline by status. */
  counts: Partial<Record<IngestionStatus, number>>;
  /** Size of all files together in bytes. */
  bytes: number;
}

export interface NewVectorStore {
  name?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  fileIds: string[];
  /** Undefined to have chunks of the default size. */
  chunks?: ChunkSizes | undefined;
}

/** Returns a pipeline as a vector store. A pipeline that is being deleted is not found. */
export async function getStorePipeline(ctx: TenantContext, id: string): Promise<Pipeline> {
  const pipeline = await getPipeline(ctx, id);
  if (pipeline.status === 'DELETING') throw new NotFound('Vector store', id);
  return pipeline;
}

export async function getVectorStore(ctx: TenantContext, id: string): Promise<VectorStore> {
  return (await toVectorStores(ctx, [await getStorePipeline(ctx, id)]))[0]!;
}

/** Returns a page of the vector stores of the caller's project, sorted by creation. */
export async function listVectorStores(ctx: TenantContext, query: IdPageQuery): Promise<IdPage<VectorStore>> {
  const isListed = and(eq(pipelines.projectId, ctx.projectId), ne(pipelines.status, 'DELETING'));
  const { items, hasMore } = await readPageById(query, {
    columns: [pipelines.createdAt, pipelines.id],
    async findKey(id) {
      const row = await ctx.db.query.pipelines.findFirst({ where: and(isListed, eq(pipelines.id, id)) });
      return row && [row.createdAt.getTime(), row.id];
    },
    read: (where, sorted, limit) =>
      ctx.db
        .select()
        .from(pipelines)
        .where(and(isListed, where))
        .orderBy(sorted(pipelines.createdAt), sorted(pipelines.id))
        .limit(limit),
  });
  return { items: await toVectorStores(ctx, items), hasMore };
}

/**
 * Creates a pipeline for a vector store. Names of vector stores need not be unique, so a name that is in use gets a
 * suffix.
 */
export async function createVectorStore(ctx: TenantContext, input: NewVectorStore): Promise<VectorStore> {
  await requireProjectFiles(ctx, ctx.projectId, input.fileIds);
  const { id } = await createWithFreeName(ctx, input);
  if (input.metadata) await setMetadata(ctx, id, input.metadata);
  if (input.fileIds.length > 0) {
    await addPipelineFiles(
      ctx,
      id,
      input.fileIds.map((file_id) => ({ file_id })),
    );
  }
  return getVectorStore(ctx, id);
}

async function createWithFreeName(ctx: TenantContext, { name, chunks }: NewVectorStore): Promise<Pipeline> {
  const suffix = crypto.randomUUID().slice(0, 8);
  const create = (chosen: string) =>
    createPipeline(
      ctx,
      newPipeline.parse({
        name: chosen,
        ...(chunks && {
          transform_config: { mode: 'auto', chunk_size: chunks.size, chunk_overlap: chunks.overlap },
        }),
      }),
    );
  if (!name) return create(`vector store ${suffix}`);
  return create(name).catch((error) => {
    if (error instanceof Conflict) return create(`${name} (${suffix})`);
    throw error;
  });
}

/** Changes the name or the metadata. Undefined leaves them as they are, and null removes the metadata. */
export async function changeVectorStore(
  ctx: TenantContext,
  id: string,
  changes: { name?: string | undefined; metadata?: Record<string, string> | null | undefined },
): Promise<VectorStore> {
  const pipeline = await getStorePipeline(ctx, id);
  if (changes.name) await updatePipeline(ctx, pipeline.id, { name: changes.name });
  if (changes.metadata !== undefined) await setMetadata(ctx, pipeline.id, changes.metadata);
  return getVectorStore(ctx, pipeline.id);
}

const setMetadata = (ctx: TenantContext, id: string, clientMetadata: Record<string, string> | null) =>
  ctx.db.update(pipelines).set({ clientMetadata }).where(eq(pipelines.id, id));

/** Throws `NotFound` if a file does not exist in the project, or is not accessible to the caller. */
export async function requireProjectFiles(
  ctx: TenantContext,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const found = await findFiles(ctx, ids);
  const missing = ids.find((id) => found.get(id)?.projectId !== projectId);
  if (missing !== undefined) throw new NotFound('File', missing);
}

async function toVectorStores(ctx: TenantContext, rows: Pipeline[]): Promise<VectorStore[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const [counted, sizes] = await ctx.db.batch([
    selectMemberCounts(ctx, ids),
    ctx.db
      .select({ id: pipelineMembers.pipelineId, bytes: sql<number>`coalesce(sum(${files.fileSize}), 0)` })
      .from(pipelineMembers)
      .innerJoin(files, eq(files.id, pipelineMembers.fileId))
      .where(and(isInList(pipelineMembers.pipelineId, ids), eq(pipelineMembers.kind, 'file')))
      .groupBy(pipelineMembers.pipelineId),
  ]);
  const bytes = new Map(sizes.map((each) => [each.id, each.bytes]));
  return rows.map((pipeline) => ({
    pipeline,
    counts: Object.fromEntries(
      counted
        .filter(({ pipelineId, kind }) => pipelineId === pipeline.id && kind === 'file')
        .map(({ status, n }) => [status, n]),
    ),
    bytes: bytes.get(pipeline.id) ?? 0,
  }));
}
