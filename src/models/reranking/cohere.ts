import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineReranker } from './definition.ts';
import { createDocumentReranker } from './document-reranker.ts';

/** Fields of an answer that hosted services and self-hosted servers with Cohere's protocol share. */
const answer = z.object({
  results: z.array(z.looseObject({ index: z.unknown(), relevance_score: z.unknown() })),
});

const MAX_CANDIDATES = 1_000;
const MAX_ANSWER_BYTES = 4 * 2 ** 20;

/**
 * Reranking model behind `{base_url}/rerank` with Cohere's protocol, which vLLM, Jina and others also
 * implement. The AI SDK's provider for Cohere is not used, because it accepts only answers of Cohere itself.
 */
export const cohere = defineReranker({
  kind: 'cohere',
  className: 'CohereRerank',
  settings: z.object({
    base_url: z.url({ protocol: /^https?$/ }).default('https://api.cohere.com/v2'),
    model: z.string().min(1),
    api_key: secret().optional(),
    timeout: z.number().positive().default(15).describe('Timeout in seconds.'),
  }),
  capabilities: { maxCandidates: MAX_CANDIDATES },
  open({ base_url: base, model, api_key: key, timeout }, deps) {
    const http = deps.http({
      name: `The rerank endpoint ${new URL(base).host}`,
      silenceSeconds: timeout,
      totalSeconds: timeout,
      maxBytes: MAX_ANSWER_BYTES,
    });
    return createDocumentReranker({
      modelId: `rerank/${model}`,
      maxCandidates: MAX_CANDIDATES,
      timeoutSeconds: timeout,
      async rank(query, documents, topN, signal) {
        const response = await http.request(
          `${baseUrl(base)}/rerank`,
          {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
            body: JSON.stringify({ model, query, documents, top_n: topN }),
            signal,
          },
          { what: 'a ranking' },
        );
        const { results } = await http.json(response, answer);
        return results.map(({ index, relevance_score: score }) => ({ index, score }));
      },
    });
  },
});
