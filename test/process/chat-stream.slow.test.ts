import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { type GatedAnswer, GatedModel } from './gated-model.ts';
import { SyncClient } from './pipelines.ts';
import { Service, sleep } from './service.ts';

const RESUME_SECONDS = 2;
const model = new GatedModel();
let service: Service;
let pipelines: SyncClient;
let path: string;

beforeAll(async () => {
  service = new Service({
    LLM_BASE_URL: await model.start(),
    LLM_MODEL: 'gated',
    CHAT_RESUME_SECONDS: String(RESUME_SECONDS),
  });
  await service.start();
  pipelines = new SyncClient(service);
  path = await pipelineOfRock();
});

afterAll(async () => {
  await service?.end();
  model.stop();
});

/** Deletes data of the first attempt if a test is retried. */
beforeEach(async ({ task }) => {
  if (!task.result?.retryCount) return;
  model.forget();
  path = await pipelineOfRock();
});

async function pipelineOfRock(): Promise<string> {
  const file_id = await service.upload('rock.txt', 'The lighthouse keeper is Matilda Oyelaran.');
  const id = await pipelines.createPipeline();
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id }]);
  expect((await pipelines.sync(id)).status).toBe('SUCCESS');
  return `/api/v1/pipelines/${id}`;
}

const question = (id?: string) => ({
  ...(id && { id }),
  messages: [{ id: id ?? crypto.randomUUID(), role: 'user', content: 'Who keeps the light?' }],
});

interface Session {
  chat_messages: {
    id: string;
    role: string;
    content: string;
    annotations: { type: string; data: string }[];
  }[];
}

async function readSession(at = path): Promise<Session['chat_messages']> {
  return (await service.call<Session>('GET', `${at}/playground-session`)).chat_messages;
}

/** Waits for the stored answer to a question. */
async function keptAnswer(id: string) {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const answer = (await readSession()).find((message) => message.content.startsWith(id));
    if (answer) return answer;
    await sleep(50);
  }
  throw new Error(`nothing of ${id} was kept`);
}

/** Reader of a chat stream that can disconnect. */
class Reader {
  readonly #controller = new AbortController();
  text = '';
  isAtEnd = false;
  reading: Promise<void> = Promise.resolve();

  async open(method: string, at: string, body?: object): Promise<this> {
    const response = await fetch(service.base + at, {
      method,
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: this.#controller.signal,
    });
    expect(response.status).toBe(200);
    this.reading = this.#read(response).catch(() => {});
    return this;
  }

  async #read(response: Response): Promise<void> {
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) this.text += piece;
    this.isAtEnd = true;
  }

  async until(text: string): Promise<void> {
    for (let waited = 0; waited < PATIENCE_MS; waited += 10) {
      if (this.text.includes(text)) return;
      await sleep(10);
    }
    throw new Error(`${text} did not come: ${this.text}`);
  }

  leave(): void {
    this.#controller.abort();
  }
}

/** Milliseconds of a pause between two requests of `turnsUntilEnd`. */
const TURN_MS = 50;

/**
 * Lets a reader leave and counts turns until the call of the model ends. A turn is a request that needs nothing from
 * the service, and a pause. Turns take longer where the machine or the service is busy, so their number says how soon
 * the call ends in relation to the speed of both.
 */
async function turnsUntilEnd(answer: GatedAnswer, reader: Reader): Promise<number> {
  let hasEnded = false;
  const ended = answer.left.finally(() => {
    hasEnded = true;
  });
  reader.leave();
  let turns = 0;
  for (; !hasEnded; turns += 1) {
    await fetch(`${service.base}/robots.txt`).then((response) => response.text());
    await Promise.race([ended, sleep(TURN_MS)]);
  }
  return turns;
}

const ask = (body: object, at = path) => new Reader().open('POST', `${at}/chat`, body);
const resume = (id: string) => new Reader().open('GET', `${path}/chat/${id}/stream`);
const readStatus = async (id: string, at = path) =>
  (await service.fetch('GET', `${at}/chat/${id}/stream`)).status;

describe('disconnected chat reader', () => {
  it.each([
    ['a chat without an id', () => question()],
    ['a chat that is not to be resumed', () => ({ ...question('never'), resumable: false })],
  ])('aborts the model call within a second: %s', async (name, body) => {
    const reader = await ask(body());
    const answer = await model.next();
    answer.say(`${name} begins`);
    await reader.until(`${name} begins`);
    expect(await turnsUntilEnd(answer, reader)).toBeLessThan(1_000 / TURN_MS);
    const { annotations } = await keptAnswer(name);
    expect(annotations.at(-1)).toEqual({ type: 'status', data: '{"status":"aborted"}' });
    expect(await readStatus('never')).toBe(204);
  });

  it('aborts a model without output within a second and keeps only the question', async () => {
    const before = (await readSession()).length;
    const reader = await ask(question());
    const answer = await model.next();
    await reader.until(':\n\n:\n\n');
    expect(await turnsUntilEnd(answer, reader)).toBeLessThan(1_000 / TURN_MS);
    // A later chat has been kept, so the aborted one has been kept as well.
    const later = await ask(question('later'));
    const next = await model.next();
    next.say('later: Matilda');
    next.end();
    await later.reading;
    await keptAnswer('later');
    const kept = (await readSession()).slice(before);
    expect(kept.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  });
});

describe('chat with an id', () => {
  it('continues after a lost connection and can be read from the start by all readers', async () => {
    const lost = await ask(question('resumed'));
    const answer = await model.next();
    answer.say('resumed: Matilda ');
    await lost.until('Matilda');
    lost.leave();
    answer.say('Oyelaran ');
    const readers = [await resume('resumed'), await resume('resumed')];
    for (const reader of readers) await reader.until('Oyelaran');
    answer.say('keeps it [1].');
    answer.end();
    for (const { reading } of readers) await reading;
    const late = await resume('resumed');
    await late.reading;
    const said = [...readers, late].map(({ text }) => eventsIn(text));
    expect(said[1]).toEqual(said[0]);
    expect(said[2]).toEqual(said[0]);
    expect(textIn(said[0]!)).toBe('resumed: Matilda Oyelaran keeps it [1].');
    expect(said[0]!.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
    const { id, annotations } = await keptAnswer('resumed');
    expect(said[0]![0]).toMatchObject({ type: 'start', messageId: id });
    expect(annotations.map(({ type }) => type)).toEqual(['sources', 'citations', 'metadata']);
  });

  it('aborts the model call if nobody reconnects in time', async () => {
    const reader = await ask(question('left'));
    const answer = await model.next();
    answer.say('left for good');
    await reader.until('left for good');
    // The service notices within three heartbeats, of a second each, that the reader has left.
    expect(await turnsUntilEnd(answer, reader)).toBeLessThan((RESUME_SECONDS * 1_000 + 5_000) / TURN_MS);
    expect((await keptAnswer('left')).annotations.at(-1)!.data).toBe('{"status":"aborted"}');
  });

  it('ends for all readers when stopped', async () => {
    const reader = await ask(question('stopped'));
    const answer = await model.next();
    answer.say('stopped early');
    await reader.until('stopped early');
    await service.call('DELETE', `${path}/chat/stopped/stream`);
    await answer.left;
    await reader.reading;
    expect(reader.isAtEnd).toBe(true);
    expect(eventsIn(reader.text).at(-1)).toEqual({ type: 'abort', reason: 'The answer was stopped.' });
    expect((await keptAnswer('stopped')).content).toBe('stopped early');
  });

  it('ends when its pipeline is deleted', async () => {
    const at = await pipelineOfRock();
    const reader = await ask(question('erased'), at);
    const answer = await model.next();
    answer.say('erased');
    await reader.until('erased');
    await service.call('POST', `${at}/force-delete`);
    await answer.left;
    await reader.reading;
    expect(reader.isAtEnd).toBe(true);
    expect(await readStatus('erased', at)).toBe(404);
  });

  it('keeps one question and the last answer when answered again', async () => {
    const before = (await readSession()).length;
    for (const text of ['again: first', 'again: second']) {
      const reader = await ask(question('again'));
      const answer = await model.next();
      answer.say(text);
      answer.end();
      await reader.reading;
    }
    const kept = (await readSession()).slice(before);
    expect(kept.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Who keeps the light?'],
      ['assistant', 'again: second'],
    ]);
  });
});

it('a model failure during an answer gives an error event and keeps the partial answer', async () => {
  const reader = await ask(question('broken'));
  const answer = await model.next();
  answer.say('broken off');
  await reader.until('broken off');
  answer.cut();
  await reader.reading;
  expect(reader.isAtEnd).toBe(true);
  const events = eventsIn(reader.text);
  expect(events.at(-2)).toMatchObject({ type: 'error', errorText: expect.stringContaining('(request ') });
  expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' });
  expect(reader.text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect((await keptAnswer('broken')).annotations.at(-1)!.data).toBe('{"status":"failed"}');
});

describe('chat transport of the AI SDK', () => {
  const transport = () =>
    new DefaultChatTransport<UIMessage>({
      api: `${service.base}${path}/chat`,
      headers: { authorization: `Bearer ${service.key}` },
    });
  const messages: UIMessage[] = [
    { id: 'sdk-question', role: 'user', parts: [{ type: 'text', text: 'Who keeps the light?' }] },
  ];
  const readLastMessage = async (stream: Parameters<typeof readUIMessageStream>[0]['stream']) => {
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
    return last!;
  };

  it('reads sources, text and data, and reconnects', async () => {
    const sending = new AbortController();
    await transport().sendMessages({
      trigger: 'submit-message',
      chatId: 'sdk',
      messageId: undefined,
      messages,
      abortSignal: sending.signal,
    });
    const answer = await model.next();
    answer.say('Matilda ');
    sending.abort();
    const stream = await transport().reconnectToStream({ chatId: 'sdk' });
    answer.say('Oyelaran [1].');
    answer.end();
    const message = await readLastMessage(stream!);
    expect(message.metadata).toMatchObject({ model: 'gated', complete: true });
    const types = message.parts.map(({ type }) => type);
    expect(types).toEqual(['step-start', 'source-document', 'text', 'data-citations']);
    expect(message.parts[2]).toMatchObject({ text: 'Matilda Oyelaran [1].', state: 'done' });
    const { sourceId } = message.parts[1] as { sourceId: string };
    expect(message.parts[3]).toMatchObject({ data: { citations: [{ citation: 1, sourceId }] } });
  });

  it('returns null if there is nothing to resume', async () => {
    expect(await transport().reconnectToStream({ chatId: 'nobody knows' })).toBeNull();
  });

  it('reports an error', async () => {
    const stream = await transport().sendMessages({
      trigger: 'submit-message',
      chatId: 'sdk-error',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    });
    (await model.next()).cut();
    await expect(readLastMessage(stream)).rejects.toThrow('The answer could not be completed');
  });
});

function eventsIn(text: string): Record<string, unknown>[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)));
}

const textIn = (events: Record<string, unknown>[]) =>
  events
    .filter(({ type }) => type === 'text-delta')
    .map(({ delta }) => delta)
    .join('');
