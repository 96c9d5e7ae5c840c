import type { HnswSettings, PgvectorSettings } from './settings.ts';

/** How candidates are found by an HNSW index. */
export interface HnswPlan {
  /** The indexed expression with its operator class, as CREATE INDEX takes it. */
  indexed: string;
  /** The expression by whose order the index gives rows near `vector`, an expression itself. */
  distance(vector: string): string;
  m: number;
  efConstruction: number;
  efSearch: number;
  /** So many times the wanted points are taken as candidates, since another order decides in the end. */
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
  /** The most dimensions that the extension indexes. */
  most: number;
  cast(expression: string, dimension: number): string;
}

const ALIKE: Method[] = ['cosine', 'ip', 'l1', 'l2'];
const KINDS: Record<VectorType, Kind> = {
  vector: { prefix: 'vector', methods: ALIKE, most: 2_000, cast: (vector) => vector },
  half_vec: {
    prefix: 'halfvec',
    methods: ALIKE,
    most: 4_000,
    cast: (vector, of) => `${vector}::halfvec(${of})`,
  },
  sparse_vec: {
    prefix: 'sparsevec',
    methods: ALIKE,
    // Of elements that are not zero, which all of an embedding are.
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

/** Candidates by signs alone are coarse; those by another distance of the whole vector hardly. */
const SPARE_OF_BITS = 4;
const SPARE_OF_OTHERS = 2;
const MOST_M = 100;
const MOST_EF = 1_000;

/** The plan, undefined when every query is to be exact, or why there can be none of these settings. */
export function hnswPlan({
  hnsw_settings: given,
  embed_dim,
}: PgvectorSettings): HnswPlan | undefined | { problem: string } {
  if (!given) return undefined;
  const type = given.vector_type ?? 'vector';
  const kind = KINDS[type];
  // Hamming over signs estimates the angle, which is what cosine asks for.
  const asked = given.distance_method ?? 'cosine';
  const method = type === 'bit' && asked === 'cosine' ? 'hamming' : asked;
  const [m, efConstruction] = [given.m ?? 16, given.ef_construction ?? 64];
  const problem = !kind.methods.includes(method)
    ? `distance_method ${method} is not one of ${type}, which has ${kind.methods.join(', ')}`
    : embed_dim > kind.most
      ? `an index of ${type} takes ${kind.most} dimensions at most, and embed_dim is ${embed_dim}: half_vec takes ${KINDS.half_vec.most}, bit ${KINDS.bit.most}, and without hnsw_settings every query is exact`
      : m < 2 || m > MOST_M
        ? `m is ${m}, and 2 to ${MOST_M} is allowed`
        : efConstruction < 2 * m || efConstruction > MOST_EF
          ? `ef_construction is ${efConstruction}, and twice m (${2 * m}) to ${MOST_EF} is allowed`
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
