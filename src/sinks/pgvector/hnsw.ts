import type { HnswSettings, PgvectorSettings } from './settings.ts';

/** Plan for finding nearest vectors with an HNSW index of pgvector. */
export interface HnswPlan {
  /** SQL expression to index with its operator class, as in CREATE INDEX. */
  indexed: string;
  /**
   * Returns the SQL expression for the distance of a row from `vector`, which is an SQL expression too. `column`
   * is the vector of the row and defaults to `embedding`.
   */
  distance(vector: string, column?: string): string;
  m: number;
  efConstruction: number;
  efSearch: number;
  /**
   * Number of candidates to read from the index for each wanted point. Several are needed, because candidates
   * are ordered again by cosine similarity.
   */
  spare: number;
}

type Method = NonNullable<HnswSettings['distance_method']>;
type VectorType = NonNullable<HnswSettings['vector_type']>;

const OPERATORS: Record<Method, string> = {
  ...{ cosine: '<=>', ip: '<#>', l1: '<+>', l2: '<->' },
  ...{ hamming: '<~>', jaccard: '<%>' },
};

interface Kind {
  prefix: string;
  methods: Method[];
  /** Maximum number of dimensions that pgvector can index for this vector type. */
  most: number;
  cast(expression: string, dimension: number): string;
}

const DISTANCES: Method[] = ['cosine', 'ip', 'l1', 'l2'];
const KINDS: Record<VectorType, Kind> = {
  vector: { prefix: 'vector', methods: DISTANCES, most: 2_000, cast: (vector) => vector },
  half_vec: {
    prefix: 'halfvec',
    methods: DISTANCES,
    most: 4_000,
    cast: (vector, of) => `${vector}::halfvec(${of})`,
  },
  sparse_vec: {
    prefix: 'sparsevec',
    methods: DISTANCES,
    // pgvector limits the number of non-zero elements, which usually includes all elements of an embedding.
    most: 1_000,
    cast: (vector, of) => `${vector}::sparsevec(${of})`,
  },
  bit: {
    prefix: 'bit',
    methods: ['hamming', 'jaccard'],
    most: 64_000,
    cast: (vector, of) => `binary_quantize(${vector})::bit(${of})`,
  },
};

/**
 * Number of candidates per wanted point, if the index uses only the signs of components, or another distance
 * than cosine. Signs are less exact and need more candidates.
 */
const SPARE_OF_BITS = 4;
const SPARE_OF_OTHERS = 2;
const MAX_M = 100;
const MAX_EF = 1_000;

/**
 * Plans the HNSW index for the given settings. Returns `undefined` if no index is configured, and the problem
 * if the settings are invalid.
 */
export function planHnsw({
  hnsw_settings: given,
  embed_dim,
}: PgvectorSettings): HnswPlan | undefined | { problem: string } {
  if (!given) return undefined;
  const type = given.vector_type ?? 'vector';
  const kind = KINDS[type];
  // The Hamming distance between the signs of two vectors estimates the angle between them, which cosine
  // measures too.
  const wanted = given.distance_method ?? 'cosine';
  const method = type === 'bit' && wanted === 'cosine' ? 'hamming' : wanted;
  const [m, efConstruction] = [given.m ?? 16, given.ef_construction ?? 64];
  const problem = !kind.methods.includes(method)
    ? `distance_method ${method} is not available for ${type}, which supports ${kind.methods.join(', ')}`
    : embed_dim > kind.most
      ? `an index of type ${type} supports at most ${kind.most} dimensions, but embed_dim is ${embed_dim}. half_vec supports ${KINDS.half_vec.most} and bit supports ${KINDS.bit.most}. Without hnsw_settings, every query is exact`
      : m < 2 || m > MAX_M
        ? `m must be between 2 and ${MAX_M}, but is ${m}`
        : efConstruction < 2 * m || efConstruction > MAX_EF
          ? `ef_construction must be between twice m (${2 * m}) and ${MAX_EF}, but is ${efConstruction}`
          : undefined;
  if (problem) return { problem };
  const expression = (vector: string) => kind.cast(vector, embed_dim);
  return {
    indexed: `(${expression('embedding')}) ${kind.prefix}_${method}_ops`,
    distance: (vector, column = 'embedding') =>
      `${expression(column)} ${OPERATORS[method]} ${expression(vector)}`,
    m,
    efConstruction,
    efSearch: given.ef_search ?? 40,
    spare: type === 'bit' ? SPARE_OF_BITS : method === 'cosine' ? 1 : SPARE_OF_OTHERS,
  };
}
