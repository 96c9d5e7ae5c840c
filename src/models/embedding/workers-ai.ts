import { z } from 'zod';
import { getErrorMessage, Upstream } from '#src/lib/errors.ts';
import type { AiBinding, ModelDeps } from '#src/models/definition/definition.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import { isRetryableStatus } from '#src/upstream/retryable.ts';
import { TimedOut, withTimeout } from '#src/upstream/timeout.ts';
import { createBatchedEmbedder } from './shared/batched.ts';
import { QUICK_RETRIES } from './shared/definition.ts';

export const WORKERS_AI_MODEL = '@cf/baai/bge-m3';
const DIMENSION = 1024;
const MAX_BATCH = 100;
const TOKENS_PER_CALL = 60_000;
const TOKENS_PER_TEXT = 8192;
const TIMEOUT_SECONDS = 60;

const answer = z.object({ data: z.array(z.unknown()) });

/**
 * HTTP status for each error code of Workers AI that is caused by the request, such as "3006: Request is too
 * large". Most codes are listed at https://developers.cloudflare.com/workers-ai/platform/errors/.
 */
const STATUS_BY_CODE: Record<string, number | undefined> = {
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

/** Creates an embedder that uses a multilingual embedding model of the account's Workers AI. */
export function createWorkersAiEmbedder(
  AI: AiBinding,
  { size, workers }: Batches,
  { log }: Pick<ModelDeps, 'log'>,
): Embedder {
  const modelId = `workers-ai/${WORKERS_AI_MODEL}`;
  return createBatchedEmbedder({
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
        // The binding of Workers AI cannot be cancelled with a signal, so the time limit is applied here.
        const response = await withTimeout(AI.run(WORKERS_AI_MODEL, { text: texts }), TIMEOUT_SECONDS);
        const { data } = answer.safeParse(response);
        if (!data) throw new Upstream(`${modelId} returned no vectors.`, { retryable: false });
        return data.data;
      } catch (error) {
        if (error instanceof TimedOut) {
          const message = `${modelId} did not answer within ${TIMEOUT_SECONDS} seconds.`;
          throw new Upstream(message, { retryable: true, cause: error });
        }
        const status = findStatus(error);
        if (status === undefined) throw error;
        const message = `${modelId} returned no vectors: ${getErrorMessage(error)}.`;
        throw new Upstream(message, { retryable: isRetryableStatus(status), status, cause: error });
      }
    },
  });
}

const findStatus = (error: unknown) => STATUS_BY_CODE[/\b(\d{4}):/.exec(getErrorMessage(error))?.[1] ?? ''];
