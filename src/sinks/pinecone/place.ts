import { SinkError } from '#src/ports/sink.ts';
import { originOf, type PineconeClient } from './client.ts';
import type { Index } from './wire.ts';

/** Metadata fields that records are looked up by. */
const LOOKED_UP = ['sluice_index', 'document_id', 'version'];
const LOST = new Set(['InitializationFailed', 'Terminating', 'Disabled']);

/** An index as far as records are written to it and looked for in it. */
export interface Place {
  origin: string;
  /** Undefined where the vendor does not say. */
  dimension: number | undefined;
  /** Vectors are to have length 1: then their dot product is their cosine similarity. */
  isByLength: boolean;
  /** Fields of metadata that filters find; undefined: all. */
  filterable: ReadonlySet<string> | undefined;
}

/** What keeps vectors of this dimension (any, where it is absent) out of an index. */
export function unfit(there: Index, dimension?: number): string | undefined {
  const named = `The index ${there.name} (index_name)`;
  if ((there.vector_type ?? 'dense') !== 'dense') {
    return `${named} holds ${there.vector_type} vectors; one of dense vectors is needed.`;
  }
  if (there.metric !== 'cosine' && there.metric !== 'dotproduct') {
    return `${named} compares vectors by ${there.metric}; one that compares by cosine (or dotproduct) is needed.`;
  }
  const filterable = filterableOf(there);
  const missing = LOOKED_UP.filter((name) => filterable && !filterable.has(name));
  if (missing.length > 0) {
    return `${named} makes only some fields of metadata filterable, without ${missing.join(', ')}: one where all are, or these too, is needed.`;
  }
  if (dimension !== undefined && typeof there.dimension === 'number' && there.dimension !== dimension) {
    return `${named} holds vectors of ${there.dimension} dimensions, and the embedding model gives ${dimension}: another index_name or another embedding_config is needed.`;
  }
  return undefined;
}

export const absent = (name: string, dimension: number | string): string =>
  `There is no index ${name} (index_name) in the project of the api_key, and none is made, since its cloud, region and cost are for its owner to choose: make one of dense vectors of ${dimension} dimensions, compared by cosine.`;

/** Asks for the index. Rejects when it cannot be used (yet); with status 404 when it is absent. */
export async function findPlace(client: PineconeClient): Promise<{ there: Index; place: Place }> {
  const there = await client.describeIndex();
  const { ready, state } = there.status;
  if (!ready) {
    throw new SinkError(`The data sink (VENDOR_E) has an index ${there.name} that is not ready (${state}).`, {
      retryable: !LOST.has(state),
    });
  }
  const place = {
    origin: originOf(there),
    dimension: there.dimension ?? undefined,
    isByLength: there.metric === 'dotproduct',
    filterable: filterableOf(there),
  };
  return { there, place };
}

function filterableOf({ spec: { serverless, byoc, pod } }: Index): ReadonlySet<string> | undefined {
  const fields = (serverless ?? byoc)?.schema?.fields;
  if (fields) return new Set(Object.keys(fields));
  const indexed = pod?.metadata_config?.indexed;
  return indexed ? new Set(indexed) : undefined;
}
