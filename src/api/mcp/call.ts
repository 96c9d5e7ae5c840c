import type { CallToolResult } from '@modelcontextprotocol/server';
import { toDomainError } from '#src/api/http/respond.ts';
import type { TenantContext } from '#src/context/context.ts';
import { Invalid, messageOf, stackOf } from '#src/lib/errors.ts';
import { warningsOf } from '#src/lib/schema/effect.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { newFence } from './fence.ts';
import type { Tool } from './tool.ts';

export interface Caller {
  ctx: TenantContext;
  requestId: string;
}

/** What a tool says. What goes wrong within it is told as its result, so that the model can mend its call. */
export async function callTool(
  { name, input: schema, handle }: Tool,
  given: unknown,
  { ctx, requestId }: Caller,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    const input = parseInput(schema, given ?? {}, ['body']);
    const { data, text } = await handle({ ctx, input, signal, requestId, fence: newFence() });
    const warnings = warningsOf(schema, given).map(({ field, reason }) => `\nWarning: ${field}: ${reason}`);
    return {
      content: [{ type: 'text', text: text + warnings.join('') }],
      structuredContent: data as Record<string, unknown>,
    };
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: toldError(error, name, { ctx, requestId }) }] };
  }
}

function toldError(thrown: unknown, tool: string, { ctx, requestId }: Caller): string {
  const error = toDomainError(thrown);
  if (error.code === 'internal') {
    ctx.log.error('unhandled error', { tool, error: messageOf(thrown), stack: stackOf(thrown) });
  }
  const message = error instanceof Invalid ? toldIssues(error) : error.message;
  const retry = error.retryable ? ' The same call may succeed later.' : '';
  return `${error.code}: ${message}${retry} (request_id ${requestId})`;
}

/** Each issue with the argument that it is about, without the part of an HTTP request that operations name. */
function toldIssues({ issues }: Invalid): string {
  return issues
    .map(({ loc, msg }) => {
      const [place, ...path] = loc;
      const field = ['body', 'query', 'path'].includes(String(place)) ? path : loc;
      return field.length > 0 ? `${field.join('.')}: ${msg}` : msg;
    })
    .join('; ');
}
