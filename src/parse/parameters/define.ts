import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { MAX_INSTRUCTION, MAX_TEXT } from './page-rules.ts';

/**
 * Effect of a parse parameter:
 * - `reading`: what the parser reads in a file
 * - `model`: how a language model reads pages; needs a configured model
 * - `input`: which file is read
 * - `output`: what a job delivers, and where
 * - `reporting`: who is notified
 * - `scheduling`: when a job runs, and whether an earlier parse is reused
 * - `none`: no effect; the parameter is accepted for compatibility
 */
export const EFFECTS = ['reading', 'model', 'input', 'output', 'reporting', 'scheduling', 'none'] as const;
export type Effect = (typeof EFFECTS)[number];

export interface ParameterOptions {
  /** What the parameter does. Used in the API description and in docs/reference/parse-parameters.md. */
  description: string;
  /** Effect of the parameter. The default is `reading`. */
  effect?: Effect;
  /** Value that applies if the parameter is absent, as shown in docs/reference/parse-parameters.md. */
  default?: string;
  /**
   * Reason why a value has no effect, which the response reports in `warnings`. A function returns
   * `undefined` for a value that has an effect.
   */
  withoutEffect?: Parameters<typeof withoutEffect>[1];
  /** Reason why the parameter has no effect in a pipeline. Absent if it has an effect there. */
  withoutEffectInPipelines?: string;
  /**
   * True if parses that differ only in this parameter share a cache entry. If absent, it is derived from
   * `effect`.
   */
  sharesParse?: boolean;
}

/** Definition of one parse parameter: its schema and its documentation. */
export interface ParameterDefinition<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  /** Type as shown in docs/reference/parse-parameters.md. */
  type: string;
  effect: Effect;
  options: ParameterOptions;
}

/** Defines a parameter with its own schema. `null` and an absent value mean the same. */
export function parameter<Schema extends z.ZodType>(type: string, schema: Schema, options: ParameterOptions) {
  const described = schema.nullish().describe(options.description);
  if (options.withoutEffect) withoutEffect(described, options.withoutEffect);
  return { schema: described, type, effect: options.effect ?? 'reading', options };
}

/** Defines a boolean parameter. It is off if absent, unless `default` documents another behavior. */
export const flag = (options: ParameterOptions) =>
  parameter('boolean', z.boolean(), { default: 'false', ...options });

/** Defines a text parameter of at most 2,000 characters. */
export const text = (options: ParameterOptions) => parameter('string', z.string().max(MAX_TEXT), options);

/** Defines an instruction for a language model of at most 20,000 characters. */
export const instruction = (options: ParameterOptions) =>
  parameter('string', z.string().max(MAX_INSTRUCTION), { effect: 'model', ...options });

/** Defines a secret text. It is encrypted at rest and masked in responses. */
export const secretText = (most: number, options: ParameterOptions) =>
  parameter('string, secret', secret().max(most), options);

/**
 * Defines a text parameter with a check. `check` returns the problem with a text, or `undefined` if there is
 * none. An empty text counts as absent, because forms send it for an empty field.
 */
export function checkedText(
  type: string,
  check: (text: string) => string | undefined,
  options: ParameterOptions,
) {
  const schema = z.string().superRefine((given, context) => {
    const message = given === '' ? undefined : check(given);
    if (message) context.addIssue({ code: 'custom', message });
  });
  return parameter(type, schema, options);
}

/** Defines a parameter with a fixed list of values. */
export const oneOf = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  options: ParameterOptions,
) => parameter(values.join(', '), z.enum(values), options);

/** Defines a fraction from 0 to 1. */
export const fraction = (options: ParameterOptions) =>
  parameter('number, 0 to 1', z.number().min(0).max(1), options);

/** Defines a number of pages. 0 means no limit. */
export const pageCount = (options: ParameterOptions) =>
  parameter('integer, 0 or more', z.int().min(0), { default: '0', ...options });

/** Defines a duration in seconds. 0 means no limit. */
export const seconds = (options: ParameterOptions) =>
  parameter('number, 0 or more', z.number().min(0), { default: '0', ...options });
