import { Upstream } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import { usesNativeSearch } from '#src/sinks/native/native-search.ts';
import type { QdrantClient, QdrantSettings } from './client.ts';
import { VALUES } from './filter.ts';
import { WORDS } from './search/words.ts';
import { type Collection, collection, created, isVectorParams, written } from './wire.ts';

/** Fields of Qdrant payloads that queries filter by, with the settings of each field's index. */
const PAYLOAD_INDEXES = {
  sluice_index: { type: 'keyword', is_tenant: true },
  document_id: { type: 'keyword' },
  version: { type: 'integer', lookup: false, range: true },
  [VALUES]: { type: 'keyword' },
};

/** Further indexes, which are needed if Qdrant carries the whole search. Chunks are listed by position. */
const SEARCH_PAYLOAD_INDEXES = {
  node_id: { type: 'keyword' },
  position: { type: 'integer', lookup: false, range: true },
};

/** Parameters of the sparse vectors, whose values Qdrant multiplies by the inverse document frequency. */
const SPARSE_VECTORS = { [WORDS]: { modifier: 'idf' } };

type CollectionSettings = Pick<QdrantSettings, 'collection_name' | 'native_search'>;

export function findCollection(client: QdrantClient): Promise<Collection | undefined> {
  return ignoreNotFound(client.ask('GET', '', collection));
}

/**
 * Describes why a Qdrant collection cannot store vectors with this number of dimensions, or the words of chunks if
 * Qdrant carries the whole search. Without `dimension`, vectors of every size are accepted. Returns `undefined` if
 * the collection is suitable.
 */
export function describeMismatch(
  settings: CollectionSettings,
  { config }: Collection,
  dimension?: number,
): string | undefined {
  const { vectors, sparse_vectors } = config.params;
  const name = settings.collection_name;
  if (!isVectorParams(vectors)) {
    return `The collection ${name} (collection_name) has named vectors, but a single unnamed vector is needed. Set collection_name to another collection or to a new name.`;
  }
  if (vectors.distance !== 'Cosine') {
    return `The collection ${name} (collection_name) compares vectors by ${vectors.distance} instead of Cosine. Set collection_name to another collection or to a new name.`;
  }
  if (dimension !== undefined && vectors.size !== dimension) {
    return `The collection ${name} (collection_name) holds vectors of ${vectors.size} dimensions, but the embedding model returns ${dimension}. Change collection_name or embedding_config.`;
  }
  if (usesNativeSearch(settings) && sparse_vectors?.[WORDS]?.modifier !== 'idf') {
    return `The collection ${name} (collection_name) has no sparse vectors named ${WORDS} with the modifier idf, which native_search needs. Set collection_name to a new name, or native_search to false.`;
  }
  return undefined;
}

/**
 * Creates the Qdrant collection and its payload indexes if they are missing. Rejects if an existing
 * collection cannot store the vectors.
 */
export async function ensureCollection(
  client: QdrantClient,
  settings: CollectionSettings,
  dimension: number,
): Promise<void> {
  const isNative = usesNativeSearch(settings);
  let existing = await findCollection(client);
  if (!existing) {
    const vectors = { size: dimension, distance: 'Cosine' };
    await createCollection(client, { vectors, ...(isNative && { sparse_vectors: SPARSE_VECTORS }) });
    existing = await findCollection(client);
  }
  const problem = existing
    ? describeMismatch(settings, existing, dimension)
    : `The collection ${settings.collection_name} was deleted while it was being created.`;
  if (problem) throw new SinkError(`Qdrant: ${problem}`, { retryable: !existing });
  const indexes = { ...PAYLOAD_INDEXES, ...(isNative && SEARCH_PAYLOAD_INDEXES) };
  for (const [field_name, field_schema] of Object.entries(indexes)) {
    await client.ask('PUT', '/index?wait=true', written, { field_name, field_schema });
  }
}

async function createCollection(client: QdrantClient, definition: object): Promise<void> {
  try {
    await client.ask('PUT', '', created, definition);
  } catch (error) {
    // Another worker may have created the collection at the same moment, so check whether it exists.
    const isThere = error instanceof Upstream && (error.status === 409 || error.status === 400);
    if (!isThere || !(await findCollection(client))) throw error;
  }
}
