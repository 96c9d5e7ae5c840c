import type { TenantContext } from '#src/context.ts';
import type { Pipeline } from '#src/db/schema/index.ts';
import { NotFound } from '#src/errors.ts';
import { loadTokenizer } from '#src/ingest/chunking/tokenizer.ts';
import type { StoredChunk } from '#src/search/types.ts';
import { liveIndex } from '#src/services/indexes/indexes.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import type { Sink } from '#src/sinks/sink.ts';
import type { PageBoxes } from './chunk-boxes.ts';
import type { Member } from './document-members.ts';
import { findDocument } from './documents.ts';
import { getPipeline } from './pipelines.ts';
import { boxFinder } from './printed-places.ts';

const CHUNKS_PER_READ = 500;
/** Chunks that boxes are looked up for in one call: each of their pages is read with its words. */
const MOST_WITH_BOXES = 100;

export interface ChunkQuery {
  skip?: number | null | undefined;
  limit?: number | null | undefined;
  /** The id of a chunk: only that one and its neighbours. */
  around?: string | null | undefined;
  /** How many on either side. */
  neighbours?: number | null | undefined;
  bounding_boxes?: boolean | null | undefined;
}

export interface DocumentChunk {
  chunk: StoredChunk;
  tokenCount: number;
  /** Where it is printed, of files whose words have places. Undefined: not asked for. */
  pages?: PageBoxes[];
}

/** In the order of the text; empty while the document has not been indexed. */
export async function chunksOfDocument(
  ctx: TenantContext,
  pipelineId: string,
  id: string,
  query: ChunkQuery = {},
): Promise<{ pipeline: Pipeline; member: Member; chunks: DocumentChunk[] }> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const { member, file } = await findDocument(ctx, pipeline, id);
  const [index] = await liveIndex(ctx, pipeline.id);
  const sink = index && (await openSink(ctx, index));
  const found = sink ? await readChunks(sink, member.documentId, query) : [];
  if (query.around && found.length === 0) throw new NotFound('Chunk', query.around);
  const tokenizer = await loadTokenizer();
  const chunks = found.map((chunk) => ({ chunk, tokenCount: tokenizer.count(chunk.text) }));
  if (!query.bounding_boxes) return { pipeline, member, chunks };
  const boxesOf = await boxFinder(ctx, pipeline, file);
  const located: DocumentChunk[] = [];
  for (const each of chunks) located.push({ ...each, pages: await boxesOf(each.chunk) });
  return { pipeline, member, chunks: located };
}

async function readChunks(sink: Sink, documentId: string, query: ChunkQuery): Promise<StoredChunk[]> {
  const { around, neighbours, bounding_boxes: withBoxes } = query;
  if (around) {
    const at = await positionOf(sink, documentId, around);
    if (at === undefined) return [];
    const reach = neighbours ?? 1;
    const from = Math.max(0, at - reach);
    return sink.chunksOf(documentId, { from, limit: at + reach + 1 - from });
  }
  const skip = query.skip ?? 0;
  const most = query.limit ?? Number.POSITIVE_INFINITY;
  const wanted = withBoxes ? Math.min(most, MOST_WITH_BOXES) : most;
  const chunks: StoredChunk[] = [];
  while (chunks.length < wanted) {
    const limit = Math.min(CHUNKS_PER_READ, wanted - chunks.length);
    const page = await sink.chunksOf(documentId, { from: skip + chunks.length, limit });
    chunks.push(...page);
    if (page.length < limit) break;
  }
  return chunks;
}

async function positionOf(sink: Sink, documentId: string, chunkId: string): Promise<number | undefined> {
  for (let from = 0; ; from += CHUNKS_PER_READ) {
    const page = await sink.chunksOf(documentId, { from, limit: CHUNKS_PER_READ });
    const found = page.find(({ id }) => id === chunkId);
    if (found || page.length < CHUNKS_PER_READ) return found?.position;
  }
}
