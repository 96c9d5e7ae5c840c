import { backoff } from '#src/lib/async/backoff.ts';
import { DomainError, getErrorMessage, Upstream } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import { type Embedder, type EmbeddingPurpose, isTooLargeRefusal } from '#src/ports/embedder.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';
import { raceAbort } from '#src/upstream/watched-body.ts';
import { MAX_WORKERS } from './definition.ts';
import { createAnswerError, toUnitVector } from './unit-vector.ts';

interface CallLimits {
  texts: number;
  /** Maximum total number of tokens of the texts in one call. Absent if the provider has no such limit. */
  tokens?: number | undefined;
}

const encoder = new TextEncoder();

/** Limits of the length of one text. A limit that is absent is not checked. */
interface InputLimits {
  tokens?: number | undefined;
  units?: number | undefined;
}

/**
 * Truncates a text to a number of UTF-16 code units. The result does not end with half of a surrogate pair.
 */
const truncateUnits = (text: string, units: number) => text.slice(0, units).replace(/[\uD800-\uDBFF]$/, '');

const TOO_LARGE = 413;

type EmbedTexts<Embedding> = (texts: string[]) => Promise<Embedding[]>;

/**
 * Function that embeds a batch of texts. If the provider rejects the batch because of its size, the batch is
 * split in halves.
 */
type EmbedSplitting<Embedding> = (texts: string[], embed: EmbedTexts<Embedding>) => Promise<Embedding[]>;

/** Properties of one provider of embeddings of any kind. `createBatchedCalls` does what all providers have in common. */
export interface BatchedCalls {
  modelId: string;
  batchSize: number;
  tokensPerCall?: number | undefined;
  /**
   * Maximum number of tokens per text. Set only if the provider rejects longer texts instead of truncating
   * them.
   */
  tokensPerText?: number | undefined;
  /** Maximum number of UTF-16 code units per text, if the provider has such a limit. */
  unitsPerText?: number | undefined;
  workers: number;
  /** Number of retries of a batch after a temporary failure. Batches that succeeded are not repeated. */
  retries: number;
  log: Logger;
  /**
   * Sends one call to the provider. Returns one value per text in the order of the texts, without validating
   * the values.
   */
  embedBatch(texts: string[], purpose: EmbeddingPurpose, signal: AbortSignal): Promise<unknown[]>;
}

/** Properties of one provider of vectors. */
export interface BatchedVectorCalls extends BatchedCalls {
  /** Number of dimensions of the vectors. 0 if the first vectors determine the number. */
  dimension: number;
  /** Name of the setting that requests a number of dimensions, for error messages. */
  dimensionField?: string;
}

/**
 * Longest wait before a retry in seconds. If a longer wait is needed, the caller reschedules the work instead
 * of waiting.
 */
const MAX_WAIT_SECONDS = 5;
const WAITS = { first: 0.5, longest: MAX_WAIT_SECONDS };

/** Creates an embedding model that calls a provider in batches and validates the provider's answers. */
export function createBatchedEmbedder(calls: BatchedVectorCalls): Embedder {
  let { dimension } = calls;
  const fieldPrefix = calls.dimension > 0 && calls.dimensionField ? `${calls.dimensionField}: ` : '';

  /**
   * Validates the vectors of an answer. The first vectors may determine the number of dimensions for all
   * others.
   */
  function parseVectors(rows: unknown[], expected: number): Float32Array[] {
    if (rows.length !== expected) {
      throw createAnswerError(`The model returned ${rows.length} vectors for ${expected} texts.`);
    }
    return rows.map((row) => {
      const vector = toUnitVector(row);
      dimension ||= vector.length;
      if (vector.length === dimension) return vector;
      throw createAnswerError(
        `${fieldPrefix}The model returned a vector of length ${vector.length}, not ${dimension}.`,
      );
    });
  }

  return {
    modelId: calls.modelId,
    get dimension() {
      return dimension;
    },
    embed: createBatchedCalls(calls, parseVectors),
  };
}

/**
 * Creates a function that embeds texts in batches, with retries and several workers. `parseRows` validates the values
 * of an answer, and throws if their number differs from `expected`.
 */
export function createBatchedCalls<Embedding>(
  calls: BatchedCalls,
  parseRows: (rows: unknown[], expected: number) => Embedding[],
): (texts: string[], purpose: EmbeddingPurpose, signal?: AbortSignal) => Promise<Embedding[]> {
  const embedInParts = createBatchSplitter<Embedding>();

  async function embedOnce(texts: string[], purpose: EmbeddingPurpose, signal: AbortSignal) {
    try {
      signal.throwIfAborted();
      return parseRows(await calls.embedBatch(texts, purpose, signal), texts.length);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw toEmbeddingError(error, calls.modelId);
    }
  }

  async function embedBatch(texts: string[], purpose: EmbeddingPurpose, signal: AbortSignal) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await embedOnce(texts, purpose, signal);
      } catch (error) {
        const wait = attempt <= calls.retries ? getRetryDelay(attempt, error) : undefined;
        if (wait === undefined || signal.aborted) throw error;
        await raceAbort(sleep(wait), signal);
      }
    }
  }

  return async (given, purpose, signal) => {
    if (given.length === 0) return [];
    const { texts, parts } = await fitTexts(calls, given);
    const embeddings = new Array<Embedding>(texts.length);
    const failed = new AbortController();
    const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
    const queue = parts.values();
    const work = async () => {
      for (const [from, to] of queue) {
        const found = await embedInParts(texts.slice(from, to), (part) => embedBatch(part, purpose, either));
        for (const [index, embedding] of found.entries()) embeddings[from + index] = embedding;
      }
    };
    const workers = Math.max(1, Math.min(calls.workers, MAX_WORKERS));
    try {
      await Promise.all(Array.from({ length: workers }, work));
    } catch (error) {
      // One call failed, so the other calls are cancelled.
      failed.abort(error);
      throw error;
    }
    return embeddings;
  };
}

/** Truncates texts to the provider's limits and groups them into calls. `parts` are the ranges of the calls. */
async function fitTexts(
  { modelId, batchSize, tokensPerCall, tokensPerText: tokens, unitsPerText: units, log }: BatchedCalls,
  given: string[],
): Promise<{ texts: string[]; parts: [number, number][] }> {
  const { texts, cut } = await truncateTexts(given, { tokens, units });
  if (cut > 0) log.warn('embedding_text_cut', { model: modelId, texts: cut, tokens, units });
  return { texts, parts: await groupIntoCalls(texts, { texts: batchSize, tokens: tokensPerCall }) };
}

/**
 * Returns the seconds to wait before the next attempt, or `undefined` if the error must not be retried here.
 */
function getRetryDelay(attempt: number, error: unknown): number | undefined {
  if (!(error instanceof Upstream && error.retryable)) return undefined;
  const wait = backoff(WAITS, attempt, { retryAfter: error.retryAfter ?? 0 });
  return wait <= MAX_WAIT_SECONDS * 1.5 ? wait : undefined;
}

const sleep = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));

function toEmbeddingError(error: unknown, modelId: string): DomainError {
  if (error instanceof DomainError) return error;
  const message = `${modelId} returned no vectors: ${getErrorMessage(error)}.`;
  return new Upstream(message, { retryable: true, cause: error });
}

/**
 * Creates a function that splits rejected batches and remembers the rejected size, so that later batches are
 * smaller. A single text that is rejected fails the batch with the provider's status.
 */
function createBatchSplitter<Embedding>(): EmbedSplitting<Embedding> {
  let most = Number.POSITIVE_INFINITY;

  async function embedHalves(texts: string[], embed: EmbedTexts<Embedding>): Promise<Embedding[]> {
    const middle = Math.ceil(texts.length / 2);
    const first = await embedOrSplit(texts.slice(0, middle), embed, true);
    return [...first, ...(await embedOrSplit(texts.slice(middle), embed, true))];
  }

  async function embedOrSplit(
    texts: string[],
    embed: EmbedTexts<Embedding>,
    isPart = false,
  ): Promise<Embedding[]> {
    if (texts.length > most) return embedHalves(texts, embed);
    try {
      return await embed(texts);
    } catch (error) {
      if (!isTooLargeRefusal(error)) throw error;
      if (texts.length === 1)
        throw isPart || error.status === TOO_LARGE ? createTextRefusal(texts[0]!, error) : error;
    }
    const embeddings = await embedHalves(texts, embed);
    most = Math.min(most, Math.ceil(texts.length / 2));
    return embeddings;
  }

  return (texts, embed) => embedOrSplit(texts, embed);
}

function createTextRefusal({ length }: string, error: Upstream): Upstream {
  const { status, message } = error;
  const why = status === TOO_LARGE ? 'is too large for the model' : 'was rejected';
  return new Upstream(`A text of ${length} characters ${why}: ${message}`, {
    retryable: false,
    status,
    cause: error,
  });
}

/**
 * Returns an upper bound for the number of tokens in a text. A token has at least one byte, so short texts
 * are not counted. For longer texts the count is an approximation, because providers use different
 * tokenizers.
 */
async function estimateTokens(text: string, unimportant: number): Promise<number> {
  const bytes = text.length * 3 <= unimportant ? text.length * 3 : encoder.encode(text).length;
  return bytes <= unimportant ? bytes : (await loadTokenizer()).count(text);
}

/**
 * Groups consecutive texts into calls and returns the range `[from, to)` of each call. A text that exceeds
 * the limit of a call gets its own call.
 */
async function groupIntoCalls(texts: readonly string[], limits: CallLimits): Promise<[number, number][]> {
  const { tokens: most } = limits;
  const calls: [number, number][] = [];
  let [from, tokens] = [0, 0];
  for (const [at, text] of texts.entries()) {
    const own = most === undefined ? 0 : await estimateTokens(text, most / limits.texts);
    if (at > from && (at - from === limits.texts || (most !== undefined && tokens + own > most))) {
      calls.push([from, at]);
      [from, tokens] = [at, 0];
    }
    tokens += own;
  }
  if (texts.length > from) calls.push([from, texts.length]);
  return calls;
}

/** Truncates texts to the input limit of the model and counts the truncated texts. */
async function truncateTexts(texts: readonly string[], { tokens, units }: InputLimits) {
  let cut = 0;
  const fitting: string[] = [];
  for (const text of texts) {
    let start = units !== undefined && text.length > units ? truncateUnits(text, units) : text;
    if (tokens !== undefined && (await estimateTokens(start, tokens)) > tokens) {
      start = (await loadTokenizer()).truncate(start, tokens);
    }
    if (start.length < text.length) cut += 1;
    fitting.push(start);
  }
  return { texts: fitting, cut };
}
