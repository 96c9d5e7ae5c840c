import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import type { TenantContext } from '#src/context/context.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import type { RankedChunk } from '#src/retrieval/index.ts';
import { getTarget, type Target } from '#src/retrieval/retrieval.ts';
import { retrieveTraced } from '#src/retrieval/traced-retrieval.ts';
import { queryText } from '#src/retrieval-contract/parameters.ts';
import { findMembers } from '#src/services/pipelines/documents/document-members.ts';
import { getStorePipeline } from '#src/services/pipelines/vector-stores/stores.ts';
import { countActivity } from '#src/services/usage/activity.ts';
import { optionalFilter } from './filters.ts';
import { rankingOptions, toRetrievalParameters } from './ranking.ts';
import { toAttributes } from './shapes.ts';
import { storeId } from './stores.ts';

/** Maximum number of queries per request. Each of them is a search of its own. */
const MAX_QUERIES = 10;
const MAX_RESULTS = 50;
const DEFAULT_RESULTS = 10;

const searchRequest = z.object({
  query: z
    .union([queryText, z.array(queryText).min(1).max(MAX_QUERIES)])
    .describe('One query or several. The results of several queries are merged by their best score.'),
  filters: optionalFilter,
  max_num_results: z.number().int().min(1).max(MAX_RESULTS).nullish(),
  ranking_options: rankingOptions.nullish(),
  rewrite_query: withoutEffect(z.boolean().nullish(), (value) =>
    value === true ? 'Queries are searched as they are written.' : undefined,
  ),
});
type SearchRequest = z.output<typeof searchRequest>;

/** Returns the best results of all queries. A chunk that several queries find has its best score. */
async function searchAll(
  ctx: TenantContext,
  target: Target,
  queries: readonly string[],
  body: SearchRequest,
  requestId: string,
): Promise<RankedChunk[]> {
  const most = body.max_num_results ?? DEFAULT_RESULTS;
  const parameters = toRetrievalParameters({ ...body, max_num_results: most });
  const lists = await inParallel(queries, (query) =>
    retrieveTraced(ctx, target, query, parameters, requestId),
  );
  const best = new Map<string, RankedChunk>();
  for (const ranked of lists.flatMap(({ retrieval }) => retrieval.chunks)) {
    const known = best.get(ranked.chunk.id);
    if (!known || known.score < ranked.score) best.set(ranked.chunk.id, ranked);
  }
  const threshold = body.ranking_options?.score_threshold ?? 0;
  const found = [...best.values()].filter(({ score }) => score >= threshold);
  // The results of a single query are already in the best order.
  const sorted = queries.length > 1 ? found.sort((a, b) => b.score - a.score) : found;
  return sorted.slice(0, most);
}

async function presentResults(ctx: TenantContext, { pipeline, source }: Target, found: RankedChunk[]) {
  const ids = found.map(({ chunk }) => chunk.documentId);
  const members = await findMembers(ctx, (source ?? pipeline).id, ids);
  return found.flatMap(({ chunk, score }) => {
    const document = members.get(chunk.documentId);
    // The document was removed while the search ran.
    if (!document) return [];
    const { member, file } = document;
    const metadata = file ? { ...member.tableMetadata, ...member.customMetadata } : (member.metadata ?? {});
    return [
      {
        file_id: chunk.documentId,
        filename: file?.name ?? chunk.title ?? chunk.documentId,
        score,
        attributes: toAttributes(metadata),
        content: [{ type: 'text' as const, text: chunk.text }],
      },
    ];
  });
}

export const vectorStoreSearchOperations = [
  operation({
    method: 'post',
    path: '/v1/vector_stores/{vector_store_id}/search',
    id: 'searchVectorStore',
    needs: 'retrieve',
    tag: 'Vector stores',
    access: 'project',
    summary: 'Search a vector store',
    description: 'Returns the chunks that answer the query, best first, with the attributes of their files.',
    params: z.object({ vector_store_id: storeId }),
    body: { json: searchRequest },
    response: {
      status: 200,
      json: z.object({
        object: z.literal('vector_store.search_results.page'),
        search_query: z.array(z.string()),
        data: z.array(
          z.object({
            file_id: z.string().describe('Id of the file, or of the document if it is a text.'),
            filename: z.string(),
            score: z.number(),
            attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
            content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
          }),
        ),
        has_more: z.literal(false),
        next_page: z.null(),
      }),
    },
    errors: [502],
    async handle({ ctx, params, body, requestId }) {
      const { id, projectId } = await getStorePipeline(ctx, params.vector_store_id);
      const target = await getTarget(ctx, id);
      const queries = [body.query].flat();
      const found = await searchAll(ctx, target, queries, body, requestId);
      countActivity(ctx, projectId, 'retrievals');
      return {
        object: 'vector_store.search_results.page' as const,
        search_query: queries,
        data: await presentResults(ctx, target, found),
        has_more: false as const,
        next_page: null,
      };
    },
  }),
];
