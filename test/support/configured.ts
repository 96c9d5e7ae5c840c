import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createApp } from '#src/app.ts';
import { recordAnswer } from '#src/chat/sessions/record-answer.ts';
import { createContext } from '#src/context/context.ts';
import type { Bindings } from '#src/settings/env.ts';
import type { ChatOrder, ChatProtocol } from '#src/work/chat-owner.ts';
import { BASE } from './fetch-service.ts';

/** Returns the service as if started with additional settings and bindings. */
export function startWith(settings: Record<string, unknown>): (request: Request) => Promise<Response> {
  const app = createApp();
  return async (request) => {
    const execution = createExecutionContext();
    const configured = { ...env, ...settings } as Bindings;
    configured.CHAT_STREAM = answeringHere(configured, execution);
    const answer = await app.fetch(request, configured, execution);
    // Reads the whole answer first, because deferred work may only be registered at the end of a stream.
    const whole = answer.body ? new Response(await answer.arrayBuffer(), answer) : answer;
    await waitOnExecutionContext(execution);
    return whole;
  };
}

/**
 * Runs the chat stream in the request itself, because Durable Objects keep the settings with which the tests
 * started.
 */
function answeringHere(configured: Bindings, execution: ExecutionContext): Bindings['CHAT_STREAM'] {
  const begin = async (order: ChatOrder, protocol: ChatProtocol) =>
    recordAnswer(createContext(configured, execution, { object: 'chat-stream' }), order).read(protocol);
  const namespace = { idFromName: (name: string) => name, get: () => ({ begin }) };
  return namespace as unknown as Bindings['CHAT_STREAM'];
}

/** Returns a client of a service with these settings. */
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
