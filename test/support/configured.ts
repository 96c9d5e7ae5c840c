import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createApp } from '#src/app.ts';
import type { Bindings } from '#src/env.ts';

/** The service as it is after a start with these settings besides its usual ones. */
export function startWith(settings: Record<string, string>): (request: Request) => Promise<Response> {
  const configured: Bindings = { ...env, ...settings };
  const app = createApp();
  return async (request) => {
    const execution = createExecutionContext();
    const answer = await app.fetch(request, configured, execution);
    await waitOnExecutionContext(execution);
    return answer;
  };
}
