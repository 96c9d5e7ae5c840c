import { z } from 'zod';
import { rememberSecrets } from '#src/lib/secrets/redaction.ts';
import { looksSecret } from '#src/lib/secrets/secret-names.ts';

/**
 * Function that returns the value of another environment variable, or `undefined` if the variable is not set.
 */
export type Variable = (name: string) => string | undefined;

/**
 * Parses an environment variable that contains JSON. Errors are added to `problems` and never quote the
 * variable's value.
 */
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
    // The message of the JSON parser is not used, because it quotes the text, which may contain keys.
    problems.push(`${variable}: is not valid JSON`);
    return undefined;
  }
  const { data, error } = schema.safeParse(value);
  if (error) problems.push(...formatIssues(error, variable));
  return data;
}

/**
 * Parses the settings of a driver. Unknown fields and invalid values are added to `problems`, and `undefined`
 * is returned.
 */
export function readSettings(
  schema: z.ZodObject,
  given: Record<string, unknown>,
  at: string,
  { variable, problems }: { variable: Variable; problems: string[] },
): Record<string, unknown> | undefined {
  const { data, error } = schema.strict().safeParse(resolveVariables(given, variable, at, problems));
  if (error) problems.push(...formatIssues(error, at));
  return data;
}

function formatIssues({ issues }: z.ZodError, at: string): string[] {
  return issues.map(({ path, message }) => `${[at, ...path.map(String)].join('.')}: ${message}`);
}

const reference = z.strictObject({ variable: z.string() });

/** Replaces each `{"variable": "NAME"}` in the settings by the value of the environment variable NAME. */
function resolveVariables(
  given: Record<string, unknown>,
  variable: Variable,
  at: string,
  problems: string[],
): Record<string, unknown> {
  const entries = Object.entries(given).map(([key, value]) => {
    const { data } = reference.safeParse(value);
    if (!data) return [key, value];
    const variableValue = variable(data.variable);
    if (variableValue === undefined) problems.push(`${at}.${key}: the variable ${data.variable} is not set`);
    if (variableValue !== undefined && looksSecret(key)) rememberSecrets([variableValue]);
    return [key, variableValue ?? ''];
  });
  return Object.fromEntries(entries);
}
