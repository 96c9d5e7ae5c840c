import { z } from 'zod';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type {
  ChunkRecord,
  ChunkSearch,
  ChunkStore,
  NewRecord,
  RecordChange,
} from '#src/sinks/native/ledger/chunk-store.ts';
import { createQdrantClient, type QdrantSettings } from '#src/sinks/qdrant/client.ts';
import { ensureCollection } from '#src/sinks/qdrant/collection.ts';
import { type Condition, isFilterable, toCondition } from '#src/sinks/qdrant/filter.ts';
import { createIndexPoints, LIMITS, matches } from '#src/sinks/qdrant/index-points.ts';
import { written } from '#src/sinks/qdrant/wire.ts';
import { encodeText, READ_FIELDS, storedPayload, toDocumentPayload, toPayload } from './payload.ts';
import { toQueryVector, toWordVector, WORDS } from './words.ts';

/** Largest number of results that are requested for each arm, because an answer contains their texts. */
const LARGEST_PAGE = 1_000;
/** Number of chunks that are scored with stop words too, as a multiple of the wanted number. */
const CANDIDATES = 2;
/** Maximum number of chunks with one node id. Different versions of a document may have it. */
const FOUND_BY_ID = 100;
const UPDATE_ATTEMPTS = 4;
/** Name of the unnamed vector in requests that name several vectors. */
const UNNAMED = '';

// Points that Sluice did not write become `null`, so that they do not fail the request.
const payload = storedPayload.nullish().catch(null);
const foundChunks = z.object({
  points: z.array(z.object({ id: z.string(), score: z.number(), payload })),
});
const scrolledChunks = z.object({ points: z.array(z.object({ id: z.string(), payload })) });

/** Stores the chunks of one index with their words in a Qdrant collection that several indexes may share. */
export function createQdrantChunkStore(
  settings: QdrantSettings,
  deps: SinkDeps & { indexId: string },
): ChunkStore {
  const client = createQdrantClient(settings, deps);
  const points = createIndexPoints(client, deps.indexId);
  let ensured: number | undefined;

  const scroll = async (conditions: Condition[], page: object): Promise<ChunkRecord[]> => {
    const filter = { must: [points.condition, ...conditions] };
    const body = { filter, with_payload: READ_FIELDS, with_vector: false, ...page };
    const scrolled = await client.ask('POST', '/points/scroll', scrolledChunks, body);
    return toRecords(scrolled.points);
  };

  return {
    limits: { ...LIMITS, largestPage: LARGEST_PAGE },
    async ensure(dimension) {
      if (ensured === dimension) return;
      await ensureCollection(client, settings, dimension);
      ensured = dimension;
    },
    async write(records) {
      const body = { points: records.map((record) => toPoint(deps.indexId, record)) };
      await client.ask('PUT', '/points?wait=true', written, body);
    },
    async update(changes) {
      for (let attempt = 1; attempt <= UPDATE_ATTEMPTS; attempt += 1) {
        const existing = await points.lookUp(changes.map(({ rowId }) => rowId));
        const known = changes.filter(({ rowId }) => existing.has(rowId));
        if (known.length === 0) return;
        const body = { operations: toUpdates(known) };
        // If a point was deleted after the lookup, Qdrant answers 404.
        if (await ignoreNotFound(client.ask('POST', '/points/batch?wait=true', z.array(written), body)))
          return;
      }
      throw new SinkError('Qdrant: Chunks were deleted while their document was changed.', {
        retryable: true,
      });
    },
    lookUp: points.lookUp,
    remove: (removals) =>
      points.remove(
        removals.map(({ documentId, version }) => ({ documentId: encodeText(documentId), version })),
      ),
    async search({ dense, sparse, preFilter }) {
      const filter = { must: [points.condition, ...(preFilter ? [toCondition(preFilter)] : [])] };
      const searches = [
        ...(dense ? [{ query: [...dense.vector], filter, limit: dense.topK }] : []),
        ...(sparse ? [toWordSearch(sparse, filter, points.condition)] : []),
      ];
      const answers = z.array(foundChunks).length(searches.length);
      const found = await client.ask('POST', '/points/query/batch', answers, {
        searches: searches.map((search) => ({ ...search, with_payload: READ_FIELDS })),
      });
      return {
        dense: dense ? toRecords(found[0]!.points) : [],
        sparse: sparse ? toRecords(found.at(-1)!.points) : [],
      };
    },
    list({ documentId, version, from, limit }) {
      const conditions = [
        matches('document_id', encodeText(documentId)),
        { key: 'version', range: { gte: version, lte: version } },
      ];
      return scroll(conditions, { limit, order_by: { key: 'position', start_from: from } });
    },
    find: (nodeId) => scroll([matches('node_id', encodeText(nodeId))], { limit: FOUND_BY_ID }),
    isFilterable,
    drop: points.drop,
  };
}

function toPoint(indexId: string, record: NewRecord): object {
  const { rowId, vector, analysed, meanLength, ...rest } = record;
  return {
    id: rowId,
    vector: { [UNNAMED]: [...vector], [WORDS]: toWordVector({ analysed, meanLength }) },
    payload: toPayload(indexId, { rowId, ...rest }),
  };
}

/** Returns operations that change the fields which chunks share with their document, and the words of the chunks. */
function toUpdates(changes: RecordChange[]): object[] {
  const grouped = new Map<string, { payload: object; points: string[] }>();
  for (const { rowId, chunk } of changes) {
    const payload = toDocumentPayload(chunk);
    const key = JSON.stringify(payload);
    const group = grouped.get(key) ?? { payload, points: [] };
    group.points.push(rowId);
    grouped.set(key, group);
  }
  const vectors = changes.map((change) => ({
    id: change.rowId,
    vector: { [WORDS]: toWordVector(change) },
  }));
  return [
    ...[...grouped.values()].map((set_payload) => ({ set_payload })),
    { update_vectors: { points: vectors } },
  ];
}

/**
 * Returns the search by words. Stop words must not select chunks, so the chunks that the other words find are scored
 * again with all words. The inverse document frequency counts the chunks of the index only. Versions of Qdrant before
 * 1.19 ignore this parameter and count the chunks of the whole collection.
 */
function toWordSearch(
  { weights: { finding, ranking }, topK }: NonNullable<ChunkSearch['sparse']>,
  filter: object,
  indexCondition: Condition,
): object {
  const how = { using: WORDS, params: { idf: { corpus: { must: [indexCondition] } } } };
  const findChunks = { query: toQueryVector(finding), ...how, filter };
  if (ranking.size === 0) return { ...findChunks, limit: topK };
  const prefetch = { ...findChunks, limit: topK * CANDIDATES };
  return { prefetch, query: toQueryVector(finding, ranking), ...how, limit: topK };
}

type StoredPoint = { id: string; payload?: Omit<ChunkRecord, 'rowId'> | null | undefined };

/** Adds the id of each point to its chunk, and the score if there is one. Leaves out points without a chunk. */
const toRecords = <Point extends StoredPoint>(points: Point[]) =>
  points.flatMap(({ payload, id, ...rest }) => (payload ? [{ ...rest, rowId: id, ...payload }] : []));
