import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';

const MOST_NAMED = 10;
const LONGEST_NAMES = 300;

type Given = Record<string, unknown>;

interface Words {
  description: string;
  /** What happens instead of a call of the vendor's client: a clause without its full stop. */
  instead: string;
}

/**
 * A field of arguments for the vendor's client, of which those of `known` mean something here and are held to it.
 * Others are kept and change nothing, which is said.
 */
export function kwargs(known: z.ZodObject, { description, instead }: Words) {
  const names = Object.keys(known.shape).join(', ');
  return withoutEffect(
    z
      .record(z.string(), z.unknown())
      .superRefine((given, context) => {
        for (const [name, value] of Object.entries(given)) {
          if (value === null || !Object.hasOwn(known.shape, name)) continue;
          const schema = known.shape[name] as z.ZodType;
          const message = schema.safeParse(value).error?.issues[0]?.message;
          if (message) context.addIssue({ code: 'custom', path: [name], message });
        }
      })
      .describe(description)
      .nullish(),
    (given) => {
      const unknown = Object.keys(given as Given).filter((name) => !Object.hasOwn(known.shape, name));
      if (unknown.length === 0) return undefined;
      const named = unknown.slice(0, MOST_NAMED).join(', ').slice(0, LONGEST_NAMES);
      return `${instead}, where of these only ${names} change something: ${named}`;
    },
  );
}

/** Those that mean something, as checked above; null is absent. */
export function knownOf<Shape extends z.ZodRawShape>(
  known: z.ZodObject<Shape>,
  given: Given | null | undefined,
): Partial<z.output<z.ZodObject<Shape>>> {
  const said = Object.entries(given ?? {}).filter(
    ([name, value]) => Object.hasOwn(known.shape, name) && value !== null,
  );
  return Object.fromEntries(said) as Partial<z.output<z.ZodObject<Shape>>>;
}
