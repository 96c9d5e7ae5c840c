import { z } from 'zod';
import type { Warning } from '#src/lib/schema/effect.ts';
import { parsingWarnings } from '#src/reading/service/warnings.ts';

/** Warning about a field that was accepted without effect. */
const warning = z.object({
  field: z.string().describe('Its path in the request, members joined by dots.'),
  reason: z.string(),
});
export const warned = z.object({
  warnings: z
    .array(warning)
    .optional()
    .describe('Fields of the request that were taken and change nothing, each with the reason.'),
});

export const WARNINGS_HEADER = 'x-warnings';
const LONGEST_HEADER = 4_000;

/** Returns warnings of the operation itself, for fields whose effect depends on the installation. */
export function warningsIn(answer: unknown): Warning[] {
  return (answer as { warnings?: Warning[] } | undefined)?.warnings ?? [];
}

/** Adds warnings to a response object. Lists and empty responses only have the header. */
export function withWarnings(answer: object, warnings: Warning[]): object {
  return warnings.length === 0 || Array.isArray(answer) ? answer : { ...answer, warnings };
}

/** Adds warnings about parse parameters without effect in this installation. */
export async function warningOfParsing<Answer extends object>(
  answer: Answer,
  ...[ctx, projectId, at, parameters]: Parameters<typeof parsingWarnings>
): Promise<Answer & { warnings?: Warning[] }> {
  const warnings = await parsingWarnings(ctx, projectId, at, parameters);
  return warnings.length > 0 ? { ...answer, warnings } : answer;
}

/** Appends warnings to the header. */
export function tellInHeader(answer: Response, warnings: Warning[]): Response {
  if (warnings.length === 0) return answer;
  const said = answer.headers.get(WARNINGS_HEADER);
  const found = warnings.map(({ field, reason }) => `${field}: ${reason}`);
  const fields = [...(said === null ? [] : [said]), ...found].join(' ');
  // Headers carry ASCII, and field names are the caller's.
  const text = fields.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_HEADER);
  const told = new Response(answer.body, answer);
  told.headers.set(WARNINGS_HEADER, text);
  return told;
}

type Node = Record<string, unknown>;

const MEMBER = { $ref: '#/components/schemas/Warned' };

/**
 * Adds the `warnings` member to the schema of every successful JSON object response of operations with a JSON
 * body.
 */
export function describeWarnings(description: object): object {
  const { paths = {} } = description as { paths?: Record<string, Record<string, Node>> };
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const body = operation.requestBody as { content: Node } | undefined;
    if (!body?.content['application/json']) continue;
    for (const [status, response] of Object.entries(operation.responses as Record<string, Node>)) {
      const json = (response.content as Record<string, { schema: Node }> | undefined)?.['application/json'];
      if (!status.startsWith('2') || !json || json.schema.type === 'array') continue;
      json.schema = { allOf: [json.schema, MEMBER] };
    }
  }
  return description;
}
