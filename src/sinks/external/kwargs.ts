import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';

const MAX_NAMED = 10;
const LONGEST_NAMES = 300;

type Given = Record<string, unknown>;

interface KwargsTexts {
  description: string;
  /**
   * Beginning of the warning about ignored arguments, which explains why they are not passed on. It has no
   * full stop.
   */
  instead: string;
}

/**
 * Creates a settings field for arguments of the vendor's client library. Arguments in `known` are validated
 * and have an effect. Others are stored without effect and cause a warning.
 */
export function createKwargsField(known: z.ZodObject, { description, instead }: KwargsTexts) {
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
      const named = unknown.slice(0, MAX_NAMED).join(', ').slice(0, LONGEST_NAMES);
      return `${instead}, so only ${names} have an effect. Ignored: ${named}`;
    },
  );
}

/** Returns the client arguments that have an effect. Arguments that are null count as absent. */
export function pickKnown<Shape extends z.ZodRawShape>(
  known: z.ZodObject<Shape>,
  given: Given | null | undefined,
): Partial<z.output<z.ZodObject<Shape>>> {
  const entries = Object.entries(given ?? {}).filter(
    ([name, value]) => Object.hasOwn(known.shape, name) && value !== null,
  );
  return Object.fromEntries(entries) as Partial<z.output<z.ZodObject<Shape>>>;
}
