import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { vision } from '#src/models/ocr/vision.ts';
import { workersAi } from '#src/models/ocr/workers-ai.ts';
import { Unreadable } from '#src/ports/ocr.ts';
import { ocrSuite } from '#test/suites/ocr.suite.ts';
import { modelDeps } from '#test/support/models.ts';

// Both models receive the same picture: a PNG signature and one number.
const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
const picture = (content: number) => async () => ({
  bytes: Uint8Array.of(...SIGNATURE, content),
  mimeType: 'image/png',
  width: 20,
  height: 10,
});
const [page, empty] = [picture(1), picture(0)];
const SAYS = ['Harbour master', 'Matilda Oyelaran'];

/** Returns the text in a picture, or `undefined` if the URL is no picture. */
function seen(url: unknown): string | undefined {
  const [, data] = /^data:image\/png;base64,(.+)$/.exec(String(url)) ?? [];
  const bytes = atob(data ?? '');
  if (!bytes.startsWith(String.fromCharCode(...SIGNATURE))) return undefined;
  return bytes.charCodeAt(SIGNATURE.length) === 0
    ? 'NOTHING'
    : `\`\`\`markdown\n# ${SAYS.join('\n\n')}\n\`\`\``;
}

interface Content {
  type: string;
  text?: string;
  image_url?: { url: string };
}

/** Returns the content of the single message, or `undefined` if the request is invalid. */
function readContent(messages: unknown): [Content, Content] | undefined {
  const [message, ...others] = (messages ?? []) as { role: string; content: Content[] }[];
  const [text, image] = message?.content ?? [];
  const isKnown =
    others.length === 0 && message?.role === 'user' && text?.type === 'text' && image?.type === 'image_url';
  return isKnown ? [text, image] : undefined;
}

let trouble: (() => Response | Promise<never>) | undefined;
let finish = 'stop';
let asked: { prompt: string; key: string | null }[] = [];

/** Chat completions endpoint for requests with one picture. */
async function serve(request: Request): Promise<Response> {
  const refused = (status: number) => Response.json({ error: { message: 'refused' } }, { status });
  if (request.url !== 'http://ocr.test/v1/chat/completions') return refused(404);
  const body = (await request.json()) as Record<string, unknown>;
  const content = readContent(body.messages);
  if (!content || body.model !== 'eye' || body.stream === true) return refused(404);
  asked.push({ prompt: content[0].text ?? '', key: request.headers.get('authorization') });
  if (trouble) return trouble();
  const answer = seen(content[1].image_url?.url);
  if (answer === undefined) return refused(400);
  const message = { role: 'assistant', content: answer };
  const choices = [{ index: 0, message, finish_reason: finish }];
  return Response.json({ id: 'x', object: 'chat.completion', created: 0, model: 'eye', choices });
}

beforeEach(() => {
  trouble = undefined;
  finish = 'stop';
  asked = [];
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) =>
    serve(new Request(input, { ...init, signal: null })),
  );
});
afterEach(() => vi.unstubAllGlobals());

const settings = { base_url: 'http://ocr.test/v1', model: 'eye', api_key: 'secret' };
const open = (given: object = {}) => vision.open({ ...settings, ...given }, modelDeps());
const status = (code: number, headers = {}) =>
  new Response('{"error":{"message":"no"}}', { status: code, headers });

ocrSuite({
  name: 'vision endpoint',
  capabilities: vision.capabilities,
  open,
  openBroken() {
    trouble = () => status(503, { 'retry-after': '60' });
    return open();
  },
  openHanging() {
    trouble = () => new Promise<never>(() => {});
    return open({ timeout: 0.05 });
  },
  page,
  says: SAYS,
  empty,
  languages: { read: ['de', 'fr'] },
});

describe('vision endpoint', () => {
  it('receives the languages and the key', async () => {
    await open().recognise(await page(), ['de', 'fr']);
    expect(asked).toEqual([{ prompt: expect.stringContaining('codes: de, fr'), key: 'Bearer secret' }]);
  });

  it.each([400, 413, 422])(
    'leaves the page unread if the endpoint rejects the picture with %d',
    async (code) => {
      trouble = () => status(code);
      await expect(open().recognise(await page(), [])).rejects.toBeInstanceOf(Unreadable);
    },
  );

  it('leaves the page unread if the content filter rejects the picture', async () => {
    finish = 'content_filter';
    await expect(open().recognise(await page(), [])).rejects.toBeInstanceOf(Unreadable);
  });

  it.each([401, 403, 404])('fails permanently if the endpoint rejects the call with %d', async (code) => {
    trouble = () => status(code);
    const reading = open().recognise(await page(), []);
    await expect(reading).rejects.toMatchObject({ code: 'upstream', retryable: false, status: code });
  });

  it('passes on Retry-After if the endpoint is busy', async () => {
    trouble = () => status(429, { 'retry-after': '70' });
    const reading = open().recognise(await page(), []);
    await expect(reading).rejects.toMatchObject({ code: 'upstream', retryable: true, retryAfter: 70 });
    expect(asked).toHaveLength(1);
  });

  it('is retryable if the endpoint returns no completion', async () => {
    trouble = () => new Response('<html>');
    await expect(open().recognise(await page(), [])).rejects.toMatchObject({ retryable: true });
  });
});

/** Returns a fake binding with the published interface. */
const binding = (answer: (said: string) => unknown) => ({
  async run(model: string, input: Record<string, unknown>) {
    const content = readContent(input.messages);
    if (model !== '@cf/eye' || !content) throw new Error('5007: no such model');
    const said = seen(content[1].image_url?.url);
    return said === undefined ? { tags: [] } : answer(said);
  },
});

describe.each([
  ['its own shape', (response: string) => ({ response })],
  ['the shape of the OpenAI protocol', (content: string) => ({ choices: [{ message: { content } }] })],
])('Workers AI with answers in %s', (_, answer) => {
  const openWith = (AI: Parameters<typeof modelDeps>[0] = { AI: binding(answer) }, timeout = 5) =>
    workersAi.open({ model: '@cf/eye', timeout }, modelDeps(AI));
  ocrSuite({
    name: 'Workers AI',
    capabilities: workersAi.capabilities,
    open: () => openWith(),
    openBroken: () => openWith({ AI: { run: () => Promise.reject(new Error('out of capacity')) } }),
    openHanging: () => openWith({ AI: { run: () => new Promise(() => {}) } }, 0.05),
    page,
    says: SAYS,
    empty,
    languages: { read: ['de'] },
  });
});
