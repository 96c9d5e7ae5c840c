import { Refused } from '../behaviour.ts';
import { type Index, listVisible, type Product } from './cluster.ts';
import { findVectorProblem, isVector, type Source } from './mapping.ts';
import { compileQuery, type Query } from './query.ts';
import { compileScore } from './scoring.ts';

export interface Search {
  size?: number;
  query?: Query & { knn?: Record<string, { vector: number[]; k: number; filter?: Query }> };
  knn?: { field: string; query_vector: number[]; k: number; num_candidates: number; filter?: Query };
  sort?: Record<string, { order: 'asc' | 'desc' }>[];
  search_after?: unknown[];
  _source?: boolean | { includes: string[] };
  track_total_hits?: boolean;
}

interface Nearest {
  field: string;
  vector: number[];
  k: number;
  filter?: Query | undefined;
}

const MOST_RESULTS = 10_000;
const DEFAULT_SIZE = 10;
const NONE = { took: 1, timed_out: false, _shards: { total: 1, successful: 1, skipped: 0, failed: 0 } };

const refuse = (message: string) => new Refused({ status: 400, message });

/** Answers a search with the documents that are visible. */
export function search(index: Index, asked: Search, product: Product, allowsExpensive: boolean) {
  const { size = DEFAULT_SIZE, sort, track_total_hits } = asked;
  if (size > MOST_RESULTS) throw refuse(`Result window is too large, it must be at most ${MOST_RESULTS}`);
  const context = { fields: index.fields, allowsExpensive };
  const nearest = findNearestClause(asked, product);
  const query = nearest ? nearest.filter : asked.query;
  const passes = query ? compileQuery(query, context) : () => true;
  const matching = listVisible(index).filter(([, source]) => passes(source));
  const hits = nearest
    ? rank(matching, nearest, index, product)
    : sort
      ? arrange(matching, asked).map(([id, source, values]) => ({ id, source, score: null, values }))
      : score(matching, asked, index, product);
  const shown = hits.slice(0, size).map(({ id, source, score, ...rest }) => ({
    ...{ _index: index.name, _id: id, _score: score },
    ...('values' in rest && rest.values ? { sort: rest.values } : {}),
    ...buildSource(source, asked._source),
  }));
  const total = track_total_hits === false ? {} : { total: { value: hits.length, relation: 'eq' } };
  return { ...NONE, hits: { ...total, max_score: shown[0]?._score ?? null, hits: shown } };
}

function findNearestClause({ query, knn }: Search, product: Product): Nearest | undefined {
  if (product === 'opensearch') {
    const [clause] = Object.entries(query?.knn ?? {});
    return clause && { field: clause[0], ...clause[1] };
  }
  if (!knn) return undefined;
  const { field, query_vector: vector, k, num_candidates: candidates, filter } = knn;
  if (candidates < k) throw refuse('[num_candidates] cannot be less than [k]');
  if (candidates > MOST_RESULTS) throw refuse(`[num_candidates] cannot exceed [${MOST_RESULTS}]`);
  return { field, vector, k, filter };
}

function rank(
  matching: [string, Source][],
  { field: name, vector, k }: Nearest,
  index: Index,
  product: Product,
) {
  const field = index.fields[name];
  const isSearchable = product === 'elasticsearch' || String(index.settings.index?.knn) === 'true';
  if (!field || !isVector(field) || !isSearchable)
    throw refuse(`Field '${name}' is not knn_vector or dense_vector type.`);
  if (k < 1 || k > MOST_RESULTS) throw refuse(`[k] must be from 1 to ${MOST_RESULTS}`);
  const problem = findVectorProblem(name, vector, field);
  if (problem) throw refuse(problem);
  return matching
    .flatMap(([id, source]) => {
      const held = source[name] as number[] | undefined;
      return held ? [{ id, source, score: Math.fround((1 + cosine(vector, held)) / 2) }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, k);
}

/** Scores documents by words. Documents of equal scores stay in the order in which they were written. */
function score(matching: [string, Source][], { query = {} }: Search, index: Index, product: Product) {
  const documents = listVisible(index).map(([, source]) => source);
  const getScore = compileScore(query, { fields: index.fields, product, documents });
  return matching
    .map(([id, source]) => ({ id, source, score: getScore(source) }))
    .sort((a, b) => b.score - a.score);
}

/** Sorts documents, and leaves out those before the position of the page. */
function arrange(
  matching: [string, Source][],
  { sort = [], search_after: after }: Search,
): [string, Source, unknown[] | undefined][] {
  const names = sort.map((each) => Object.keys(each)[0]!);
  if (after && after.length !== names.length) throw refuse('search_after has another length than sort');
  const rows = matching.map(([id, source]): [string, Source, unknown[] | undefined] => [
    ...([id, source] as const),
    names.length > 0 ? names.map((name) => source[name]) : undefined,
  ]);
  const compare = (a: unknown[] = [], b: unknown[] = []) =>
    sort
      .map((each, at) => {
        const isDescending = Object.values(each)[0]!.order === 'desc';
        return (Number(a[at]) - Number(b[at])) * (isDescending ? -1 : 1);
      })
      .find((order) => order !== 0) ?? 0;
  return rows
    .sort(([, , a], [, , b]) => compare(a, b))
    .filter(([, , values]) => !after || compare(values, after) > 0);
}

function buildSource(source: Source, wanted: Search['_source']) {
  if (wanted === false) return {};
  if (typeof wanted !== 'object') return { _source: source };
  return {
    _source: Object.fromEntries(Object.entries(source).filter(([name]) => wanted.includes.includes(name))),
  };
}

function cosine(one: number[], other: number[]): number {
  const dot = one.reduce((sum, x, i) => sum + x * other[i]!, 0);
  return dot / (Math.hypot(...one) * Math.hypot(...other) || 1);
}
