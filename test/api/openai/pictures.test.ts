import { env } from 'cloudflare:workers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { storedResponses } from '#src/db/schema/index.ts';
import { call } from '#test/support/client.ts';
import { clientOf } from '#test/support/configured.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { MODEL_SETTINGS, type ModelCall, ModelEndpoint } from './model-endpoint.ts';

const QUESTION = 'When was the Corran bridge opened?';
const BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PNG = Uint8Array.from(atob(BASE64), (char) => char.charCodeAt(0));
const DATA = `data:image/png;base64,${BASE64}`;
const REMOTE = 'https://93.184.215.14/bridge.png';
let model: string;
let endpoint: ModelEndpoint;
/** Body of the remote picture. */
let remote: BodyInit;

beforeAll(async () => {
  const id = await createPipeline();
  await addFiles(id, { 'corran.txt': 'The Corran bridge was opened in 1893.' });
  await sync(id);
  model = `pipeline-${id}`;
});
beforeEach(() => {
  vi.restoreAllMocks();
  remote = PNG;
  endpoint = new ModelEndpoint().listen();
  const spy = vi.mocked(globalThis.fetch);
  const others = spy.getMockImplementation()!;
  spy.mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return url === REMOTE ? new Response(remote) : others(input, init);
  });
});
afterAll(() => void vi.restoreAllMocks());

const picture = (url: unknown) => ({ type: 'image_url', image_url: { url } });
const text = { type: 'text', text: QUESTION };
const listShown = ({ messages }: ModelCall) => messages.filter(({ role }) => role === 'user').at(-1)!.content;

describe('pictures in messages, with a language model', () => {
  const client = clientOf(String(env.BOOTSTRAP_API_KEY), MODEL_SETTINGS);
  const ask = (path: string, body: object) =>
    client<{ error?: { message: string; param: string } }>('POST', path, { model, ...body });
  const chat = (content: unknown[]) =>
    ask('/openai/v1/chat/completions', { messages: [{ role: 'user', content }] });
  const SHOWN = [text, { type: 'image_url', image_url: { url: DATA } }];

  it.each([DATA, REMOTE])('reach the model with the question: %s', async (url) => {
    expect((await chat([text, picture(url)])).status).toBe(200);
    expect(endpoint.calls.map(listShown)).toEqual([SHOWN]);
  });

  it('reach the model through the Responses API, and are not stored', async () => {
    const content = [
      { type: 'input_text', text: QUESTION },
      { type: 'input_image', image_url: DATA, detail: 'auto' },
    ];
    const answer = await ask('/openai/v1/responses', { input: [{ role: 'user', content }], store: true });
    expect(answer.status).toBe(200);
    expect(endpoint.calls.map(listShown)).toEqual([SHOWN]);
    const rows = await openDatabase(env.DB).select().from(storedResponses);
    expect(JSON.stringify(rows)).not.toContain(DATA);
    expect(JSON.stringify(rows)).toContain('A picture that was not stored.');
  });

  it('are refused clearly if the model refuses them', async () => {
    endpoint.reply = () => ({ status: 400 });
    const { status, body } = await chat([text, picture(DATA)]);
    expect(status).toBe(502);
    expect(body.error!.message).toContain(
      'refused a request with pictures. Choose a model that takes pictures',
    );
  });

  /** A picture of 3.5 MiB. Three of them exceed the limit of a conversation. */
  const large = `${DATA.slice(0, -4)}${'A'.repeat(4_900_000)}`;
  const tooLarge = `data:image/png;base64,${'A'.repeat(7 * 2 ** 20)}`;
  it.each([
    ['no address', [text, picture(undefined)], 'data: URL'],
    ['an unencrypted address', [text, picture('http://93.184.215.14/a.png')], 'https URL'],
    ['text as data', [text, picture('data:image/png,abc')], 'base64'],
    ['broken base64', [text, picture('data:image/png;base64,a*b')], 'base64'],
    ['another format', [text, picture(`data:image/png;base64,${btoa('<svg/>')}`)], 'PNG, JPEG, GIF or WebP'],
    ['a large picture', [text, picture(tooLarge)], '5 MiB'],
    ['pictures that are too large together', [text, ...Array(3).fill(picture(large))], '10 MiB together'],
    ['a long beginning', [text, picture(`data:image/png;${'a=b;'.repeat(500)}base64,${BASE64}`)], 'base64'],
    ['many pictures', [text, ...Array(21).fill(picture(DATA))], '20 pictures'],
    ['no question', [picture(DATA)], 'write a question'],
  ])('are refused with the field: %s', async (_, content, words) => {
    const { status, body } = await chat(content);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      param: expect.stringMatching(/^messages/),
      message: expect.stringContaining(words),
    });
    expect(endpoint.calls).toEqual([]);
  });

  it('are not fetched beyond the size limit, nor from private addresses', async () => {
    remote = new Uint8Array(6 * 2 ** 20);
    expect((await chat([text, picture(REMOTE)])).status).toBe(400);
    const { status, body } = await chat([text, picture('https://169.254.169.254/latest/meta-data')]);
    expect([status, body.error!.message]).toEqual([400, expect.stringContaining('not public')]);
    expect(endpoint.calls).toEqual([]);
  });
});

it('pictures in messages are refused without a language model', async () => {
  const body = { model, messages: [{ role: 'user', content: [text, picture(DATA)] }] };
  const answer = await call<{ error: { message: string } }>('POST', '/openai/v1/chat/completions', { body });
  expect([answer.status, answer.body.error.message]).toEqual([
    400,
    expect.stringContaining('only a language model reads pictures'),
  ]);
});
