import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineReranker } from './definition.ts';
import { documentReranker } from './document-reranker.ts';

/** What hosted services and self-hosted servers of this protocol have in common. */
const answer = z.object({
  results: z.array(z.looseObject({ index: z.unknown(), relevance_score: z.unknown() })),
});

const MAX_CANDIDATES = 1_000;
const MOST_BYTES = 4 * 2 ** 20;

/**
 * A reranking model behind `{base_url}/rerank` as Cohere defined it, and as vLLM, Jina and others serve it. The AI
 * SDK's Cohere provider takes answers of Cohere's own service only.
 */
export const cohere = defineReranker({
  kind: 'cohere',
  className: 'CohereRerank',
  settings: z.object({
    base_url: z.url({ protocol: /^https?$/ }).default('https://api.cohere.com/v2'),
    model: z.string().min(1),
    api_key: secret().optional(),
    timeout: z.number().positive().default(15).describe('Seconds.'),
  }),
  capabilities: { maxCandidates: MAX_CANDIDATES },
  open({ base_url: base, model, api_key: key, timeout }, deps) {
    const http = deps.http({
      name: `The rerank endpoint ${new URL(base).host}`,
      silenceSeconds: timeout,
      totalSeconds: timeout,
      maxBytes: MOST_BYTES,
    });
    return documentReranker({
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
