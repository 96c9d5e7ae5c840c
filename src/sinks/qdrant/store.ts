import type { SinkDeps } from '#src/ports/sink.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type { VectorPoint, VectorStore } from '#src/sinks/external/vector-store.ts';
import { createQdrantClient, type QdrantSettings } from './client.ts';
import { ensureCollection } from './collection.ts';
import { type Condition, encodeMetadata, isFilterable, toCondition, VALUES } from './filter.ts';
import { found, records, written } from './wire.ts';

/**
 * Maximum number of points and bytes per write, and of points per lookup. Qdrant rejects requests larger than
 * 32 MB.
 */
const LIMITS = { points: 256, bytes: 8_000_000, lookedUp: 1_000 };

const matches = (key: string, value: string): Condition => ({ key, match: { value } });
const matchesAny = (key: string, values: string[]): Condition => ({ key, match: { any: values } });

/** Stores the points of one index in a Qdrant collection that several indexes may share. */
export function createQdrantStore(
  settings: QdrantSettings,
  deps: SinkDeps & { indexId: string },
): VectorStore {
  const client = createQdrantClient(settings, deps);
  const indexCondition = matches('sluice_index', deps.indexId);
  let ensured: number | undefined;
  const removeWhere = async (conditions: Condition[]): Promise<void> => {
    const body = { filter: { must: [indexCondition, ...conditions] } };
    await ignoreNotFound(client.ask('POST', '/points/delete?wait=true', written, body));
  };

  return {
    limits: LIMITS,
    async ensure(dimension) {
      if (ensured === dimension) return;
      await ensureCollection(client, settings.collection_name, dimension);
      ensured = dimension;
    },
    async upsert(points) {
      const body = { points: points.map((point) => toPoint(deps.indexId, point)) };
      await client.ask('PUT', '/points?wait=true', written, body);
    },
    async describe({ documentId, title, metadata }) {
      await client.ask('POST', '/points/payload?wait=true', written, {
        payload: { title, metadata, [VALUES]: encodeMetadata(metadata) },
        filter: { must: [indexCondition, matches('document_id', documentId)] },
      });
    },
    async remove(removals) {
      for (const [version, documentIds] of groupByVersion(removals)) {
        await removeWhere([
          matchesAny('document_id', documentIds),
          { key: 'version', range: { lte: version } },
        ]);
      }
    },
    isFilterable,
    async query(vector, topK, { documentIds, preFilter } = {}) {
      const among = [
        ...(documentIds ? [matchesAny('document_id', documentIds)] : []),
        ...(preFilter ? [toCondition(preFilter)] : []),
      ];
      const { points } = await client.ask('POST', '/points/query', found, {
        query: [...vector],
        limit: topK,
        filter: { must: [indexCondition, ...among] },
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
      const existing = await ignoreNotFound(client.ask('POST', '/points', records, body));
      return new Set(existing?.map(({ id }) => id));
    },
    drop: () => removeWhere([]),
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
