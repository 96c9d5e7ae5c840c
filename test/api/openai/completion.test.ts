import type { UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { unsupportedWarnings } from '#src/api/openai/chat-request.ts';
import { buildCompletion, type Frame, streamCompletion } from '#src/api/openai/completion.ts';
import { uiMessageStream } from '#src/chat/stream/ui-message-stream.ts';
import { completion, completionChunk, failure } from '#test/support/openai-shapes.ts';

const request = { model: 'm', messages: [], top_p: 0.5, max_tokens: 5 };
const frame: Frame = {
  id: 'chatcmpl-1',
  model: 'm',
  created: 1,
  origin: 'https://sluice.example',
  asked: ['How high?'],
  warnings: [],
  listWarnings: (unsupported) => unsupportedWarnings(unsupported, request as never),
  isJson: false,
  includeUsage: true,
};

const source = (sluice: object): UIMessageChunk => ({
  type: 'source-document',
  sourceId: 'n',
  mediaType: 'text/plain',
  title: 'tower.pdf',
  providerMetadata: {
    sluice: {
      node_id: 'n 1',
      pipeline_id: 'p',
      document_id: 'd',
      file_id: null,
      page_label: null,
      ...sluice,
    },
  },
});
const START: UIMessageChunk = { type: 'start', messageMetadata: { model: 'm', retrieval: {} } };
const text = (delta: string): UIMessageChunk => ({ type: 'text-delta', id: 't', delta });
const finish = (finishReason: 'stop' | 'length' | 'content-filter' | 'error', more = {}): UIMessageChunk => ({
  type: 'finish',
  finishReason,
  messageMetadata: more,
});

/** Returns an answer as the chat stream object encodes it, split into chunks of seven bytes. */
function createAnswer(chunks: UIMessageChunk[]): ReadableStream<Uint8Array> {
  const written = `:\n\n${chunks.map(uiMessageStream.encode).join(':\n\n')}${uiMessageStream.end}`;
  const bytes = new TextEncoder().encode(written);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
      controller.close();
    },
  });
}

const whole = (...chunks: UIMessageChunk[]) => buildCompletion(createAnswer([START, ...chunks]), frame);
const readEvents = async (...chunks: UIMessageChunk[]) =>
  (await new Response(streamCompletion(createAnswer([START, ...chunks]), frame)).text())
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length));

describe('a converted answer', () => {
  it('has an annotation for each citation mark and source', async () => {
    const said = 'Hoch – 40 m 🗼 [1, 2]. Old [2][7].';
    const paged = { file_id: 'f', page_label: '3' };
    const answer = await whole(
      source(paged),
      source({ web_url: 'https://w.example/' }),
      text(said),
      finish('stop'),
    );
    completion.parse(answer);
    const { annotations } = answer.choices[0]!.message;
    expect(
      annotations.map(({ url_citation: { url, title, start_index, end_index } }) => [
        said.slice(start_index, end_index),
        url,
        title,
      ]),
    ).toEqual([
      ['[1, 2]', 'https://sluice.example/console/indexes/p/files/f?page=3&node=n+1', 'tower.pdf, page 3'],
      ['[1, 2]', 'https://w.example/', 'tower.pdf'],
      ['[2]', 'https://w.example/', 'tower.pdf'],
    ]);
  });

  it('limits the number of annotations', async () => {
    const sources = Array.from({ length: 100 }, () => source({}));
    const answer = await whole(...sources, text('[1-100] '.repeat(5_000)), finish('stop'));
    expect(answer.choices[0]!.message.annotations).toHaveLength(1_000);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content-filter', 'content_filter'],
  ] as const)('that ended with %s has the finish reason %s', async (reason, said) => {
    expect((await whole(text('a'), finish(reason))).choices[0]!.finish_reason).toBe(said);
    const events = await readEvents(text('a'), finish(reason));
    expect(JSON.parse(events.at(-3)!).choices[0].finish_reason).toBe(said);
  });

  it('has the token counts of the model', async () => {
    const counted: UIMessageChunk = {
      type: 'data-citations',
      data: { citations: [], usage: { input: 70, output: 3 } },
    };
    const usage = { prompt_tokens: 70, completion_tokens: 3, total_tokens: 73 };
    expect((await whole(text('a'), counted, finish('stop'))).usage).toEqual(usage);
    const events = await readEvents(text('a'), counted, finish('stop'));
    for (const event of events.slice(0, -1)) completionChunk.parse(JSON.parse(event));
    expect(JSON.parse(events.at(-2)!).usage).toEqual(usage);
  });

  it('warns about settings that the model does not support, with the names of the request', async () => {
    const ended = finish('stop', { unsupported: ['topP', 'maxOutputTokens', 'topK'] });
    const fields = [{ field: 'top_p' }, { field: 'max_tokens' }];
    expect((await whole(text('a'), ended)).warnings).toMatchObject(fields);
    const events = await readEvents(text('a'), ended);
    expect(JSON.parse(events.at(-3)!).warnings).toMatchObject(fields);
  });
});

describe('a failed answer', () => {
  const error: UIMessageChunk = { type: 'error', errorText: 'The model is away.' };
  const failed = finish('error', { failure: { code: 'upstream', retryable: false } });

  it('throws the original error', async () => {
    await expect(whole(text('a'), error, failed)).rejects.toMatchObject({
      code: 'upstream',
      message: 'The model is away.',
    });
    const abort: UIMessageChunk = { type: 'abort', reason: 'The answer was stopped.' };
    await expect(whole(text('a'), abort)).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  });

  it('ends its stream with the error', async () => {
    const events = await readEvents(text('a'), error, failed);
    const told = failure.parse(JSON.parse(events.at(-1)!));
    expect(told.error).toMatchObject({ type: 'server_error', message: 'The model is away.' });
    expect(events).not.toContain('[DONE]');
  });

  it('is cancelled when the reader cancels', async () => {
    let left = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(uiMessageStream.encode(text('a')))),
      cancel() {
        left = true;
      },
    });
    const reader = streamCompletion(endless, frame).getReader();
    await reader.read();
    await reader.cancel();
    expect(left).toBe(true);
  });
});
