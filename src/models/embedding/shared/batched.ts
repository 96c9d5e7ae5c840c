import { backoff } from '#src/lib/async/backoff.ts';
import { DomainError, messageOf, Upstream } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import { type Embedder, type EmbeddingPurpose, refusesTexts } from '#src/ports/embedder.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';
import { untilAborted } from '#src/upstream/watched-body.ts';
import { MOST_WORKERS } from './definition.ts';
import { unitVector, wrongAnswer } from './unit-vector.ts';

interface CallLimits {
  texts: number;
  /** Maximum tokens of all texts in a call, if the provider limits them. */
  tokens?: number | undefined;
}

const encoder = new TextEncoder();

/** Limits of one text. Absent limits are not checked. */
interface InputLimits {
  tokens?: number | undefined;
  /** Maximum UTF-16 code units. */
  units?: number | undefined;
}

/** Does not end with half of a surrogate pair. */
const startOf = (text: string, units: number) => text.slice(0, units).replace(/[\uD800-\uDBFF]$/, '');

const TOO_LARGE = 413;

type EmbedTexts = (texts: string[]) => Promise<Float32Array[]>;

/** Embeds a batch. If the provider refuses it for its size, the batch is split in halves. */
type EmbedSplitting = (texts: string[], embed: EmbedTexts) => Promise<Float32Array[]>;

/** Properties of a provider for `batchedEmbedder`, which does what all providers have in common. */
export interface BatchedCalls {
  modelId: string;
  /** Dimension of the vectors; 0 if the first vectors determine it. */
  dimension: number;
  /** Setting that requests a dimension, for error messages. */
  dimensionField?: string;
  batchSize: number;
  /** Maximum tokens of all texts in one call. */
  tokensPerCall?: number | undefined;
  /** Maximum tokens of a text, if the provider refuses longer texts instead of truncating them. */
  tokensPerText?: number | undefined;
  /** Maximum UTF-16 code units of a text, if the provider limits them too. */
  unitsPerText?: number | undefined;
  /** Number of concurrent calls. */
  workers: number;
  /** Retries of a batch after a temporary failure. Other batches are not repeated. */
  retries: number;
  log: Logger;
  /** Calls the provider and returns one unchecked value per text, in order. */
  embedBatch(texts: string[], purpose: EmbeddingPurpose, signal: AbortSignal): Promise<unknown[]>;
}

/** Seconds. A longer wait is left to the owner of the work, which need not stay awake for it. */
const LONGEST_WAIT = 5;
const WAITS = { first: 0.5, longest: LONGEST_WAIT };

/**
 * Creates an embedder that calls a provider in batches and checks its answers against the port's contract.
 */
export function batchedEmbedder(calls: BatchedCalls): Embedder {
  let { dimension } = calls;
  const inParts = splitBatches();
  const asked = calls.dimension > 0 && calls.dimensionField ? `${calls.dimensionField}: ` : '';

  /** Checked here, because the first vectors determine the length of the others. */
  function vectorsOf(rows: unknown[], expected: number): Float32Array[] {
    if (rows.length !== expected) {
      throw wrongAnswer(`The model gave ${rows.length} vectors for ${expected} texts.`);
    }
    return rows.map((row) => {
      const vector = unitVector(row);
      dimension ||= vector.length;
      if (vector.length === dimension) return vector;
      throw wrongAnswer(`${asked}The model gave a vector of length ${vector.length}, not ${dimension}.`);
    });
  }

  async function embedOnce(texts: string[], purpose: EmbeddingPurpose, signal: AbortSignal) {
    try {
      signal.throwIfAborted();
      return vectorsOf(await calls.embedBatch(texts, purpose, signal), texts.length);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw asDomainError(error, calls.modelId);
    }
  }

  async function embedBatch(texts: string[], purpose: EmbeddingPurpose, signal: AbortSignal) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await embedOnce(texts, purpose, signal);
      } catch (error) {
        const wait = attempt <= calls.retries ? waitBefore(attempt, error) : undefined;
        if (wait === undefined || signal.aborted) throw error;
        await untilAborted(sleep(wait), signal);
      }
    }
  }

  async function fitting(texts: string[]): Promise<{ texts: string[]; parts: [number, number][] }> {
    const { tokensPerText: tokens, unitsPerText: units } = calls;
    const { texts: read, cut } = await cutToInput(texts, { tokens, units });
    if (cut > 0) calls.log.warn('embedding_text_cut', { model: calls.modelId, texts: cut, tokens, units });
    return {
      texts: read,
      parts: await callsFor(read, { texts: calls.batchSize, tokens: calls.tokensPerCall }),
    };
  }

  return {
    modelId: calls.modelId,
    get dimension() {
      return dimension;
    },
    async embed(given, purpose, signal) {
      if (given.length === 0) return [];
      const { texts, parts } = await fitting(given);
      const vectors = new Array<Float32Array>(texts.length);
      const failed = new AbortController();
      const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
      const queue = parts.values();
      const work = async () => {
        for (const [from, to] of queue) {
          const found = await inParts(texts.slice(from, to), (part) => embedBatch(part, purpose, either));
          for (const [index, vector] of found.entries()) vectors[from + index] = vector;
        }
      };
      const workers = Math.max(1, Math.min(calls.workers, MOST_WORKERS));
      try {
        await Promise.all(Array.from({ length: workers }, work));
      } catch (error) {
        // The results of the other calls are no longer needed.
        failed.abort(error);
        throw error;
      }
      return vectors;
    },
  };
}

/** Returns the seconds before the next attempt; undefined if there is none. */
function waitBefore(attempt: number, error: unknown): number | undefined {
  if (!(error instanceof Upstream && error.retryable)) return undefined;
  const wait = backoff(WAITS, attempt, { retryAfter: error.retryAfter ?? 0 });
  return wait <= LONGEST_WAIT * 1.5 ? wait : undefined;
}

const sleep = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));

function asDomainError(error: unknown, modelId: string): DomainError {
  if (error instanceof DomainError) return error;
  const message = `${modelId} gave no vectors: ${messageOf(error)}.`;
  return new Upstream(message, { retryable: true, cause: error });
}

/**
 * Remembers the size at which batches were refused, so that later ones are smaller. A text that is refused
 * alone fails its batch with the provider's status.
 */
function splitBatches(): EmbedSplitting {
  let most = Number.POSITIVE_INFINITY;

  async function halves(texts: string[], embed: EmbedTexts): Promise<Float32Array[]> {
    const middle = Math.ceil(texts.length / 2);
    const first = await split(texts.slice(0, middle), embed, true);
    return [...first, ...(await split(texts.slice(middle), embed, true))];
  }

  async function split(texts: string[], embed: EmbedTexts, isPart = false): Promise<Float32Array[]> {
    if (texts.length > most) return halves(texts, embed);
    try {
      return await embed(texts);
    } catch (error) {
      if (!refusesTexts(error)) throw error;
      if (texts.length === 1)
        throw isPart || error.status === TOO_LARGE ? ofOneText(texts[0]!, error) : error;
    }
    const vectors = await halves(texts, embed);
    most = Math.min(most, Math.ceil(texts.length / 2));
    return vectors;
  }

  return (texts, embed) => split(texts, embed);
}

function ofOneText({ length }: string, error: Upstream): Upstream {
  const { status, message } = error;
  const why = status === TOO_LARGE ? 'is too large for the model by itself' : 'is refused by itself';
  return new Upstream(`A text of ${length} characters ${why}: ${message}`, {
    retryable: false,
    status,
    cause: error,
  });
}

/**
 * Returns an upper bound of the number of tokens. Byte-pair tokens have at least one byte, so a short text
 * needs no counting. Providers' tokenizers differ; the one used is an approximation.
 */
async function tokensAtMost(text: string, unimportant: number): Promise<number> {
  const bytes = text.length * 3 <= unimportant ? text.length * 3 : encoder.encode(text).length;
  return bytes <= unimportant ? bytes : (await loadTokenizer()).count(text);
}

/**
 * Groups the texts in order into calls, as `[from, to)`. A text that is too long for any call gets its own.
 */
async function callsFor(texts: readonly string[], limits: CallLimits): Promise<[number, number][]> {
  const { tokens: most } = limits;
  const calls: [number, number][] = [];
  let [from, tokens] = [0, 0];
  for (const [at, text] of texts.entries()) {
    const own = most === undefined ? 0 : await tokensAtMost(text, most / limits.texts);
    if (at > from && (at - from === limits.texts || (most !== undefined && tokens + own > most))) {
      calls.push([from, at]);
      [from, tokens] = [at, 0];
    }
    tokens += own;
  }
  if (texts.length > from) calls.push([from, texts.length]);
  return calls;
}

/** Truncates texts to the model's input limit and counts the truncated ones. */
async function cutToInput(texts: readonly string[], { tokens, units }: InputLimits) {
  let cut = 0;
  const fitting: string[] = [];
  for (const text of texts) {
    let start = units !== undefined && text.length > units ? startOf(text, units) : text;
    if (tokens !== undefined && (await tokensAtMost(start, tokens)) > tokens) {
      start = (await loadTokenizer()).start(start, tokens);
    }
    if (start.length < text.length) cut += 1;
    fitting.push(start);
  }
  return { texts: fitting, cut };
}
