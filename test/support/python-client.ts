import published from '#test/fixtures/python-client-schemas.json';
import { type Schema, violations } from './openapi.ts';

/**
 * What the published Python client (version in the file) requires of answers: the JSON Schemas that its own pydantic
 * models give, by the operation's method and path. Its strict mode refuses a member that is missing, and a null
 * where a value is typed.
 */
const { operations, $defs } = published as unknown as {
  operations: Record<string, Schema>;
  $defs: Record<string, Schema>;
};

const schemas = new Map<string, Schema>();

export const PYTHON_OPERATIONS = Object.keys(operations);

/** What an answer to `operation`, such as `GET /api/v1/pipelines`, breaks of what the Python client requires. */
export function brokenForPython(operation: string, body: unknown): string[] {
  if (!Object.hasOwn(operations, operation)) return [];
  const known = schemas.get(operation) ?? ({ ...operations[operation], $defs } as Schema);
  schemas.set(operation, known);
  return violations(known, body);
}
