import type { Removal } from '#src/ports/shard.ts';
import { groupByVersion } from '#src/sinks/external/removals.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type { QdrantClient } from './client.ts';
import type { Condition } from './filter.ts';
import { records, written } from './wire.ts';

/**
 * Maximum number of points and bytes per write, and of points per lookup. Qdrant rejects requests larger than
 * 32 MB.
 */
export const LIMITS = { points: 256, bytes: 8_000_000, lookedUp: 1_000 };

export const matches = (key: string, value: string): Condition => ({ key, match: { value } });
export const matchesAny = (key: string, values: string[]): Condition => ({ key, match: { any: values } });

/** Calls that both modes of the driver make for the points of one index in a collection. */
export interface IndexPoints {
  /** Condition that a point belongs to the index. */
  condition: Condition;
  /** Deletes the points of documents, up to and including the given versions. */
  remove(removals: Removal[]): Promise<void>;
  /** Returns the given ids that exist in the collection. */
  lookUp(ids: string[]): Promise<Set<string>>;
  /** Deletes all points of the index. */
  drop(): Promise<void>;
}

export function createIndexPoints(client: QdrantClient, indexId: string): IndexPoints {
  const condition = matches('sluice_index', indexId);
  const removeWhere = async (conditions: Condition[]): Promise<void> => {
    const body = { filter: { must: [condition, ...conditions] } };
    await ignoreNotFound(client.ask('POST', '/points/delete?wait=true', written, body));
  };
  return {
    condition,
    async remove(removals) {
      for (const [version, documentIds] of groupByVersion(removals)) {
        await removeWhere([
          matchesAny('document_id', documentIds),
          { key: 'version', range: { lte: version } },
        ]);
      }
    },
    async lookUp(ids) {
      const body = { ids, with_payload: false, with_vector: false };
      const existing = await ignoreNotFound(client.ask('POST', '/points', records, body));
      return new Set(existing?.map(({ id }) => id));
    },
    drop: () => removeWhere([]),
  };
}
