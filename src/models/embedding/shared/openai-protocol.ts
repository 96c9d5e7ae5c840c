import { z } from 'zod';
import { Upstream } from '#src/lib/errors.ts';

// Settings and functions that OpenAI's API, Azure OpenAI deployments and compatible endpoints share.

export const DEFAULT_MODEL = 'text-embedding-ada-002';

interface HostedModel {
  dimension: number;
  /** Maximum number of input tokens per text. The model rejects longer texts. */
  tokens: number;
}

export const HOSTED_MODELS: Record<string, HostedModel | undefined> = {
  'text-embedding-ada-002': { dimension: 1536, tokens: 8191 },
  'text-embedding-3-small': { dimension: 1536, tokens: 8191 },
  'text-embedding-3-large': { dimension: 3072, tokens: 8191 },
};

export const MAX_BATCH = 2048;
export const TOKENS_PER_CALL = 300_000;
export const DEFAULT_TIMEOUT_SECONDS = 60;

const answer = z.object({
  data: z.array(z.looseObject({ index: z.int().nonnegative().optional(), embedding: z.unknown() })),
});

/** Sorts the vectors of an answer in the order of the texts, because the SDK does not sort them. */
export function sortVectors(body: unknown): unknown {
  const { data, success } = answer.safeParse(body);
  if (!success) return body;
  const places = data.data.map(({ index }, position) => index ?? position);
  const ordered = places.map((_, place) => data.data[places.indexOf(place)]);
  if (ordered.includes(undefined)) {
    throw new Upstream('The model returned vectors with wrong indexes.', { retryable: false });
  }
  return { ...(body as object), data: ordered };
}

/**
 * Returns a function that creates the provider options of a request, under the name that the SDK uses for the
 * provider.
 */
export const createDimensionsOption = (provider: string, dimensions: number | null | undefined) => () =>
  dimensions ? { [provider]: { dimensions } } : {};
