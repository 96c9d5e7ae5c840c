import { Upstream } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { unlessAbsent } from '#src/sinks/external/store-http.ts';
import type { QdrantClient } from './client.ts';
import { VALUES } from './filter.ts';
import { type Collection, collection, isVectorParams, made, written } from './wire.ts';

/** Payload fields that queries filter by, with the settings of their payload index. */
const LOOKED_UP = {
  sluice_index: { type: 'keyword', is_tenant: true },
  document_id: { type: 'keyword' },
  version: { type: 'integer', lookup: false, range: true },
  [VALUES]: { type: 'keyword' },
};

/** Returns `undefined` if the collection does not exist. */
export function findCollection(client: QdrantClient): Promise<Collection | undefined> {
  return unlessAbsent(client.ask('GET', '', collection));
}

/**
 * Describes why a collection cannot hold vectors of this dimension. Without a dimension, every size is
 * accepted. Returns `undefined` if the collection fits.
 */
export function unfit(name: string, { config }: Collection, dimension?: number): string | undefined {
  const { vectors } = config.params;
  if (!isVectorParams(vectors)) {
    return `The collection ${name} (collection_name) has named vectors; one with a single unnamed vector is needed, or a name that is not taken.`;
  }
  if (vectors.distance !== 'Cosine') {
    return `The collection ${name} (collection_name) compares vectors by ${vectors.distance}; one that compares by Cosine is needed, or a name that is not taken.`;
  }
  if (dimension !== undefined && vectors.size !== dimension) {
    return `The collection ${name} (collection_name) holds vectors of ${vectors.size} dimensions, and the embedding model gives ${dimension}: another collection_name or another embedding_config is needed.`;
  }
  return undefined;
}

/**
 * Creates the collection and its payload indexes if they are missing. Rejects if an existing collection
 * cannot hold the vectors.
 */
export async function ensureCollection(client: QdrantClient, name: string, dimension: number): Promise<void> {
  let there = await findCollection(client);
  if (!there) {
    await makeCollection(client, dimension);
    there = await findCollection(client);
  }
  const problem = there
    ? unfit(name, there, dimension)
    : `The collection ${name} was deleted as it was made.`;
  if (problem) throw new SinkError(`The data sink (VENDOR_G): ${problem}`, { retryable: !there });
  for (const [field_name, field_schema] of Object.entries(LOOKED_UP)) {
    await client.ask('PUT', '/index?wait=true', written, { field_name, field_schema });
  }
}

async function makeCollection(client: QdrantClient, dimension: number): Promise<void> {
  try {
    await client.ask('PUT', '', made, { vectors: { size: dimension, distance: 'Cosine' } });
  } catch (error) {
    // Another worker may have created the collection at the same moment, so check whether it exists.
    const isThere = error instanceof Upstream && (error.status === 409 || error.status === 400);
    if (!isThere || !(await findCollection(client))) throw error;
  }
}
