import { z } from 'zod';
import { Upstream } from '#src/lib/errors.ts';

// Common parts of OpenAI's API, Azure deployments and compatible endpoints.

export const DEFAULT_MODEL = 'text-embedding-ada-002';

interface HostedModel {
  /** Default dimension of the vectors. */
  dimension: number;
  /** Maximum input tokens of a text. Longer texts are refused. */
  tokens: number;
}

export const HOSTED_MODELS: Record<string, HostedModel | undefined> = {
  'text-embedding-ada-002': { dimension: 1536, tokens: 8191 },
  'text-embedding-3-small': { dimension: 1536, tokens: 8191 },
  'text-embedding-3-large': { dimension: 3072, tokens: 8191 },
};

export const MAX_BATCH = 2048;
/** Maximum tokens of all texts in one call. */
export const TOKENS_PER_CALL = 300_000;
export const DEFAULT_TIMEOUT_SECONDS = 60;

const answer = z.object({
  data: z.array(z.looseObject({ index: z.int().nonnegative().optional(), embedding: z.unknown() })),
});

/** Sorts the vectors in the order of the texts, because the SDK takes them as listed. */
export function inOrder(body: unknown): unknown {
  const { data, success } = answer.safeParse(body);
  if (!success) return body;
  const places = data.data.map(({ index }, position) => index ?? position);
  const ordered = places.map((_, place) => data.data[places.indexOf(place)]);
  if (ordered.includes(undefined)) {
    throw new Upstream('The model gave vectors for other texts than it was given.', { retryable: false });
  }
  return { ...(body as object), data: ordered };
}

/** Returns request options under the name that the SDK uses for this provider. */
export const dimensionsOption = (provider: string, dimensions: number | null | undefined) => () =>
  dimensions ? { [provider]: { dimensions } } : {};
