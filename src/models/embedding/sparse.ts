import { z } from 'zod';
import { Upstream } from '#src/lib/errors.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import type { SparseEmbedder } from '#src/ports/embedder.ts';
import type { SparseVector } from '#src/ports/index-types.ts';
import type { Settings } from '#src/settings/settings.ts';
import { createBatchedCalls } from './shared/batched.ts';
import { QUICK_RETRIES } from './shared/definition.ts';
import { createEmbeddingHttp } from './shared/embedding-http.ts';

/** Default maximum number of texts per call of text-embeddings-inference. */
const BATCH_SIZE = 32;
const WORKERS = 2;
const DOCUMENT_SECONDS = 60;
/** Time limit of a query's call in seconds. If the server does not answer by then, dense search answers alone. */
const QUERY_SECONDS = 10;
/** Maximum number of terms that are kept for one text. */
const MAX_TERMS = 512;
const LARGEST_INDEX = 2 ** 32 - 1;
/** Largest accepted weight. It keeps every score finite. Models give weights up to about 10. */
const LARGEST_WEIGHT = 1_000_000;

const SERVER = 'The server in SPARSE_EMBEDDINGS_URL';

type SparseSettings = Pick<
  Settings,
  'SPARSE_EMBEDDINGS_URL' | 'SPARSE_EMBEDDINGS_MODEL' | 'SPARSE_EMBEDDINGS_API_KEY'
>;

/** Returns the address without a user, a password or a query, because it is stored and shown as the name of the model. */
function removeCredentials(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/$/, '')}`;
}

/**
 * Creates the learned sparse model of the installation, which a server with the API of text-embeddings-inference runs.
 * Returns `undefined` if the operator has set no server.
 */
export function createSparseEmbedder(settings: SparseSettings, deps: ModelDeps): SparseEmbedder | undefined {
  const { SPARSE_EMBEDDINGS_URL: base, SPARSE_EMBEDDINGS_API_KEY: key } = settings;
  if (!base) return undefined;
  const modelId = settings.SPARSE_EMBEDDINGS_MODEL || removeCredentials(base);
  const url = `${base.replace(/\/$/, '')}/embed_sparse`;
  const headers = {
    'content-type': 'application/json',
    ...(key && { authorization: `Bearer ${key}` }),
  };
  const createEmbed = (seconds: number, retries: number) => {
    const post = createEmbeddingHttp(deps, { name: SERVER, seconds });
    return createBatchedCalls(
      {
        modelId,
        batchSize: BATCH_SIZE,
        workers: WORKERS,
        retries,
        log: deps.log,
        embedBatch: (inputs, _, signal) =>
          post(url, { headers, body: JSON.stringify({ inputs, truncate: true }), signal }, answer),
      },
      parseRows,
    );
  };
  const embedDocuments = createEmbed(DOCUMENT_SECONDS, QUICK_RETRIES);
  const embedQueries = createEmbed(QUERY_SECONDS, 0);
  return {
    modelId,
    embed: (texts, purpose, signal) =>
      (purpose === 'query' ? embedQueries : embedDocuments)(texts, purpose, signal),
  };
}

const answer = z.array(z.unknown());

function parseRows(rows: unknown[], expected: number): SparseVector[] {
  if (rows.length !== expected) {
    throw createRefusal(`returned ${rows.length} lists of weights for ${expected} texts`);
  }
  return rows.map(parseRow);
}

/** Validates the weights of one text, and keeps the largest ones in descending order. */
function parseRow(row: unknown): SparseVector {
  if (!Array.isArray(row)) throw createRefusal('returned no list of weights for a text');
  const weights = row.map(parseWeight);
  if (new Set(weights.map(({ index }) => index)).size < weights.length) {
    throw createRefusal('returned two weights for the same term of a text');
  }
  const kept = weights.sort((a, b) => b.value - a.value || a.index - b.index).slice(0, MAX_TERMS);
  return {
    indexes: Uint32Array.from(kept, ({ index }) => index),
    values: Float32Array.from(kept, ({ value }) => value),
  };
}

function parseWeight(given: unknown): { index: number; value: number } {
  const { index, value } = (given ?? {}) as Record<string, unknown>;
  const isIndex = Number.isInteger(index) && (index as number) >= 0 && (index as number) <= LARGEST_INDEX;
  if (!isIndex) throw createRefusal('returned a weight whose index is not the number of a term');
  // A comparison with NaN is false, so NaN is rejected too.
  const isWeight = typeof value === 'number' && value > 0 && value <= LARGEST_WEIGHT;
  if (!isWeight) throw createRefusal(`returned a weight that is not between 0 and ${LARGEST_WEIGHT}`);
  return { index: index as number, value };
}

/** Creates the error for a wrong answer. It is permanent, because the same request would get the same answer. */
const createRefusal = (what: string) => new Upstream(`${SERVER} ${what}.`, { retryable: false });
