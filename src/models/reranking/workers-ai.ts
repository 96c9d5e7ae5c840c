import { z } from 'zod';
import { Unavailable, Upstream } from '#src/lib/errors.ts';
import { defineReranker } from './definition.ts';
import { createDocumentReranker } from './document-reranker.ts';

const answer = z.object({
  response: z.array(z.looseObject({ id: z.unknown(), score: z.unknown() })),
});

const MAX_CANDIDATES = 100;

/** A reranking model that the account's Workers AI runs. Its scores range from 0 to 1. */
export const workersAi = defineReranker({
  kind: 'workers_ai',
  className: 'WorkersAIRerank',
  settings: z.object({
    model: z.string().min(1),
    timeout: z.number().positive().default(15).describe('Timeout in seconds.'),
  }),
  capabilities: { maxCandidates: MAX_CANDIDATES },
  open({ model, timeout }, { bindings: { AI } }) {
    if (!AI)
      throw new Unavailable(`The model ${model} needs Workers AI, but the Workers AI binding is missing.`);
    return createDocumentReranker({
      modelId: `workers-ai/${model}`,
      maxCandidates: MAX_CANDIDATES,
      timeoutSeconds: timeout,
      async rank(query, documents, topN) {
        const contexts = documents.map((text) => ({ text }));
        const { data } = answer.safeParse(await AI.run(model, { query, contexts, top_k: topN }));
        if (!data) throw new Upstream('The model returned no ranking.', { retryable: false });
        return data.response.map(({ id, score }) => ({ index: id, score }));
      },
    });
  },
});
