import { DomainError, messageOf, Upstream } from '#src/errors.ts';
import type { Embedder, EmbeddingPurpose } from './embedder.ts';

/** What a provider's driver says; everything that holds for all of them is done here. */
export interface BatchedCalls {
  modelId: string;
  /** 0 when the model is to say it with its first vectors. */
  dimension: number;
  batchSize: number;
  /** Calls side by side. */
  workers: number;
  /** One call to the provider: what it gives for each text, in order, unchecked. */
  embedBatch(texts: string[], purpose: EmbeddingPurpose, signal: AbortSignal): Promise<unknown[]>;
}

/** A Worker has six connections that wait for an answer, and others need some. */
const MOST_WORKERS = 4;

/** An embedder that asks a provider batch by batch, and holds what it answers to the port's contract. */
export function batchedEmbedder(calls: BatchedCalls): Embedder {
  let { dimension } = calls;

  /** Checked here and not by the caller: the first vectors of the model say how long the others have to be. */
  function vectorsOf(rows: unknown[], expected: number): Float32Array[] {
    if (rows.length !== expected) {
      throw wrong(`The model gave ${rows.length} vectors for ${expected} texts.`);
    }
    return rows.map((row) => {
      const vector = unitVector(row);
      dimension ||= vector.length;
      if (vector.length === dimension) return vector;
      throw wrong(`The model gave a vector of length ${vector.length}, not ${dimension}.`);
    });
  }

  async function embedBatch(texts: string[], purpose: EmbeddingPurpose, signal: AbortSignal) {
    try {
      signal.throwIfAborted();
      return vectorsOf(await calls.embedBatch(texts, purpose, signal), texts.length);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw asDomainError(error, calls.modelId);
    }
  }

  return {
    modelId: calls.modelId,
    get dimension() {
      return dimension;
    },
    async embed(texts, purpose, signal) {
      const vectors = new Array<Float32Array>(texts.length);
      const failed = new AbortController();
      const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
      let next = 0;
      const work = async () => {
        while (next < texts.length) {
          const from = next;
          next += calls.batchSize;
          const found = await embedBatch(texts.slice(from, from + calls.batchSize), purpose, either);
          for (const [index, vector] of found.entries()) vectors[from + index] = vector;
        }
      };
      const workers = Math.max(1, Math.min(calls.workers, MOST_WORKERS));
      try {
        await Promise.all(Array.from({ length: workers }, work));
      } catch (error) {
        // The other calls' vectors are of no use any more.
        failed.abort(error);
        throw error;
      }
      return vectors;
    },
  };
}

function unitVector(row: unknown): Float32Array {
  if (!Array.isArray(row) && !(row instanceof Float32Array))
    throw wrong('The model gave no vector for a text.');
  let sum = 0;
  for (const value of row) {
    if (typeof value !== 'number') throw wrong('The model gave a vector with something that is no number.');
    sum += value * value;
  }
  // NaN and infinite coordinates show in the sum; a vector of zeros has no direction to compare.
  if (!Number.isFinite(sum) || sum === 0) throw wrong('The model gave a vector without a direction.');
  const scale = 1 / Math.sqrt(sum);
  return Float32Array.from(row, (value: number) => value * scale);
}

/** The same question would be answered the same way. */
const wrong = (message: string) => new Upstream(message, { retryable: false });

function asDomainError(error: unknown, modelId: string): DomainError {
  if (error instanceof DomainError) return error;
  const message = `${modelId} gave no vectors: ${messageOf(error)}.`;
  return new Upstream(message, { retryable: true, cause: error });
}
