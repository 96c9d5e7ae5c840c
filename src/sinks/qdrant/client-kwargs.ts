import { z } from 'zod';
import { withoutEffect } from '#src/lib/effect.ts';

const LONGEST_TIMEOUT = 300;

const known = z.object({
  timeout: z.number().positive().max(LONGEST_TIMEOUT),
  port: z.int().min(1).max(65_535),
  prefix: z.string().max(200),
  https: z.boolean(),
});
const MOST_NAMED = 10;
const LONGEST_NAMES = 300;
const NAMES = Object.keys(known.shape).join(', ');

const isKnown = (name: string): name is keyof typeof known.shape => Object.hasOwn(known.shape, name);

/** What of the client's arguments means something here. Others are kept and change nothing. */
export const clientKwargs = withoutEffect(
  z
    .record(z.string(), z.unknown())
    .superRefine((given, context) => {
      for (const [name, value] of Object.entries(given)) {
        if (value === null || !isKnown(name)) continue;
        const message = known.shape[name].safeParse(value).error?.issues[0]?.message;
        if (message) context.addIssue({ code: 'custom', path: [name], message });
      }
    })
    .describe(
      'Arguments of the vendor’s client: `timeout` (seconds that an answer is waited for), `port` and `prefix` (of a path) where the URL has none, `https`.',
    )
    .nullish(),
  (given) => {
    const unknown = Object.keys(given as object).filter((name) => !isKnown(name));
    if (unknown.length === 0) return undefined;
    const named = unknown.slice(0, MOST_NAMED).join(', ').slice(0, LONGEST_NAMES);
    return `The store is called over HTTP, where of these only ${NAMES} change something: ${named}`;
  },
);

export type ClientKwargs = Partial<z.output<typeof known>>;

/** As checked above; null is absent, and what is not known is left out. */
export function kwargsOf(given: Record<string, unknown> | null | undefined): ClientKwargs {
  return Object.fromEntries(
    Object.entries(given ?? {}).filter(([name, value]) => isKnown(name) && value !== null),
  );
}
