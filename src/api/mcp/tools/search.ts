import { z } from 'zod';
import { Budget } from '#src/api/mcp/budget.ts';
import { corpusInput, resolveCorpus } from '#src/api/mcp/corpus.ts';
import { formatPassage, passageBody, presentPassage } from '#src/api/mcp/passages.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { searchOnce } from '#src/chat/sessions/stateless.ts';
import { DEFAULTS, presetRetrievalParameters, retrievalRequest } from '#src/retrieval-contract/parameters.ts';

const { rerank_top_n, search_filters } = presetRetrievalParameters.shape;

export const search = tool({
  name: 'search',
  title: 'Search documents',
  description:
    'Finds the passages of a pipeline’s or retriever’s documents that match a query best, by meaning and by words. ' +
    'Returns the text of each passage with its file, page, score and, if the source has one, link. Read more of a file with ' +
    'read_pages. `filters` restricts the search to documents with certain metadata, for example ' +
    '{"filters":[{"key":"file_name","operator":"contains","value":"report"}]}.',
  input: corpusInput.extend({
    query: retrievalRequest.shape.query,
    filters: search_filters,
    top_k: rerank_top_n.describe(`Maximum number of passages. Default: ${DEFAULTS.rerank_top_n}.`),
  }),
  output: z.object({
    results: z.array(passageBody).describe('Passages, best first.'),
    left_out: z.number().int().min(0).describe('Number of passages whose text did not fit into this answer.'),
    notes: z
      .record(z.string(), z.string())
      .describe('Models and methods that were used, and reasons for deviations from the request.'),
  }),
  needs: 'retrieve',
  annotations: READS,
  async handle({ ctx, input, fence, requestId }) {
    const most = input.top_k ?? DEFAULTS.rerank_top_n;
    const found = await searchOnce(
      ctx,
      await resolveCorpus(ctx, input),
      input.query,
      {
        ...(input.filters && { search_filters: input.filters }),
        ...(input.top_k && { rerank_top_n: input.top_k }),
        // The reranker cannot add results. The dense and sparse searches must therefore return as many results
        // as the caller wants.
        ...(most > DEFAULTS.dense_similarity_top_k && {
          dense_similarity_top_k: most,
          sparse_similarity_top_k: most,
        }),
      },
      requestId,
    );
    const wanted = found.chunks.slice(0, input.top_k ?? found.chunks.length);
    const budget = new Budget();
    const results = wanted.flatMap((each) => (budget.left > 0 ? [presentPassage(each, budget)] : []));
    const left_out = wanted.length - results.length;
    const more = left_out > 0 ? `\n\n${left_out} more found no room here: ask for fewer or narrower.` : '';
    const passages = results.map((passage, at) => formatPassage(passage, at + 1, fence));
    const text = [`${results.length} passages, best first.`, ...passages].join('\n\n') + more;
    return { data: { results, left_out, notes: found.notes }, text };
  },
});
