import type { SinkDeps } from '#src/ports/sink.ts';
import type { VectorPoint, VectorStore } from '#src/sinks/external/vector-store.ts';
import { createQdrantClient, type QdrantSettings } from './client.ts';
import { ensureCollection } from './collection.ts';
import { encodeMetadata, isFilterable, toCondition, VALUES } from './filter.ts';
import { createIndexPoints, LIMITS, matches, matchesAny } from './index-points.ts';
import { found, written } from './wire.ts';

/** Stores the points of one index in a Qdrant collection that several indexes may share. */
export function createQdrantStore(
  settings: QdrantSettings,
  deps: SinkDeps & { indexId: string },
): VectorStore {
  const client = createQdrantClient(settings, deps);
  const indexPoints = createIndexPoints(client, deps.indexId);
  let ensured: number | undefined;

  return {
    limits: LIMITS,
    async ensure(dimension) {
      if (ensured === dimension) return;
      await ensureCollection(client, settings, dimension);
      ensured = dimension;
    },
    async upsert(points) {
      const body = { points: points.map((point) => toPoint(deps.indexId, point)) };
      await client.ask('PUT', '/points?wait=true', written, body);
    },
    async describe({ documentId, title, metadata }) {
      await client.ask('POST', '/points/payload?wait=true', written, {
        payload: { title, metadata, [VALUES]: encodeMetadata(metadata) },
        filter: { must: [indexPoints.condition, matches('document_id', documentId)] },
      });
    },
    remove: indexPoints.remove,
    isFilterable,
    async query(vector, topK, { documentIds, preFilter } = {}) {
      const among = [
        ...(documentIds ? [matchesAny('document_id', documentIds)] : []),
        ...(preFilter ? [toCondition(preFilter)] : []),
      ];
      const { points } = await client.ask('POST', '/points/query', found, {
        query: [...vector],
        limit: topK,
        filter: { must: [indexPoints.condition, ...among] },
        with_payload: ['document_id', 'version', 'position'],
      });
      return points.flatMap(({ score, payload }) =>
        payload
          ? [{ documentId: payload.document_id, version: payload.version, position: payload.position, score }]
          : [],
      );
    },
    lookUp: (points) => indexPoints.lookUp(points.map(({ id }) => id)),
    drop: indexPoints.drop,
  };
}

function toPoint(indexId: string, { id, vector, ...point }: VectorPoint): Record<string, unknown> {
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
      [VALUES]: encodeMetadata(point.metadata),
      pages: point.pages,
    },
  };
}
