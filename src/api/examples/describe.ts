import type { z } from 'zod';
import type { Operation } from '#src/api/operation/operation-types.ts';

/**
 * A request with its answer, as `npm run record:examples` recorded them from the service. Ids, times and secrets are
 * replaced by others. Members of answers that depend on an installation are as the tests have them.
 */
export interface Example {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  /** The body of the request: JSON, the fields of a form, or bytes as text. */
  body?: unknown;
  /** Content type of the answer. Absent for an answer without a body. */
  type?: string;
  /** The answer. Absent for an answer whose bytes are no text. */
  answer?: unknown;
}

interface DescribedOperation {
  operationId: string;
  parameters?: { name: string; in: string; example?: unknown }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
}

/** Puts examples into the words of the callers of a mount. */
export interface ExampleTranslation {
  /** The operations whose examples were recorded in the words of their schemas. */
  operations: readonly Operation[];
  say(schema: z.ZodType, value: unknown): unknown;
}

/** Adds the recorded request and answer of each operation to its description. */
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
      addExample(described, spec && translation ? translate(spec, example, translation.say) : example);
  }
  return description;
}

function translate(spec: Operation, example: Example, say: ExampleTranslation['say']): Example {
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
