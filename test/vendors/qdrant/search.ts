import { Refused } from '../behaviour.ts';
import {
  type Collection,
  checkSize,
  checkSparse,
  isSparse,
  type Point,
  type SparseVector,
  select,
  UNNAMED,
} from './collection.ts';
import type { Filter, Payload } from './filter.ts';

export interface Query {
  query: number[] | SparseVector;
  using?: string;
  filter?: Filter;
  limit?: number;
  params?: { idf?: 'global' | { corpus: Filter } };
  prefetch?: Query | Query[];
  with_payload?: string[];
}

export interface Scroll {
  filter?: Filter;
  limit?: number;
  with_payload?: string[];
  order_by?: { key: string; start_from?: number };
}

const DEFAULT_LIMIT = 10;

/** Answers a query. If it has prefetches, only the points that these find are scored. */
export function runQuery(collection: Collection, query: Query) {
  return rank(collection, query).map(({ point, score }) => ({
    id: point.id,
    version: 1,
    score,
    payload: pick(point.payload, query.with_payload ?? []),
  }));
}

interface Ranked {
  point: Point;
  score: number;
}

function rank(collection: Collection, { prefetch, filter, ...query }: Query, outer: Filter = {}): Ranked[] {
  const must = [...(outer.must ?? []), ...(filter ? [filter] : [])];
  const candidates = prefetch
    ? [prefetch].flat().flatMap((each) => rank(collection, each, { must }).map(({ point }) => point))
    : select(collection, { must });
  const score = createScore(collection, query);
  return [...new Set(candidates)]
    .flatMap((point) => score(point) ?? [])
    .sort((a, b) => b.score - a.score)
    .slice(0, query.limit ?? DEFAULT_LIMIT);
}

type Score = (point: Point) => Ranked | undefined;

/** Returns a function that scores a point, or returns undefined if the query does not find it. */
function createScore(collection: Collection, { query, using = UNNAMED, params }: Query): Score {
  const sparse = collection.sparse[using];
  if (using !== UNNAMED && !sparse)
    throw new Refused({ status: 400, message: `Wrong input: Not existing vector name error: ${using}` });
  if (params?.idf && sparse?.modifier !== 'idf') {
    const message = `Validation error: search param \`idf\` requires a sparse vector with the \`idf\` modifier, which vector "${using}" is not`;
    throw new Refused({ status: 422, message });
  }
  if (Array.isArray(query) !== (using === UNNAMED))
    throw new Refused({ status: 400, message: 'Wrong input: Conversion between sparse and regular vectors' });
  if (Array.isArray(query)) {
    checkSize(collection, query);
    return (point) => {
      const vector = point.vectors[UNNAMED];
      return Array.isArray(vector) ? { point, score: getCosine(query, vector) } : undefined;
    };
  }
  checkSparse(query);
  const weights = weigh(collection, { query, using, ...(params && { params }) });
  return (point) => {
    const vector = point.vectors[using];
    if (!isSparse(vector) || !vector.indices.some((index) => weights.has(index))) return undefined;
    const products = vector.indices.map((index, at) => (weights.get(index) ?? 0) * vector.values[at]!);
    return { point, score: products.reduce((sum, product) => sum + product, 0) };
  };
}

/** Returns the weights of a query by index, multiplied by the inverse document frequency in the corpus. */
function weigh(
  collection: Collection,
  { query: { indices, values }, using, params }: Query & { query: SparseVector; using: string },
): Map<number, number> {
  if (collection.sparse[using]!.modifier !== 'idf')
    return new Map(indices.map((index, at) => [index, values[at]!]));
  const corpus = typeof params?.idf === 'object' ? params.idf.corpus : {};
  const counts = new Map<number, number>();
  let documents = 0;
  for (const { vectors } of select(collection, corpus)) {
    const vector = vectors[using];
    if (!isSparse(vector)) continue;
    documents += 1;
    for (const index of vector.indices) counts.set(index, (counts.get(index) ?? 0) + 1);
  }
  return new Map(
    indices.map((index, at) => {
      const count = counts.get(index) ?? 0;
      return [index, values[at]! * Math.log(1 + (documents - count + 0.5) / (count + 0.5))];
    }),
  );
}

function getCosine(one: number[], other: number[]): number {
  const dot = one.reduce((sum, x, i) => sum + x * other[i]!, 0);
  return dot / (Math.hypot(...one) * Math.hypot(...other) || 1);
}

/** Lists points by id, or by a field that has an index for ranges. */
export function runScroll(collection: Collection, { filter, limit, with_payload, order_by }: Scroll) {
  const points = select(collection, filter);
  if (order_by) {
    const index = collection.indexes.get(order_by.key);
    if (index?.type !== 'integer' || index.range === false)
      throw new Refused({
        status: 400,
        message: `Bad request: No range index for \`order_by\` key: \`${order_by.key}\``,
      });
  }
  const { key, start_from = Number.NEGATIVE_INFINITY } = order_by ?? { key: '' };
  const getOrder = ({ payload }: Point) => Number(payload[key]);
  const ordered = order_by
    ? points
        .filter((point) => getOrder(point) >= start_from)
        .sort((one, other) => getOrder(one) - getOrder(other))
    : points.sort((one, other) => (one.id < other.id ? -1 : 1));
  const size = limit ?? DEFAULT_LIMIT;
  return {
    points: ordered.slice(0, size).map(({ id, payload }) => ({ id, payload: pick(payload, with_payload) })),
    next_page_offset: order_by ? null : (ordered[size]?.id ?? null),
  };
}

const pick = (payload: Payload, names?: string[]): Payload =>
  names
    ? Object.fromEntries(names.flatMap((name) => (name in payload ? [[name, payload[name]]] : [])))
    : payload;
