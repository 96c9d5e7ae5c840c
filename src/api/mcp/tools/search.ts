import { z } from 'zod';
import { Budget } from '#src/api/mcp/budget.ts';
import { corpusInput, corpusOf } from '#src/api/mcp/corpus.ts';
import { passageBody, presentPassage, toldPassage } from '#src/api/mcp/passages.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { searchOnce } from '#src/chat/sessions/once.ts';
import { DEFAULTS, presetRetrievalParameters, retrievalRequest } from '#src/retrieval-contract/parameters.ts';

const { rerank_top_n, search_filters } = presetRetrievalParameters.shape;

export const search = tool({
  name: 'search',
  title: 'Search documents',
  description:
    'Finds the passages of a pipeline’s or retriever’s documents that fit a query best, by meaning and by words. ' +
    'Gives each passage’s text with its file, page, link where the source has one, and score. Read more of a file with ' +
    'read_pages. `filters` keeps to documents with certain metadata, for example ' +
    '{"filters":[{"key":"file_name","operator":"contains","value":"report"}]}.',
  input: corpusInput.extend({
    query: retrievalRequest.shape.query,
    filters: search_filters,
    top_k: rerank_top_n.describe(`At most so many passages, ${DEFAULTS.rerank_top_n} if absent.`),
  }),
  output: z.object({
    results: z.array(passageBody).describe('Best first.'),
    left_out: z.number().int().min(0).describe('Passages for whose text there was no room in this answer.'),
    notes: z
      .record(z.string(), z.string())
      .describe('Which parts answered, and what could not be done as asked.'),
  }),
  annotations: READS,
  async handle({ ctx, input, fence }) {
    const most = input.top_k ?? DEFAULTS.rerank_top_n;
    const found = await searchOnce(ctx, corpusOf(input), input.query, {
      ...(input.filters && { search_filters: input.filters }),
      ...(input.top_k && { rerank_top_n: input.top_k }),
      // The reranker only orders results of the searches, so they must return enough.
      ...(most > DEFAULTS.dense_similarity_top_k && {
        dense_similarity_top_k: most,
        sparse_similarity_top_k: most,
      }),
    });
    const wanted = found.chunks.slice(0, input.top_k ?? found.chunks.length);
    const budget = new Budget();
    const results = wanted.flatMap((each) => (budget.left > 0 ? [presentPassage(each, budget)] : []));
    const left_out = wanted.length - results.length;
    const more = left_out > 0 ? `\n\n${left_out} more found no room here: ask for fewer or narrower.` : '';
    const told = results.map((passage, at) => toldPassage(passage, at + 1, fence));
    const text = [`${results.length} passages, best first.`, ...told].join('\n\n') + more;
    return { data: { results, left_out, notes: found.notes }, text };
  },
});
