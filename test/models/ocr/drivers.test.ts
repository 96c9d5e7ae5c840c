import { describe, expect, it } from 'vitest';
import { builtinOcr } from '#src/models/ocr/builtin.ts';
import { Unreadable } from '#src/models/ocr/ocr.ts';
import { configuredOcr } from '#src/models/ocr/registry.ts';
import { ocrSettingsOf } from '#src/models/ocr/settings.ts';
import { visionOcr } from '#src/models/ocr/vision.ts';
import { workersAiOcr } from '#src/models/ocr/workers-ai.ts';

const picture = { bytes: Uint8Array.of(1, 2, 3), mimeType: 'image/png' as const, width: 20, height: 10 };
const word = (text: string, x: number) => ({ text, x, y: 4, w: 8, h: 6, confidence: 0.9 });

/** The endpoint of the protocol as seen from here: what it was asked, and what it answers. */
function endpoint(answer: { status?: number; content?: string; finish?: string }) {
  const asked: { url: string; headers: Headers; body: Record<string, unknown> }[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    asked.push({ url: request.url, headers: request.headers, body: await request.json() });
    if (answer.status) return Response.json({ error: { message: 'no' } }, { status: answer.status });
    const message = { role: 'assistant', content: answer.content };
    const choices = [{ index: 0, message, finish_reason: answer.finish ?? 'stop' }];
    return Response.json({ id: 'x', object: 'chat.completion', created: 0, model: 'eye', choices });
  };
  return { asked, fetch };
}

const vision = (fetch: typeof globalThis.fetch) =>
  visionOcr({ baseURL: 'http://ocr.test/v1', model: 'eye', apiKey: 'secret', fetch });

describe('a vision endpoint', () => {
  it('is sent the picture and the languages, and answers Markdown', async () => {
    const { asked, fetch } = endpoint({ content: '```markdown\n# Title\n\nText\n```' });
    const read = await vision(fetch).recognise(picture, ['de']);
    expect(read).toEqual({ format: 'markdown', text: '# Title\n\nText', words: [] });
    const [{ url, headers, body }] = asked as [(typeof asked)[0]];
    expect(url).toBe('http://ocr.test/v1/chat/completions');
    expect(headers.get('authorization')).toBe('Bearer secret');
    expect(body.model).toBe('eye');
    const [message] = body.messages as [{ content: Record<string, unknown>[] }];
    expect(message.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('codes: de') });
    expect(message.content[1]).toMatchObject({
      type: 'image_url',
      image_url: { url: 'data:image/png;base64,AQID' },
    });
  });

  it('may find nothing', async () => {
    expect((await vision(endpoint({ content: 'NOTHING' }).fetch).recognise(picture, [])).text).toBe('');
  });

  it.each([400, 413])('that refuses the picture with %d leaves the page unread', async (status) => {
    const reading = vision(endpoint({ status }).fetch).recognise(picture, []);
    await expect(reading).rejects.toBeInstanceOf(Unreadable);
  });

  it('that refuses the key fails for good', async () => {
    const reading = vision(endpoint({ status: 401 }).fetch).recognise(picture, []);
    await expect(reading).rejects.toMatchObject({ code: 'upstream', retryable: false });
  });

  it('that is busy is worth another try', async () => {
    const busy = visionOcr({
      baseURL: 'http://ocr.test/v1',
      model: 'eye',
      fetch: async () => new Response('busy', { status: 429, headers: { 'retry-after-ms': '1' } }),
    });
    await expect(busy.recognise(picture, [])).rejects.toMatchObject({ code: 'upstream', retryable: true });
  });
});

describe('Workers AI', () => {
  it.each([
    ['its own shape', { response: 'Read.' }],
    ['the shape of the OpenAI protocol', { choices: [{ message: { content: 'Read.' } }] }],
  ])('answers in %s', async (_, answer) => {
    const calls: unknown[] = [];
    const run = async (model: string, input: Record<string, unknown>) => {
      calls.push([model, input]);
      return answer;
    };
    const read = await workersAiOcr({ run }, '@cf/eye').recognise(picture, []);
    expect(read.text).toBe('Read.');
    expect(JSON.stringify(calls)).toContain('data:image/png;base64,AQID');
  });

  it('leaves the page unread when the answer is no text', async () => {
    const reading = workersAiOcr({ run: async () => ({ tags: [] }) }, '@cf/eye').recognise(picture, []);
    await expect(reading).rejects.toBeInstanceOf(Unreadable);
  });
});

describe('the built-in engine', () => {
  it('joins lines and divided words, and keeps every word with its box', async () => {
    const lines = [
      [word('Tele-', 0)],
      [word('phone', 1), word('rings', 10)],
      [word('North-', 0)],
      [word('South', 3)],
    ];
    const recognise = async () => ({ paragraphs: [lines, [[word('End.', 0)]]], confidence: 0.9 });
    const read = await builtinOcr({ recognise }).recognise(picture, []);
    expect(read.text).toBe('Telephone rings North- South\n\nEnd.');
    expect(read.words.map(({ text }) => text)).toEqual([
      'Tele-',
      'phone',
      'rings',
      'North-',
      'South',
      'End.',
    ]);
    expect(read.words[2]).toEqual({ text: 'rings', box: { x: 10, y: 4, w: 8, h: 6 }, confidence: 0.9 });
    expect(read.confidence).toBe(0.9);
  });

  it('leaves unread what it refuses, and is asked again when it is out', async () => {
    const refusing = builtinOcr({ recognise: async () => ({ refused: 'no model' }) });
    await expect(refusing.recognise(picture, ['ja'])).rejects.toThrow(new Unreadable('no model'));
    const out = builtinOcr({ recognise: () => Promise.reject(new Error('gone')) });
    await expect(out.recognise(picture, [])).rejects.toMatchObject({ code: 'upstream', retryable: true });
  });
});

describe('the engine that is used', () => {
  const llm = { LLM_BASE_URL: 'http://llm.test/v1', LLM_MODEL: 'talker' };
  const OCR_ENGINE = { recognise: async () => ({ refused: '' }) };
  it.each<[string, Record<string, unknown>, string | undefined]>([
    ['none without any', {}, undefined],
    ['the built-in one by default', { OCR_ENGINE, ...llm }, 'builtin/tesseract'],
    ['the chat model where there is nothing else', llm, 'vision/talker'],
    ['a model of its own at the chat endpoint', { OCR_ENGINE, ...llm, OCR_MODEL: 'eye' }, 'vision/eye'],
    ['an endpoint of its own', { OCR_BASE_URL: 'http://o.test/v1', OCR_MODEL: 'eye' }, 'vision/eye'],
    ['Workers AI by its model’s name', { OCR_ENGINE, AI: {}, OCR_MODEL: '@cf/eye' }, 'workers-ai/@cf/eye'],
  ])('is %s', (_, extra, id) => {
    expect(configuredOcr(ocrSettingsOf(extra), extra)?.id).toBe(id);
  });
});
