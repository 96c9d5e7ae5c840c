import { z } from 'zod';
import { Upstream } from '#src/lib/errors.ts';

// What the hosted API, its deployments in a cloud and all endpoints of its protocol have in common.

export const DEFAULT_MODEL = 'text-embedding-ada-002';

interface HostedModel {
  /** Of vectors, when it is asked for no particular one. */
  dimension: number;
  /** The most that it reads of a text; longer ones are refused. */
  tokens: number;
}

export const HOSTED_MODELS: Record<string, HostedModel | undefined> = {
  'text-embedding-ada-002': { dimension: 1536, tokens: 8191 },
  'text-embedding-3-small': { dimension: 1536, tokens: 8191 },
  'text-embedding-3-large': { dimension: 3072, tokens: 8191 },
};

export const MAX_BATCH = 2048;
/** Of all texts of one call. */
export const TOKENS_PER_CALL = 300_000;
export const DEFAULT_TIMEOUT_SECONDS = 60;

const answer = z.object({
  data: z.array(z.looseObject({ index: z.int().nonnegative().optional(), embedding: z.unknown() })),
});

/** The answer with its vectors in the order of the texts; the SDK takes them as they are listed. */
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

/** Members of the request besides the texts, by the protocol's name for this provider of the SDK. */
export const dimensionsOption = (provider: string, dimensions: number | null | undefined) => () =>
  dimensions ? { [provider]: { dimensions } } : {};
