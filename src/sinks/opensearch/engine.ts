import type { FieldMapping, IndexState } from './wire.ts';

/** Query clause of the query language that both products share. */
export type Clause = Record<string, unknown>;

/** Product that a cluster runs. The two products differ in how vectors are mapped and searched. */
export interface Engine {
  product: 'OpenSearch' | 'Elasticsearch';
  /** Oldest supported version. */
  oldest: [major: number, minor: number];
  settings?: Record<string, unknown>;
  mapVector(dimension: number): FieldMapping;
  getDimension(field: FieldMapping): unknown;
  /** Describes why an index cannot search its vectors by cosine. Returns `undefined` if it can. */
  describeVectorProblem(field: FieldMapping, index: IndexState): string | undefined;
  /** Builds the part of a search request that finds the `k` nearest vectors among the documents of `filter`. */
  buildVectorSearch(vector: number[], k: number, filter: Clause): Record<string, unknown>;
}

export const VECTOR = 'vector';
/** Maximum number of candidates that Elasticsearch collects per shard. */
const MAX_CANDIDATES = 10_000;
/** Least number of candidates per shard. Fewer candidates make the search less exact. */
const MIN_CANDIDATES = 100;
/** Number of candidates for each point that is requested. */
const CANDIDATES_PER_POINT = 2;

const openSearch: Engine = {
  product: 'OpenSearch',
  // Version 2.4 is the first that filters while it searches the Lucene graph.
  oldest: [2, 4],
  settings: { index: { knn: true } },
  mapVector: (dimension) => ({
    type: 'knn_vector',
    dimension,
    method: { name: 'hnsw', space_type: 'cosinesimil', engine: 'lucene' },
  }),
  getDimension: ({ dimension }) => dimension,
  describeVectorProblem({ method, space_type }, { settings }) {
    const { engine, space_type: space = space_type } = method ?? {};
    if (space !== 'cosinesimil') return `compares vectors by ${space ?? 'l2'} instead of cosinesimil`;
    if (engine === 'nmslib') return 'uses the engine nmslib, which filters only after the search';
    if (String(settings?.index?.knn) !== 'true') return 'does not have the setting index.knn';
    return undefined;
  },
  buildVectorSearch: (vector, k, filter) => ({ query: { knn: { [VECTOR]: { vector, k, filter } } } }),
};

const elasticsearch: Engine = {
  product: 'Elasticsearch',
  // Version 8.4 is the first whose searches accept filters for vectors.
  oldest: [8, 4],
  mapVector: (dimension) => ({
    type: 'dense_vector',
    dims: dimension,
    index: true,
    similarity: 'cosine',
    // Elasticsearch would otherwise quantize the vectors, which changes scores. Versions before 8.12 need all members.
    index_options: { type: 'hnsw', m: 16, ef_construction: 100 },
  }),
  getDimension: ({ dims }) => dims,
  describeVectorProblem({ similarity, index }) {
    if (index === false) return 'does not index its vectors';
    return similarity === undefined || similarity === 'cosine'
      ? undefined
      : `compares vectors by ${similarity} instead of cosine`;
  },
  buildVectorSearch: (vector, k, filter) => ({
    knn: {
      ...{ field: VECTOR, query_vector: vector, k, filter },
      num_candidates: Math.min(MAX_CANDIDATES, Math.max(MIN_CANDIDATES, k * CANDIDATES_PER_POINT)),
    },
  }),
};

export interface ClusterInfo {
  tagline?: string | null | undefined;
  version: { number: string; distribution?: string | null | undefined };
}

/** Returns the product of a cluster, or `undefined` if it is neither OpenSearch nor Elasticsearch. */
export function findEngine({ tagline, version }: ClusterInfo): Engine | undefined {
  // OpenSearch leaves out its name if it pretends to be Elasticsearch 7.10 for old clients. The tagline stays.
  if (version.distribution === 'opensearch' || /opensearch/i.test(tagline ?? '')) return openSearch;
  return /^you know, for search/i.test(tagline ?? '') ? elasticsearch : undefined;
}

/** Describes why the version of a cluster is not supported. Returns `undefined` if it is supported. */
export function describeOldVersion(
  { product, oldest }: Engine,
  { version }: ClusterInfo,
): string | undefined {
  const isPretended = product === 'OpenSearch' && version.distribution !== 'opensearch';
  const [major = Number.NaN, minor = 0] = version.number.split('.').map(Number);
  const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
  return isOld && !isPretended
    ? `version ${version.number.slice(0, 20)} is too old. Version ${oldest.join('.')} or newer is needed.`
    : undefined;
}
