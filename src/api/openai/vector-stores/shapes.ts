import { z } from 'zod';
import type { FileBatch, IngestionStatus, Pipeline } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import type { PipelineFile } from '#src/services/pipelines/pipeline-files.ts';
import type { StoreBatch } from '#src/services/pipelines/vector-stores/file-batches.ts';
import type { ChunkSizes, VectorStore } from '#src/services/pipelines/vector-stores/stores.ts';
import { toSeconds } from '../lists.ts';

const MAX_PAIRS = 16;
const MAX_KEY_CHARACTERS = 64;
const MAX_VALUE_CHARACTERS = 512;

const hasFewPairs = (value: object) => Object.keys(value).length <= MAX_PAIRS;
const TOO_MANY_PAIRS = `at most ${MAX_PAIRS} pairs of key and value are allowed`;
const key = z.string().min(1).max(MAX_KEY_CHARACTERS);
const text = z.string().max(MAX_VALUE_CHARACTERS);

export const storeMetadata = z.record(key, text).refine(hasFewPairs, { error: TOO_MANY_PAIRS });
export const attributes = z
  .record(key, z.union([text, z.number(), z.boolean()]))
  .refine(hasFewPairs, { error: TOO_MANY_PAIRS });
export type Attributes = z.output<typeof attributes>;

const sizes = z.object({
  max_chunk_size_tokens: z.number().int().min(100).max(4096),
  chunk_overlap_tokens: z.number().int().min(0),
});

export const chunkingStrategy = z.discriminatedUnion('type', [
  z.object({ type: z.literal('auto') }),
  z.object({
    type: z.literal('static'),
    static: sizes.refine((given) => 2 * given.chunk_overlap_tokens <= given.max_chunk_size_tokens, {
      error: 'chunk_overlap_tokens must be at most half of max_chunk_size_tokens',
    }),
  }),
]);
export type ChunkingStrategy = z.output<typeof chunkingStrategy>;

/** Returns the sizes that a client asked for, or `undefined` for the default sizes. */
export const toChunkSizes = (given: ChunkingStrategy | null | undefined): ChunkSizes | undefined =>
  given?.type === 'static'
    ? { size: given.static.max_chunk_size_tokens, overlap: given.static.chunk_overlap_tokens }
    : undefined;

function presentChunking({ transformConfig }: Pipeline) {
  const { mode, chunk_size, chunk_overlap } = transformConfig as Record<string, unknown>;
  if (mode !== 'auto') return { type: 'other' as const };
  return {
    type: 'static' as const,
    static: { max_chunk_size_tokens: Number(chunk_size), chunk_overlap_tokens: Number(chunk_overlap) },
  };
}

/** Throws `Invalid` if a file asks for other chunks than those of its vector store. */
export function requireSameChunks(
  pipeline: Pipeline,
  given: ChunkingStrategy | null | undefined,
  path: (string | number)[] = ['chunking_strategy'],
): void {
  const wanted = toChunkSizes(given);
  if (!wanted) return;
  const own = presentChunking(pipeline);
  const isSame =
    own.type === 'static' &&
    own.static.max_chunk_size_tokens === wanted.size &&
    own.static.chunk_overlap_tokens === wanted.overlap;
  if (isSame) return;
  throw Invalid.field(
    path,
    'all files of a vector store have chunks of the same size: leave this field out, and set it when you create the vector store',
  );
}

const fileCounts = z.object({
  in_progress: z.number().int(),
  completed: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
  total: z.number().int(),
});

export const STATUSES = {
  in_progress: ['NOT_STARTED', 'IN_PROGRESS'],
  completed: ['SUCCESS', 'PARTIAL_SUCCESS'],
  failed: ['ERROR'],
  cancelled: ['CANCELLED'],
} as const satisfies Record<string, readonly IngestionStatus[]>;
type FileStatus = keyof typeof STATUSES;

export const fileStatus = z.enum(Object.keys(STATUSES) as [FileStatus, ...FileStatus[]]);

function presentCounts(counts: Partial<Record<IngestionStatus, number>>): z.output<typeof fileCounts> {
  const sum = (status: FileStatus) => STATUSES[status].reduce((n, each) => n + (counts[each] ?? 0), 0);
  const [in_progress, completed] = [sum('in_progress'), sum('completed')];
  const [failed, cancelled] = [sum('failed'), sum('cancelled')];
  const total = in_progress + completed + failed + cancelled;
  return { in_progress, completed, failed, cancelled, total };
}

export const vectorStore = z
  .object({
    id: z.string().describe('Id of the pipeline.'),
    object: z.literal('vector_store'),
    created_at: z.number().int(),
    name: z.string(),
    usage_bytes: z.number().int().describe('Size of the files together.'),
    file_counts: fileCounts,
    status: z.enum(['in_progress', 'completed']),
    last_active_at: z.number().int().describe('Time of the last change.'),
    expires_at: z.null(),
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ id: 'VectorStore' });

export function presentStore({ pipeline, counts, bytes }: VectorStore): z.input<typeof vectorStore> {
  const file_counts = presentCounts(counts);
  return {
    id: pipeline.id,
    object: 'vector_store',
    created_at: toSeconds(pipeline.createdAt),
    name: pipeline.name,
    usage_bytes: bytes,
    file_counts,
    status: file_counts.in_progress > 0 ? 'in_progress' : 'completed',
    last_active_at: toSeconds(pipeline.updatedAt),
    expires_at: null,
    metadata: pipeline.clientMetadata ?? {},
  };
}

export const storeFile = z
  .object({
    id: z.string(),
    object: z.literal('vector_store.file'),
    created_at: z.number().int(),
    vector_store_id: z.string(),
    status: fileStatus,
    last_error: z.object({ code: z.enum(['server_error', 'invalid_file']), message: z.string() }).nullable(),
    usage_bytes: z.number().int(),
    attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    chunking_strategy: z.union([
      z.object({ type: z.literal('static'), static: sizes }),
      z.object({ type: z.literal('other') }),
    ]),
  })
  .meta({ id: 'VectorStoreFile' });

export function presentStoreFile(
  { member, file }: PipelineFile,
  pipeline: Pipeline,
): z.input<typeof storeFile> {
  const { status, error } = member;
  return {
    id: file.id,
    object: 'vector_store.file',
    created_at: toSeconds(member.createdAt),
    vector_store_id: member.pipelineId,
    status: fileStatus.options.find((each) => (STATUSES[each] as readonly string[]).includes(status))!,
    last_error: error && {
      code: error.step === 'PARSE' ? 'invalid_file' : 'server_error',
      message: error.message,
    },
    usage_bytes: file.fileSize ?? 0,
    attributes: toAttributes({ ...member.tableMetadata, ...member.customMetadata }),
    chunking_strategy: presentChunking(pipeline),
  };
}

/** Returns the metadata that the protocol can represent. Lists and objects are left out. */
export const toAttributes = (metadata: Record<string, unknown>): Attributes =>
  Object.fromEntries(
    Object.entries(metadata).filter((pair): pair is [string, string | number | boolean] =>
      ['string', 'number', 'boolean'].includes(typeof pair[1]),
    ),
  );

export const fileBatch = z
  .object({
    id: z.string(),
    object: z.literal('vector_store.files_batch'),
    created_at: z.number().int(),
    vector_store_id: z.string(),
    status: fileStatus,
    file_counts: fileCounts,
  })
  .meta({ id: 'VectorStoreFileBatch' });

export function presentBatch({ batch, counts }: StoreBatch): z.input<typeof fileBatch> {
  const file_counts = presentCounts(counts);
  return {
    id: batch.id,
    object: 'vector_store.files_batch',
    created_at: toSeconds(batch.createdAt),
    vector_store_id: batch.pipelineId,
    status: chooseBatchStatus(batch, file_counts),
    file_counts,
  };
}

function chooseBatchStatus(
  { cancelledAt }: FileBatch,
  { in_progress, failed, total }: z.output<typeof fileCounts>,
): FileStatus {
  if (cancelledAt) return 'cancelled';
  if (in_progress > 0) return 'in_progress';
  return total > 0 && failed === total ? 'failed' : 'completed';
}
