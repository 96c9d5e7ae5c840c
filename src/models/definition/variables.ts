import { z } from 'zod';
import { rememberSecrets } from '#src/lib/secrets/redaction.ts';
import { looksSecret } from '#src/lib/secrets/secret-names.ts';

/** Returns another environment variable; undefined if it is not set. */
export type Variable = (name: string) => string | undefined;

/** Parses a variable that contains JSON. Errors are added to `problems` and never contain a value. */
export function readVariable<Schema extends z.ZodType>(
  variable: string,
  text: string | undefined,
  schema: Schema,
  problems: string[],
): z.output<Schema> | undefined {
  if (!text) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may contain keys.
    problems.push(`${variable}: is not JSON`);
    return undefined;
  }
  const { data, error } = schema.safeParse(value);
  if (error) problems.push(...issuesOf(error, variable));
  return data;
}

/** Parses the settings of a driver and drops unknown members; undefined if they are invalid. */
export function readSettings(
  schema: z.ZodObject,
  given: Record<string, unknown>,
  at: string,
  { variable, problems }: { variable: Variable; problems: string[] },
): Record<string, unknown> | undefined {
  const { data, error } = schema.strict().safeParse(withVariables(given, variable, at, problems));
  if (error) problems.push(...issuesOf(error, at));
  return data;
}

function issuesOf({ issues }: z.ZodError, at: string): string[] {
  return issues.map(({ path, message }) => `${[at, ...path.map(String)].join('.')}: ${message}`);
}

const reference = z.strictObject({ variable: z.string() });

/** Replaces each `{"variable": "NAME"}` by the value of that variable. */
function withVariables(
  given: Record<string, unknown>,
  variable: Variable,
  at: string,
  problems: string[],
): Record<string, unknown> {
  const entries = Object.entries(given).map(([key, value]) => {
    const { data } = reference.safeParse(value);
    if (!data) return [key, value];
    const held = variable(data.variable);
    if (held === undefined) problems.push(`${at}.${key}: the variable ${data.variable} is not set`);
    if (held !== undefined && looksSecret(key)) rememberSecrets([held]);
    return [key, held ?? ''];
  });
  return Object.fromEntries(entries);
}
