import type { z } from 'zod';
import type { Operation } from '#src/api/operation/operation-types.ts';

/**
 * Request and response of an operation, recorded from the service by `npm run record:examples`. Ids, times
 * and secrets are replaced. Values that depend on the installation are those of the tests.
 */
export interface Example {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  /** Request body as JSON, form fields, or bytes as text. */
  body?: unknown;
  /** Content type of the response. Absent if the response has no body. */
  type?: string;
  /** Response body. Absent if the body is not text. */
  answer?: unknown;
}

interface DescribedOperation {
  operationId: string;
  parameters?: { name: string; in: string; example?: unknown }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
}

/** Conversion of recorded examples to the format of other clients, such as clients of LlamaCloud. */
export interface ExampleTranslation {
  /** Operations whose examples were recorded in the format of their schemas. */
  operations: readonly Operation[];
  encode(schema: z.ZodType, value: unknown): unknown;
}

/** Adds the recorded request and response of each operation to the description. */
export function addExamples<D extends { paths: Record<string, Record<string, object>> }>(
  description: D,
  examples: Readonly<Record<string, Example>>,
  translation?: ExampleTranslation,
): D {
  const specs = new Map(translation?.operations.map((spec) => [spec.id, spec]));
  for (const operation of Object.values(description.paths).flatMap((item) => Object.values(item))) {
    const described = operation as DescribedOperation;
    const example = examples[described.operationId];
    const spec = specs.get(described.operationId);
    if (example)
      addExample(described, spec && translation ? translate(spec, example, translation.encode) : example);
  }
  return description;
}

function translate(spec: Operation, example: Example, say: ExampleTranslation['encode']): Example {
  const { body, response } = spec;
  return {
    ...example,
    ...(example.query && spec.query && { query: say(spec.query, example.query) as Example['query'] }),
    ...(example.body !== undefined && body && 'json' in body && { body: say(body.json, example.body) }),
    ...(example.answer !== undefined && 'json' in response && { answer: say(response.json, example.answer) }),
  };
}

function addExample(operation: DescribedOperation, example: Example): void {
  for (const parameter of operation.parameters ?? []) {
    const values = parameter.in === 'path' ? example.params : example.query;
    if (parameter.in !== 'cookie' && values?.[parameter.name] !== undefined)
      parameter.example = values[parameter.name];
  }
  const sent = Object.values(operation.requestBody?.content ?? {})[0];
  if (sent && example.body !== undefined) sent.example = example.body;
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const answered = success?.content?.[example.type ?? ''];
  if (answered && example.answer !== undefined) answered.example = example.answer;
}
