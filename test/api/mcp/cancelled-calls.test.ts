import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { cancelCall, nameCall, runCancellable } from '#src/api/mcp/running-calls.ts';
import { BASE } from '#test/support/client.ts';
import { startWith } from '#test/support/configured.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { MODEL_SETTINGS } from '../openai/model-endpoint.ts';
import { readMessage } from './agent.ts';

afterEach(() => void vi.restoreAllMocks());

const service = startWith(MODEL_SETTINGS);
const send = (message: object, session?: string) =>
  service(
    new Request(`${BASE}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${env.BOOTSTRAP_API_KEY}`,
        'content-type': 'application/json',
        ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    }),
  );

it('a notification of the same session ends a running call', async () => {
  const pipeline_id = await createPipeline();
  await addFiles(pipeline_id, { 'corran.txt': 'The Corran bridge was opened in 1893.' });
  await sync(pipeline_id);
  const others = globalThis.fetch;
  const isAsked = Promise.withResolvers<void>();
  // The language model never answers.
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    if (!request.url.startsWith(MODEL_SETTINGS.LLM_BASE_URL)) return others(request);
    if (!((await request.clone().json()) as { stream?: boolean }).stream)
      return new Response('', { status: 400 });
    isAsked.resolve();
    return new Promise((_, reject) =>
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
    );
  });
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const begun = await send({ id: 0, method: 'initialize', params });
  const session = begun.headers.get('mcp-session-id')!;
  const question = 'When was the Corran bridge opened?';
  const call = { name: 'ask', arguments: { pipeline_id, question } };
  const answer = send({ id: 4, method: 'tools/call', params: call }, session);
  await isAsked.promise;
  const cancelled = { method: 'notifications/cancelled', params: { requestId: 4, reason: 'enough' } };
  expect((await send(cancelled, session)).status).toBe(202);
  const { result } = await readMessage(await answer);
  expect(JSON.stringify(result)).toContain('The client cancelled this call.');
});

it('a notification ends no call of another caller, session or id, and none without a session', async () => {
  const name = nameCall('key', 'session', 4);
  const ended = Promise.withResolvers<string>();
  const call = runCancellable(name, new AbortController().signal, () => ended.promise);
  const others = [
    nameCall('other', 'session', 4),
    nameCall('key', 'other', 4),
    nameCall('key', 'session', '4'),
    nameCall('key', null, 4),
    nameCall('key', 'a b', 4),
  ];
  expect(others.map(cancelCall)).toEqual([false, false, false, false, false]);
  expect(cancelCall(name)).toBe(true);
  ended.resolve('done');
  expect(await call).toBe('done');
  expect(cancelCall(name)).toBe(false);
});
