import { z } from 'zod';
import { Invalid } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { withHint } from '#src/lib/schema/effect.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { metadataFilters } from '#src/retrieval-contract/filter-schema.ts';
import {
  DEFAULTS,
  MAX_RESULTS,
  type PresetRetrievalParameters,
  queryText,
} from '#src/retrieval-contract/parameters.ts';
import { indexId } from './names.ts';

const OPERATORS = {
  eq: '==',
  ne: '!=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  in: 'in',
  nin: 'nin',
} as const;

const operator = z.enum(Object.keys(OPERATORS) as [keyof typeof OPERATORS]);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const valueFilter = z.object({ operator, value: z.union([scalar, z.array(scalar)]) });
const bound = z.object({ operator: z.enum(['gt', 'gte', 'lt', 'lte']), value: z.number() });
type ValueFilter = z.output<typeof valueFilter>;

const weight = z.number().min(0).max(1).nullish();
const count = (what: string) =>
  withHint(
    z.number().int().min(1).nullish().describe(`${what} Values above ${MAX_RESULTS} count as it.`),
    (given) => (Number(given) > MAX_RESULTS ? `At most ${MAX_RESULTS} are used.` : undefined),
  );

export const indexQuery = z
  .object({
    index_id: indexId,
    query: queryText,
    top_k: count('Maximum number of results.'),
    num_candidates: count('Number of chunks that each search finds before reranking.'),
    vector_pipeline_weight: weight.describe('Weight of the vector search.'),
    full_text_pipeline_weight: weight.describe('Weight of the full-text search.'),
    score_threshold: z
      .number()
      .nullish()
      .describe('Minimum `rerank_score` of results, or minimum `score` if nothing was reranked.'),
    rerank: z
      .object({
        enabled: z.boolean().nullish(),
        top_n: count('Maximum number of results after reranking.'),
      })
      .nullish(),
    custom_filters: z
      .record(z.string(), z.union([valueFilter, z.array(bound)]).nullable())
      .nullish()
      .describe('Conditions on metadata, by key. All of them must be true.'),
    static_filters: z
      .object({
        parsed_directory_file_id: valueFilter.nullish().describe('Condition on the id of the file.'),
      })
      .nullish(),
  })
  .meta({ id: 'ClientIndexQuery' });
export type IndexQuery = z.output<typeof indexQuery>;

/** Converts the parameters of LlamaCloud's clients to those of a pipeline. */
export function toRetrievalParameters(asked: IndexQuery): PresetRetrievalParameters {
  const most = getResultLimit(asked);
  const isReranked = asked.rerank?.enabled !== false;
  const topN = Math.min(asked.rerank?.top_n ?? asked.top_k ?? DEFAULTS.rerank_top_n, MAX_RESULTS);
  const candidates = Math.max(asked.num_candidates ?? DEFAULTS.dense_similarity_top_k, most, topN);
  const filters = listFilters(asked);
  return {
    enable_reranking: isReranked,
    dense_similarity_top_k: Math.min(candidates, MAX_RESULTS),
    sparse_similarity_top_k: Math.min(candidates, MAX_RESULTS),
    ...(isReranked && { rerank_top_n: topN }),
    ...toAlpha(asked),
    ...(filters.length > 0 && {
      search_filters: parseInput(metadataFilters, { condition: 'and', filters }, ['body', 'custom_filters']),
    }),
  };
}

/** Returns the maximum number of results. */
export const getResultLimit = ({ top_k: topK, rerank }: Pick<IndexQuery, 'top_k' | 'rerank'>): number =>
  Math.min(topK ?? rerank?.top_n ?? DEFAULTS.rerank_top_n, MAX_RESULTS);

/** Returns the weight of dense search. Without weights, the pipeline decides. */
function toAlpha(asked: IndexQuery): { alpha?: number } {
  const { vector_pipeline_weight: vector, full_text_pipeline_weight: words } = asked;
  if (vector == null && words == null) return {};
  const dense = vector ?? 1 - words!;
  const sparse = words ?? 1 - vector!;
  if (dense + sparse === 0) {
    throw Invalid.field(
      ['vector_pipeline_weight'],
      'must be above 0 if full_text_pipeline_weight is 0, because one of the two searches must count',
    );
  }
  return { alpha: dense / (dense + sparse) };
}

function listFilters({ custom_filters: custom, static_filters: fixed }: IndexQuery) {
  const own = Object.entries(custom ?? {}).flatMap(([key, given]) =>
    given === null ? [] : [given].flat().map((each) => toFilter(key, each)),
  );
  const file = fixed?.parsed_directory_file_id;
  if (!file) return own;
  const value = Array.isArray(file.value)
    ? file.value.map((id) => bareId(String(id)))
    : bareId(String(file.value));
  return [...own, toFilter('file_id', { ...file, value })];
}

/** Filters compare booleans as the texts `true` and `false`. */
function toFilter(key: string, { operator: name, value }: ValueFilter | z.output<typeof bound>) {
  const toComparable = (each: string | number | boolean) => (typeof each === 'boolean' ? String(each) : each);
  const compared = Array.isArray(value) ? value.map(toComparable) : toComparable(value);
  const filter = { key, operator: OPERATORS[name], value: compared };
  const { error } = metadataFilters.safeParse({ condition: 'and', filters: [filter] });
  const kinds = new Set([compared].flat().map((each) => typeof each));
  if (!error) return filter;
  const reason = kinds.size > 1 ? 'a list must have only texts or only numbers' : error.issues[0]!.message;
  throw Invalid.field(['custom_filters', key], reason);
}
