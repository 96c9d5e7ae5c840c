import published from '#test/fixtures/python-client-schemas.json';
import { type Schema, violations } from './openapi.ts';

/**
 * JSON Schemas of answers from the pydantic models of the published Python client, by method and path. Strict
 * mode rejects missing members and unexpected nulls.
 */
const { operations, $defs } = published as unknown as {
  operations: Record<string, Schema>;
  $defs: Record<string, Schema>;
};

const schemas = new Map<string, Schema>();

export const PYTHON_OPERATIONS = Object.keys(operations);

/**
 * Returns the violations of the Python client's schema by an answer of `operation`, such as `GET
 * /api/v1/pipelines`.
 */
export function brokenForPython(operation: string, body: unknown): string[] {
  if (!Object.hasOwn(operations, operation)) return [];
  const known = schemas.get(operation) ?? ({ ...operations[operation], $defs } as Schema);
  schemas.set(operation, known);
  return violations(known, body);
}
