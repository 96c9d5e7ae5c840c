import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Service, sleep } from './service.ts';

interface ChatCompletionRequest {
  model: string;
  stream: boolean;
  temperature: number;
  messages: { role: string; content: string }[];
}

const ANSWER = ['Matilda ', 'Oyelaran ', 'keeps it [1].'];
const received: { authorization: string | undefined; body: ChatCompletionRequest }[] = [];
let failing = false;

/** Speaks the chat completions protocol as far as streaming text needs it, and refuses what is not in it. */
const model = createServer(async (request, response) => {
  const body = JSON.parse(await textOf(request)) as ChatCompletionRequest;
  const wellFormed = typeof body.model === 'string' && Array.isArray(body.messages) && body.stream === true;
  if (request.url !== '/v1/chat/completions' || request.method !== 'POST' || !wellFormed) {
    response.writeHead(400).end('{"error":{"message":"not in the protocol"}}');
    return;
  }
  received.push({ authorization: request.headers.authorization, body });
  if (failing) {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"the model has gone fishing"}}');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta: object, finish: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    const event = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: body.model, choices };
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  };
  chunk({ role: 'assistant', content: '' });
  for (const content of ANSWER) chunk({ content });
  chunk({}, 'stop');
  response.end('data: [DONE]\n\n');
});

let service: Service;
let path: string;

beforeAll(async () => {
  const port = await listen(model);
  service = new Service({
    LLM_BASE_URL: `http://127.0.0.1:${port}/v1`,
    LLM_MODEL: 'loopback-1',
    LLM_API_KEY: 'model-key',
  });
  await service.start();
  const file_id = await service.upload('rock.txt', 'The lighthouse keeper is Matilda Oyelaran.');
  const { id } = await service.call<{ id: string }>('POST', '/api/v1/pipelines', { name: 'model' });
  path = `/api/v1/pipelines/${id}`;
  await service.call('PUT', `${path}/files`, [{ file_id, custom_metadata: { island: 'Gull Rock' } }]);
  await service.call('POST', `${path}/sync`);
  let status = '';
  for (let waited = 0; status !== 'SUCCESS' && waited < 20_000; waited += 100) {
    await sleep(100);
    status = (await service.call<{ status: string }>('GET', `${path}/status`)).status;
  }
  expect(status).toBe('SUCCESS');
});

afterAll(async () => {
  await service?.end();
  await new Promise((resolve) => model.close(resolve));
});

it('answers with the configured model, grounded in numbered passages', async () => {
  const events = await ask({ data: { llm_parameters: { system_prompt: 'Be brief.', temperature: 0.4 } } });
  expect(textIn(events)).toBe(ANSWER.join(''));
  expect(events.find((event) => event.type === 'source-document')).toMatchObject({ title: 'rock.txt' });
  expect(events[0]).toMatchObject({ type: 'start', messageMetadata: { model: 'loopback-1' } });

  const { authorization, body } = received.at(-1)!;
  expect(authorization).toBe('Bearer model-key');
  expect(body).toMatchObject({ model: 'loopback-1', temperature: 0.4 });
  const system = body.messages.find((message) => message.role === 'system')!.content;
  expect(system).toContain('[1]');
  expect(system).toContain('The lighthouse keeper is Matilda Oyelaran.');
  expect(system).toContain('island: Gull Rock');
  expect(system).toContain('Be brief.');
  expect(body.messages.at(-1)).toEqual({ role: 'user', content: 'Who keeps the light?' });
});

it('says in the stream that the model failed, with the request to quote', async () => {
  failing = true;
  const events = await ask({});
  failing = false;
  expect(events.find((event) => event.type === 'error')).toMatchObject({
    errorText: expect.stringMatching(/could not be completed \(request [0-9a-f-]{36}\)/),
  });
});

async function ask(more: object): Promise<Record<string, unknown>[]> {
  const messages = [{ role: 'user', content: 'Who keeps the light?' }];
  const response = await service.fetch('POST', `${path}/chat`, { messages, ...more });
  const text = await response.text();
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)));
}

const textIn = (events: Record<string, unknown>[]) =>
  events
    .filter((event) => event.type === 'text-delta')
    .map((event) => event.delta)
    .join('');

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}
