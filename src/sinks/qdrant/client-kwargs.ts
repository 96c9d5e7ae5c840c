import { z } from 'zod';
import { createKwargsField, pickKnown } from '#src/sinks/external/kwargs.ts';

const LONGEST_TIMEOUT = 300;

const known = z.object({
  timeout: z.number().positive().max(LONGEST_TIMEOUT),
  port: z.int().min(1).max(65_535),
  prefix: z.string().max(200),
  https: z.boolean(),
});

/** Arguments of Qdrant's client that have an effect here. Other arguments are stored and ignored. */
export const clientKwargs = createKwargsField(known, {
  description:
    'Arguments of the client library. These have an effect: `timeout` (seconds to wait for an answer), `port` and `prefix` (of the path), if the URL has none, and `https`.',
  instead: 'The store is called over HTTP',
});

export type ClientKwargs = Partial<z.output<typeof known>>;

export const parseKwargs = (given: Record<string, unknown> | null | undefined): ClientKwargs =>
  pickKnown(known, given);
