import { Upstream } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type { QdrantClient } from './client.ts';
import { VALUES } from './filter.ts';
import { type Collection, collection, created, isVectorParams, written } from './wire.ts';

/** Fields of Qdrant payloads that queries filter by, with the settings of each field's index. */
const PAYLOAD_INDEXES = {
  sluice_index: { type: 'keyword', is_tenant: true },
  document_id: { type: 'keyword' },
  version: { type: 'integer', lookup: false, range: true },
  [VALUES]: { type: 'keyword' },
};

export function findCollection(client: QdrantClient): Promise<Collection | undefined> {
  return ignoreNotFound(client.ask('GET', '', collection));
}

/**
 * Describes why a Qdrant collection cannot store vectors with this number of dimensions. Without `dimension`,
 * vectors of every size are accepted. Returns `undefined` if the collection is suitable.
 */
export function describeMismatch(
  name: string,
  { config }: Collection,
  dimension?: number,
): string | undefined {
  const { vectors } = config.params;
  if (!isVectorParams(vectors)) {
    return `The collection ${name} (collection_name) has named vectors, but a single unnamed vector is needed. Set collection_name to another collection or to a new name.`;
  }
  if (vectors.distance !== 'Cosine') {
    return `The collection ${name} (collection_name) compares vectors by ${vectors.distance} instead of Cosine. Set collection_name to another collection or to a new name.`;
  }
  if (dimension !== undefined && vectors.size !== dimension) {
    return `The collection ${name} (collection_name) holds vectors of ${vectors.size} dimensions, but the embedding model returns ${dimension}. Change collection_name or embedding_config.`;
  }
  return undefined;
}

/**
 * Creates the Qdrant collection and its payload indexes if they are missing. Rejects if an existing
 * collection cannot store the vectors.
 */
export async function ensureCollection(client: QdrantClient, name: string, dimension: number): Promise<void> {
  let existing = await findCollection(client);
  if (!existing) {
    await createCollection(client, dimension);
    existing = await findCollection(client);
  }
  const problem = existing
    ? describeMismatch(name, existing, dimension)
    : `The collection ${name} was deleted while it was being created.`;
  if (problem) throw new SinkError(`Qdrant: ${problem}`, { retryable: !existing });
  for (const [field_name, field_schema] of Object.entries(PAYLOAD_INDEXES)) {
    await client.ask('PUT', '/index?wait=true', written, { field_name, field_schema });
  }
}

async function createCollection(client: QdrantClient, dimension: number): Promise<void> {
  try {
    await client.ask('PUT', '', created, { vectors: { size: dimension, distance: 'Cosine' } });
  } catch (error) {
    // Another worker may have created the collection at the same moment, so check whether it exists.
    const isThere = error instanceof Upstream && (error.status === 409 || error.status === 400);
    if (!isThere || !(await findCollection(client))) throw error;
  }
}
