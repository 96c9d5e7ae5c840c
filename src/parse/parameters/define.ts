import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { MOST_INSTRUCTION, MOST_TEXT } from './page-rules.ts';

/**
 * What a parse parameter changes:
 * - `reading`: what the parser reads in a file;
 * - `model`: how a language model reads pages, so it needs a configured model;
 * - `input`: which file is read;
 * - `output`: what a job delivers, and where;
 * - `reporting`: who is notified;
 * - `scheduling`: when a job runs, and whether an earlier parse is reused;
 * - `none`: nothing. The parameter is accepted for compatibility.
 */
export const EFFECTS = ['reading', 'model', 'input', 'output', 'reporting', 'scheduling', 'none'] as const;
export type Effect = (typeof EFFECTS)[number];

export interface ParameterOptions {
  /** What the parameter does, in the API description and in docs/parse-parameters.md. */
  description: string;
  /** Defaults to `reading`. */
  effect?: Effect;
  /** Value that an absent parameter stands for, as docs/parse-parameters.md shows it. */
  default?: string;
  /** Why a value has no effect, which the answer says in `warnings`; a function returns `undefined` if it has one. */
  withoutEffect?: Parameters<typeof withoutEffect>[1];
  /** Why the parameter has no effect in a pipeline. Absent if it has one there. */
  withoutEffectInPipelines?: string;
  /** Whether parses that differ in this parameter alone share a cache entry. Derived from `effect` if absent. */
  sharesParse?: boolean;
}

/** One parse parameter: its schema and everything that is said about it. */
export interface ParameterDefinition<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  /** Type as docs/parse-parameters.md shows it. */
  type: string;
  effect: Effect;
  options: ParameterOptions;
}

/** Defines a parameter with a schema of its own. `null` and an absent value mean the same. */
export function parameter<Schema extends z.ZodType>(type: string, schema: Schema, options: ParameterOptions) {
  const described = schema.nullish().describe(options.description);
  if (options.withoutEffect) withoutEffect(described, options.withoutEffect);
  return { schema: described, type, effect: options.effect ?? 'reading', options };
}

/** Defines a parameter that switches something on or off; off if absent, unless `default` says otherwise. */
export const flag = (options: ParameterOptions) =>
  parameter('boolean', z.boolean(), { default: 'false', ...options });

/** Defines a parameter that is a text of at most 2,000 characters. */
export const text = (options: ParameterOptions) => parameter('string', z.string().max(MOST_TEXT), options);

/** Defines an instruction to a language model, of at most 20,000 characters. */
export const instruction = (options: ParameterOptions) =>
  parameter('string', z.string().max(MOST_INSTRUCTION), { effect: 'model', ...options });

/** Defines a secret text, which is encrypted at rest and masked in answers. */
export const secretText = (most: number, options: ParameterOptions) =>
  parameter('string, secret', secret().max(most), options);

/**
 * Defines a text that `check` tests: it returns what is wrong with the text, or `undefined`. An empty text, which forms
 * send for an empty field, counts as absent.
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

/** Defines one of a fixed list of values. */
export const oneOf = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  options: ParameterOptions,
) => parameter(values.join(', '), z.enum(values), options);

/** Defines a fraction from 0 to 1. */
export const fraction = (options: ParameterOptions) =>
  parameter('number, 0 to 1', z.number().min(0).max(1), options);

/** Defines a number of pages; 0 means that there is no limit. */
export const pageCount = (options: ParameterOptions) =>
  parameter('integer, 0 or more', z.int().min(0), { default: '0', ...options });

/** Defines a duration in seconds; 0 means that there is no limit. */
export const seconds = (options: ParameterOptions) =>
  parameter('number, 0 or more', z.number().min(0), { default: '0', ...options });
