import type { SinkDeps } from '#src/ports/sink.ts';
import { byVersion } from '#src/sinks/external/removals.ts';
import { unlessAbsent } from '#src/sinks/external/store-http.ts';
import type { VectorPoint, VectorStore } from '#src/sinks/external/vector-store.ts';
import { type QdrantSettings, qdrantClient } from './client.ts';
import { ensureCollection } from './collection.ts';
import { type Condition, conditionOf, isFilterable, VALUES, wordsOf } from './filter.ts';
import { found, records, written } from './wire.ts';

/** Batch limits. Qdrant rejects requests larger than 32 MB. */
const LIMITS = { points: 256, bytes: 8_000_000, lookedUp: 1_000 };

const matches = (key: string, value: string): Condition => ({ key, match: { value } });
const isAnyOf = (key: string, values: string[]): Condition => ({ key, match: { any: values } });

/** Stores the points of one index in a Qdrant collection that several indexes may share. */
export function qdrantStore(settings: QdrantSettings, deps: SinkDeps & { indexId: string }): VectorStore {
  const client = qdrantClient(settings, deps);
  const ofIndex = matches('sluice_index', deps.indexId);
  let ensured: number | undefined;
  const removeWhere = async (conditions: Condition[]): Promise<void> => {
    const body = { filter: { must: [ofIndex, ...conditions] } };
    // A missing collection holds no points to delete.
    await unlessAbsent(client.ask('POST', '/points/delete?wait=true', written, body));
  };

  return {
    limits: LIMITS,
    async ensure(dimension) {
      if (ensured === dimension) return;
      await ensureCollection(client, settings.collection_name, dimension);
      ensured = dimension;
    },
    async upsert(points) {
      const body = { points: points.map((point) => pointOf(deps.indexId, point)) };
      await client.ask('PUT', '/points?wait=true', written, body);
    },
    async describe({ documentId, title, metadata }) {
      await client.ask('POST', '/points/payload?wait=true', written, {
        payload: { title, metadata, [VALUES]: wordsOf(metadata) },
        filter: { must: [ofIndex, matches('document_id', documentId)] },
      });
    },
    async remove(removals) {
      for (const [version, documentIds] of byVersion(removals)) {
        await removeWhere([isAnyOf('document_id', documentIds), { key: 'version', range: { lte: version } }]);
      }
    },
    isFilterable,
    async query(vector, topK, { documentIds, narrowing } = {}) {
      const among = [
        ...(documentIds ? [isAnyOf('document_id', documentIds)] : []),
        ...(narrowing ? [conditionOf(narrowing)] : []),
      ];
      const { points } = await client.ask('POST', '/points/query', found, {
        query: [...vector],
        limit: topK,
        filter: { must: [ofIndex, ...among] },
        with_payload: ['document_id', 'version', 'position'],
      });
      return points.flatMap(({ score, payload }) =>
        payload
          ? [{ documentId: payload.document_id, version: payload.version, position: payload.position, score }]
          : [],
      );
    },
    async lookUp(points) {
      const body = { ids: points.map(({ id }) => id), with_payload: false, with_vector: false };
      const there = await unlessAbsent(client.ask('POST', '/points', records, body));
      return new Set(there?.map(({ id }) => id));
    },
    drop: () => removeWhere([]),
  };
}

function pointOf(indexId: string, { id, vector, ...point }: VectorPoint): Record<string, unknown> {
  return {
    id,
    vector: [...vector],
    payload: {
      sluice_index: indexId,
      document_id: point.documentId,
      version: point.version,
      position: point.position,
      node_id: point.nodeId,
      title: point.title,
      text: point.text,
      metadata: point.metadata,
      [VALUES]: wordsOf(point.metadata),
      pages: point.pages,
    },
  };
}
