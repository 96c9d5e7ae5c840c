import { z } from 'zod';
import { messageOf, Upstream } from '#src/lib/errors.ts';
import type { AiBinding, ModelDeps } from '#src/models/definition/definition.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import { isRetryableStatus } from '#src/upstream/retryable.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import { batchedEmbedder } from './shared/batched.ts';
import { QUICK_RETRIES } from './shared/definition.ts';

export const WORKERS_AI_MODEL = '@cf/baai/bge-m3';
const DIMENSION = 1024;
const MAX_BATCH = 100;
const TOKENS_PER_CALL = 60_000;
const TOKENS_PER_TEXT = 8192;
const TIMEOUT_SECONDS = 60;

const answer = z.object({ data: z.array(z.unknown()) });

/**
 * HTTP statuses for the codes of errors that the request causes ("3006: Request is too large"). Most are
 * listed at https://developers.cloudflare.com/workers-ai/platform/errors/.
 */
const REFUSALS: Record<string, number | undefined> = {
  3003: 400,
  3006: 413,
  3010: 400,
  5004: 400,
  5006: 400,
};

interface Batches {
  size: number;
  workers: number;
}

/** Multilingual embedding model of the account's Workers AI. */
export function workersAiEmbedder(
  AI: AiBinding,
  { size, workers }: Batches,
  { log }: Pick<ModelDeps, 'log'>,
): Embedder {
  const modelId = `workers-ai/${WORKERS_AI_MODEL}`;
  return batchedEmbedder({
    modelId,
    dimension: DIMENSION,
    batchSize: Math.min(size, MAX_BATCH),
    tokensPerCall: TOKENS_PER_CALL,
    tokensPerText: TOKENS_PER_TEXT,
    workers,
    retries: QUICK_RETRIES,
    log,
    async embedBatch(texts) {
      try {
        // A binding accepts no signal, so the time limit is applied here.
        const said = await withTimeout(AI.run(WORKERS_AI_MODEL, { text: texts }), TIMEOUT_SECONDS);
        const { data } = answer.safeParse(said);
        if (!data) throw new Upstream(`${modelId} answered no vectors.`, { retryable: false });
        return data.data;
      } catch (error) {
        if (error instanceof TimedOut) {
          const message = `${modelId} did not answer within ${TIMEOUT_SECONDS} seconds.`;
          throw new Upstream(message, { retryable: true, cause: error });
        }
        const status = statusOf(error);
        if (status === undefined) throw error;
        const message = `${modelId} gave no vectors: ${messageOf(error)}.`;
        throw new Upstream(message, { retryable: isRetryableStatus(status), status, cause: error });
      }
    },
  });
}

const statusOf = (error: unknown) => REFUSALS[/\b(\d{4}):/.exec(messageOf(error))?.[1] ?? ''];
