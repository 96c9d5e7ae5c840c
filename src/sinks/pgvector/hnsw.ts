import type { HnswSettings, PgvectorSettings } from './settings.ts';

/** Plan for finding candidates with an HNSW index. */
export interface HnswPlan {
  /** Indexed expression with its operator class, as CREATE INDEX expects it. */
  indexed: string;
  /** Returns the expression that orders rows by their distance from `vector`. Both are SQL expressions. */
  distance(vector: string): string;
  m: number;
  efConstruction: number;
  efSearch: number;
  /**
   * Factor of candidates per wanted point. More candidates are needed because the final order uses another
   * distance.
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
  /** Maximum number of dimensions that pgvector can index for this type. */
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
    // The limit counts the elements that are not zero, and all elements of an embedding are usually not zero.
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
 * Candidate factors. Candidates found by the signs of the components alone are coarse. Candidates found by
 * another distance of the whole vector are nearly exact.
 */
const SPARE_OF_BITS = 4;
const SPARE_OF_OTHERS = 2;
const MAX_M = 100;
const MAX_EF = 1_000;

/**
 * Plans the HNSW index of these settings. Returns undefined if every query is exact, or the problem if the
 * settings are invalid.
 */
export function planHnsw({
  hnsw_settings: given,
  embed_dim,
}: PgvectorSettings): HnswPlan | undefined | { problem: string } {
  if (!given) return undefined;
  const type = given.vector_type ?? 'vector';
  const kind = KINDS[type];
  // The Hamming distance of the signs estimates the angle, which is also what cosine measures.
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
    distance: (vector) => `${expression('embedding')} ${OPERATORS[method]} ${expression(vector)}`,
    m,
    efConstruction,
    efSearch: given.ef_search ?? 40,
    spare: type === 'bit' ? SPARE_OF_BITS : method === 'cosine' ? 1 : SPARE_OF_OTHERS,
  };
}
