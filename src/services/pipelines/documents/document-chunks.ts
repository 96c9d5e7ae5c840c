import type { TenantContext } from '#src/context/context.ts';
import type { Pipeline } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { dropStoredFigures } from '#src/lib/text/picture-links.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { selectLiveIndex } from '#src/services/indexes/indexes.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';
import { getPipeline } from '../pipelines.ts';
import { type ChunkLocations, createLocator } from './chunk-locations.ts';
import { type DocumentMember, findMembers, type Member } from './document-members.ts';
import { findDocument } from './documents.ts';

const CHUNKS_PER_READ = 500;
/** Maximum number of chunks per response with locations, because all of their pages have to be read. */
const MAX_LOCATED_CHUNKS = 100;

export interface ChunkQuery {
  skip?: number | null | undefined;
  limit?: number | null | undefined;
  /** Id of a chunk. Only this chunk and its neighbours are returned. */
  around?: string | null | undefined;
  /** Number of neighbours before and after the chunk. Defaults to 1. */
  neighbours?: number | null | undefined;
  /** 0-based page index. Only chunks on this page are returned. */
  page_index?: number | null | undefined;
}

export interface DocumentChunk {
  chunk: StoredChunk;
  tokenCount: number;
  /** Locations of the chunk on its pages. Undefined if they were not requested. */
  locations?: ChunkLocations;
}

export interface DocumentChunks {
  pipeline: Pipeline;
  member: Member;
  chunks: DocumentChunk[];
}

/** Returns the chunks of a document in order. The list is empty until the document is indexed. */
export async function getDocumentChunks(
  ctx: TenantContext,
  pipelineId: string,
  id: string,
  query: ChunkQuery,
  withPlaces: boolean,
): Promise<DocumentChunks> {
  const pipeline = await getPipeline(ctx, pipelineId);
  return readDocument(ctx, pipeline, await findDocument(ctx, pipeline, id), query, withPlaces);
}

/** Returns the chunks of a file. A text document with the same id is ignored. */
export async function getFileChunks(
  ctx: TenantContext,
  pipelineId: string,
  fileId: string,
  query: ChunkQuery,
  withPlaces: boolean,
): Promise<DocumentChunks> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const found = (await findMembers(ctx, pipeline.id, [bareId(fileId)])).get(bareId(fileId));
  if (!found?.file) throw new NotFound('Pipeline file', fileId);
  return readDocument(ctx, pipeline, found, query, withPlaces);
}

export async function getPipelineChunk(
  ctx: TenantContext,
  pipelineId: string,
  nodeId: string,
): Promise<{ pipeline: Pipeline; member: Member; chunk: DocumentChunk }> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const chunk = await (await openLiveSink(ctx, pipeline))?.chunk(nodeId);
  const found = chunk && (await findMembers(ctx, pipeline.id, [chunk.documentId])).get(chunk.documentId);
  if (!chunk || !found) throw new NotFound('Node', nodeId);
  const [shown] = await describeChunks(ctx, pipeline, found, [chunk], true);
  return { pipeline, member: found.member, chunk: shown! };
}

async function readDocument(
  ctx: TenantContext,
  pipeline: Pipeline,
  found: DocumentMember,
  query: ChunkQuery,
  withPlaces: boolean,
): Promise<DocumentChunks> {
  const { member } = found;
  const sink = await openLiveSink(ctx, pipeline);
  const most = Math.min(query.limit ?? Number.POSITIVE_INFINITY, withPlaces ? MAX_LOCATED_CHUNKS : Infinity);
  const chunks = sink ? await readChunks(sink, member.documentId, query, most) : [];
  if (query.around && chunks.length === 0) throw new NotFound('Chunk', query.around);
  return { pipeline, member, chunks: await describeChunks(ctx, pipeline, found, chunks, withPlaces) };
}

async function openLiveSink(ctx: TenantContext, pipeline: Pipeline): Promise<Sink | undefined> {
  const [index] = await selectLiveIndex(ctx, pipeline.id);
  return index && (await openSink(ctx, index));
}

async function describeChunks(
  ctx: TenantContext,
  pipeline: Pipeline,
  { file }: DocumentMember,
  chunks: StoredChunk[],
  withPlaces: boolean,
): Promise<DocumentChunk[]> {
  const tokenizer = await loadTokenizer();
  const counted = chunks.map((stored) => {
    const chunk = { ...stored, text: dropStoredFigures(stored.text) };
    return { chunk, tokenCount: tokenizer.count(chunk.text) };
  });
  if (!withPlaces || chunks.length === 0) return counted;
  const locate = await createLocator(ctx, pipeline, file);
  const located: DocumentChunk[] = [];
  for (const each of counted) located.push({ ...each, locations: await locate(each.chunk) });
  return located;
}

/**
 * Reads a chunk with its neighbours if the query names one. Otherwise reads the document's chunks after the
 * first `skip`.
 */
async function readChunks(
  sink: Sink,
  documentId: string,
  query: ChunkQuery,
  most: number,
): Promise<StoredChunk[]> {
  const { around, neighbours, page_index: pageIndex } = query;
  if (around) {
    const at = await sink.chunk(around);
    if (at?.documentId !== documentId) return [];
    const reach = neighbours ?? 1;
    const from = Math.max(0, at.position - reach);
    return sink.listChunks(documentId, { from, limit: at.position + reach + 1 - from });
  }
  const isWanted = ({ startPage = -1, endPage = startPage }: StoredChunk) =>
    pageIndex == null || (startPage <= pageIndex && endPage >= pageIndex);
  let skip = query.skip ?? 0;
  const chunks: StoredChunk[] = [];
  // Without a page filter, reading starts at position `skip`. With a filter, all chunks are read, because
  // only matching ones count as skipped.
  let from = pageIndex == null ? skip : 0;
  if (pageIndex == null) skip = 0;
  while (chunks.length < most) {
    const limit = pageIndex == null ? Math.min(CHUNKS_PER_READ, most - chunks.length) : CHUNKS_PER_READ;
    const read = await sink.listChunks(documentId, { from, limit });
    const wanted = read.filter(isWanted);
    chunks.push(...wanted.slice(skip, skip + most - chunks.length));
    skip = Math.max(0, skip - wanted.length);
    from += read.length;
    const isPast = pageIndex != null && (read.at(-1)?.startPage ?? 0) > pageIndex;
    if (read.length < limit || isPast) break;
  }
  return chunks;
}
