import { SinkError } from '#src/ports/sink.ts';
import { getIndexOrigin, type PineconeClient } from './client.ts';
import type { Index } from './wire.ts';

/** Metadata fields of Pinecone records that Sluice filters by. */
const FILTERED_FIELDS = ['sluice_index', 'document_id', 'version'];
const PERMANENT_STATES = new Set(['InitializationFailed', 'Terminating', 'Disabled']);

/** Properties of a Pinecone index that are needed to read and write its records. */
export interface IndexTarget {
  origin: string;
  /** Number of dimensions of the vectors. `undefined` if Pinecone does not report it. */
  dimension: number | undefined;
  /** True if vectors must be scaled to length 1, so that their dot product equals their cosine similarity. */
  isByLength: boolean;
  /** Metadata fields that Pinecone filters can use. `undefined` if every field can be used. */
  filterable: ReadonlySet<string> | undefined;
}

/**
 * Describes why a Pinecone index cannot store vectors with this number of dimensions. Without `dimension`,
 * vectors of every size are accepted. Returns `undefined` if the index is suitable.
 */
export function describeMismatch(index: Index, dimension?: number): string | undefined {
  const named = `The index ${index.name} (index_name)`;
  if ((index.vector_type ?? 'dense') !== 'dense') {
    return `${named} holds ${index.vector_type} vectors, but dense vectors are needed. Set another index_name.`;
  }
  if (index.metric !== 'cosine' && index.metric !== 'dotproduct') {
    return `${named} compares vectors by ${index.metric} instead of cosine or dotproduct. Set another index_name.`;
  }
  const filterable = listFilterableFields(index);
  const missing = FILTERED_FIELDS.filter((name) => filterable && !filterable.has(name));
  if (missing.length > 0) {
    return `${named} makes only some metadata fields filterable, without ${missing.join(', ')}. Set an index where these fields are filterable too.`;
  }
  if (dimension !== undefined && typeof index.dimension === 'number' && index.dimension !== dimension) {
    return `${named} holds vectors of ${index.dimension} dimensions, but the embedding model returns ${dimension}. Change index_name or embedding_config.`;
  }
  return undefined;
}

export const describeMissingIndex = (name: string, dimension: string): string =>
  `The project of api_key has no index ${name} (index_name). Sluice does not create it, because you choose its cloud, region and cost. Create an index of dense vectors with ${dimension} and the metric cosine.`;

/**
 * Requests the description of the Pinecone index. Rejects if the index is not ready, or with status 404 if it
 * does not exist.
 */
export async function findIndexTarget(
  client: PineconeClient,
): Promise<{ index: Index; target: IndexTarget }> {
  const index = await client.describeIndex();
  const { ready, state } = index.status;
  if (!ready) {
    throw new SinkError(`Pinecone: The index ${index.name} is not ready (${state}).`, {
      retryable: !PERMANENT_STATES.has(state),
    });
  }
  const target = {
    origin: getIndexOrigin(index),
    dimension: index.dimension ?? undefined,
    isByLength: index.metric === 'dotproduct',
    filterable: listFilterableFields(index),
  };
  return { index, target };
}

function listFilterableFields({ spec: { serverless, byoc, pod } }: Index): ReadonlySet<string> | undefined {
  const fields = (serverless ?? byoc)?.schema?.fields;
  if (fields) return new Set(Object.keys(fields));
  const indexed = pod?.metadata_config?.indexed;
  return indexed ? new Set(indexed) : undefined;
}
