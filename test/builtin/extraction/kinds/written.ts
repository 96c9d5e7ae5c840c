import type { JsonSchema } from '#src/json-schema/schema.ts';

/** Document of a type and language that was not used to fit weights, with the expected values. */
export interface Written {
  name: string;
  page: string;
  properties: Record<string, JsonSchema>;
  expected: Record<string, unknown>;
}

export const text = (description = ''): JsonSchema => ({
  type: 'string',
  ...(description && { description }),
});
export const date = (description = ''): JsonSchema => ({
  type: 'string',
  format: 'date',
  ...(description && { description }),
});
export const amount = (description = ''): JsonSchema => ({
  type: 'number',
  ...(description && { description }),
});
export const count = (description: string): JsonSchema => ({ type: 'integer', description });
