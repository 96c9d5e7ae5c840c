import { z } from 'zod';
import { rememberSecrets } from '#src/lib/secrets/redaction.ts';
import { looksSecret } from '#src/lib/secrets/secret-names.ts';

/** Reads another variable of the environment; undefined: it is not set. */
export type Variable = (name: string) => string | undefined;

/** The JSON that a variable holds, as `schema` has it. What is wrong is added to `problems`, never with a value. */
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
    // The parser's own message quotes the text, which may hold keys.
    problems.push(`${variable}: is not JSON`);
    return undefined;
  }
  const { data, error } = schema.safeParse(value);
  if (error) problems.push(...issuesOf(error, variable));
  return data;
}

/** The settings of a driver as a variable has them, without members that it does not know; undefined: they are wrong. */
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

/** The settings with each `{"variable": "NAME"}` replaced by what the variable of that name holds. */
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
