import { z } from 'zod';
import { knownOf, kwargs } from '#src/sinks/external/kwargs.ts';

const LONGEST_TIMEOUT = 300;

const known = z.object({
  timeout: z.number().positive().max(LONGEST_TIMEOUT),
  port: z.int().min(1).max(65_535),
  prefix: z.string().max(200),
  https: z.boolean(),
});

/** Client arguments that have an effect here. Other arguments are stored and ignored. */
export const clientKwargs = kwargs(known, {
  description:
    'Arguments of the vendor’s client: `timeout` (seconds that an answer is waited for), `port` and `prefix` (of a path) where the URL has none, `https`.',
  instead: 'The store is called over HTTP',
});

export type ClientKwargs = Partial<z.output<typeof known>>;

export const kwargsOf = (given: Record<string, unknown> | null | undefined): ClientKwargs =>
  knownOf(known, given);
