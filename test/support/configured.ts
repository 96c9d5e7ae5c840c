import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createApp } from '#src/app.ts';
import type { Bindings } from '#src/env.ts';
import { BASE } from './fetch-service.ts';

/** The service as it is after a start with these settings besides its usual ones. */
export function startWith(settings: Record<string, string>): (request: Request) => Promise<Response> {
  const configured: Bindings = { ...env, ...settings };
  const app = createApp();
  return async (request) => {
    const execution = createExecutionContext();
    const answer = await app.fetch(request, configured, execution);
    // What is put off may only be known at the end of a stream.
    const whole = answer.body ? new Response(await answer.arrayBuffer(), answer) : answer;
    await waitOnExecutionContext(execution);
    return whole;
  };
}

/** Calls such a service with a key. */
export function clientOf(key: string, settings: Record<string, string>) {
  const service = startWith(settings);
  return async <Body>(method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await service(new Request(BASE + path, init));
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    return {
      status: answer.status,
      headers: answer.headers,
      body: (isJson ? JSON.parse(text) : text) as Body,
    };
  };
}
