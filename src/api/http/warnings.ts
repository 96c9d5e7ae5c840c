import { z } from 'zod';
import type { Warning } from '#src/lib/schema/effect.ts';
import { getParsingWarnings } from '#src/reading/service/warnings.ts';

/** Warning about a request field that was accepted but has no effect. */
const warning = z.object({
  field: z.string().describe('Path of the field in the request, with members joined by dots.'),
  reason: z.string(),
});
export const warningsSchema = z.object({
  warnings: z
    .array(warning)
    .optional()
    .describe('Fields of the request that have no effect, each with the reason.'),
});

export const WARNINGS_HEADER = 'x-warnings';
const MAX_HEADER_CHARACTERS = 4_000;

/** Returns the warnings that a handler added, for fields whose effect depends on the installation. */
export function getWarnings(answer: unknown): Warning[] {
  return (answer as { warnings?: Warning[] } | undefined)?.warnings ?? [];
}

/**
 * Adds warnings to a response object. Lists have no field for warnings, so their warnings are only in the
 * `x-warnings` header.
 */
export function withWarnings(answer: object, warnings: Warning[]): object {
  return warnings.length === 0 || Array.isArray(answer) ? answer : { ...answer, warnings };
}

/** Adds warnings about parse parameters that have no effect in this installation. */
export async function addParsingWarnings<Answer extends object>(
  answer: Answer,
  ...[ctx, projectId, at, parameters]: Parameters<typeof getParsingWarnings>
): Promise<Answer & { warnings?: Warning[] }> {
  const warnings = await getParsingWarnings(ctx, projectId, at, parameters);
  return warnings.length > 0 ? { ...answer, warnings } : answer;
}

/** Appends warnings to the header `x-warnings`. */
export function addWarningsHeader(answer: Response, warnings: Warning[]): Response {
  if (warnings.length === 0) return answer;
  const existing = answer.headers.get(WARNINGS_HEADER);
  const found = warnings.map(({ field, reason }) => `${field}: ${reason}`);
  const fields = [...(existing === null ? [] : [existing]), ...found].join(' ');
  // Header values must be ASCII, but field names come from the caller.
  const text = fields.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_HEADER_CHARACTERS);
  const changed = new Response(answer.body, answer);
  changed.headers.set(WARNINGS_HEADER, text);
  return changed;
}

type Node = Record<string, unknown>;

const WARNINGS_REFERENCE = { $ref: '#/components/schemas/Warned' };

/** Adds the field `warnings` to the schemas of successful JSON responses, for operations with a JSON body. */
export function describeWarnings(description: object): object {
  const { paths = {} } = description as { paths?: Record<string, Record<string, Node>> };
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const body = operation.requestBody as { content: Node } | undefined;
    if (!body?.content['application/json']) continue;
    for (const [status, response] of Object.entries(operation.responses as Record<string, Node>)) {
      const json = (response.content as Record<string, { schema: Node }> | undefined)?.['application/json'];
      if (!status.startsWith('2') || !json || json.schema.type === 'array') continue;
      json.schema = { allOf: [json.schema, WARNINGS_REFERENCE] };
    }
  }
  return description;
}
