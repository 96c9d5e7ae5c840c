import { z } from 'zod';

const LONGEST_TIMEOUT = 300;

const known = z.object({
  timeout: z.number().positive().max(LONGEST_TIMEOUT),
  port: z.int().min(1).max(65_535),
  prefix: z.string().max(200),
  https: z.boolean(),
});
const NAMES = Object.keys(known.shape).join(', ');

/** What of the client's arguments means something here. Another one is refused: it would change nothing. */
export const clientKwargs = z
  .record(z.string(), z.unknown())
  .superRefine((given, context) => {
    for (const [name, value] of Object.entries(given)) {
      if (value === null) continue;
      const shape = Object.hasOwn(known.shape, name)
        ? known.shape[name as keyof typeof known.shape]
        : undefined;
      const message = shape
        ? shape.safeParse(value).error?.issues[0]?.message
        : `The store is called over HTTP, where this changes nothing. Known: ${NAMES}.`;
      if (message) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .describe(
    'Arguments of the vendor’s client: `timeout` (seconds that an answer is waited for), `port` and `prefix` (of a path) where the URL has none, `https`.',
  );

export type ClientKwargs = Partial<z.output<typeof known>>;

/** As checked above; null is absent. */
export function kwargsOf(given: Record<string, unknown> | null | undefined): ClientKwargs {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));
}
