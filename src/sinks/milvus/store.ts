import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { byVersion } from '#src/sinks/external/removals.ts';
import { checkWritten } from '#src/sinks/external/store-http.ts';
import type { VectorStore } from '#src/sinks/external/vector-store.ts';
import { collectionOf, type MilvusSettings, milvusClient, unlessNoCollection } from './client.ts';
import { ensureCollection, fitting } from './collection.ts';
import { describedOf, entityOf } from './entity.ts';
import { all, expressionOf, is, isIn, isPlainKey } from './expression.ts';
import { VECTOR } from './schema.ts';
import { anything, entities, found, keys, upserted } from './wire.ts';

/** The vendor takes 64 MB. */
const LIMITS = { points: 256, bytes: 8_000_000, lookedUp: 1_000 };
/** Positions whose entities are read at once to be described anew: of the largest texts it is 15 MB a version. */
const READ_AT_ONCE = 64;
/** More positions than a document can have. */
const MOST_POSITIONS = 1_000_000;
/** The vendor's own. */
const MOST_FOUND = 16_384;

/** The points of an index among the entities of a collection. */
export function milvusStore(settings: MilvusSettings, deps: SinkDeps & { indexId: string }): VectorStore {
  const client = milvusClient(settings, deps);
  const name = collectionOf(settings);
  const ofIndex = is('sluice_index', deps.indexId);
  let ensured: number | undefined;
  const removeWhere = async (...parts: string[]): Promise<void> => {
    // A collection that is not there (yet, or any more) holds nothing to delete.
    await unlessNoCollection(client.ask('/entities/delete', anything, { filter: all(ofIndex, ...parts) }));
  };

  const write = async (data: object[]): Promise<void> => {
    const { upsertCount } = await client.ask('/entities/upsert', upserted, { data });
    checkWritten('VENDOR_C', upsertCount, data.length);
  };

  return {
    limits: LIMITS,
    async ensure(dimension) {
      if (ensured === dimension) return;
      const wanted = settings.embedding_dimension ?? dimension;
      if (wanted !== dimension) {
        throw new SinkError(
          `The data sink (VENDOR_C) says embedding_dimension ${wanted}, and the embedding model gives ${dimension}.`,
          { retryable: false },
        );
      }
      await ensureCollection(client, name, dimension);
      ensured = dimension;
    },
    async upsert(points) {
      await write(points.map((point) => entityOf(deps.indexId, point)));
    },
    async describe({ documentId, title, metadata }) {
      const described = describedOf({ title, metadata });
      for (let from = 0; from < MOST_POSITIONS; from += READ_AT_ONCE) {
        const window = `position >= ${from} and position < ${from + READ_AT_ONCE}`;
        const read = await client.ask('/entities/query', entities, {
          filter: all(ofIndex, is('document_id', documentId), window),
          outputFields: ['*', VECTOR],
          limit: MOST_FOUND,
        });
        // Positions have no gaps.
        if (read.length === 0) return;
        await write(read.map((entity) => ({ ...entity, ...described })));
      }
      throw new SinkError('The data sink (VENDOR_C) gives ever new entities of one document.', {
        retryable: true,
      });
    },
    async remove(removals) {
      for (const [version, documentIds] of byVersion(removals)) {
        await removeWhere(isIn('document_id', documentIds), `version <= ${version}`);
      }
    },
    isFilterable: isPlainKey,
    async query(vector, topK, { documentIds, narrowing } = {}) {
      const among = documentIds
        ? [isIn('document_id', documentIds)]
        : narrowing
          ? [expressionOf(narrowing)]
          : [];
      const search = client.ask('/entities/search', found, {
        data: [[...vector]],
        annsField: VECTOR,
        limit: topK,
        filter: all(ofIndex, ...among),
        outputFields: ['document_id', 'version', 'position'],
        searchParams: { metricType: 'COSINE', params: {} },
        consistencyLevel: 'Strong',
      });
      const matches = await fitting(client, { name, dimension: vector.length }, search);
      return matches.flatMap((match) => {
        if (!match) return [];
        const { distance, document_id: documentId, version, position } = match;
        return [{ documentId, version, position, score: Math.max(-1, Math.min(1, distance)) }];
      });
    },
    async lookUp(points) {
      const ids = points.map(({ id }) => id);
      const query = { filter: all(ofIndex, isIn('id', ids)), outputFields: ['id'], limit: ids.length };
      const there = await unlessNoCollection(client.ask('/entities/query', keys, query));
      return new Set(there?.map(({ id }) => id));
    },
    drop: () => removeWhere(),
  };
}
