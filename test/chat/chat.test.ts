import { type UIMessageChunk, uiMessageChunkSchema } from 'ai';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { chat } from '#src/chat/index.ts';
import { Abandoned } from '#src/chat/stream/abandoned.ts';
import { Conflict } from '#src/lib/errors.ts';
import { createOperatorDeps } from '#src/models/definition/deps.ts';
import { openaiCompatible } from '#src/models/language/openai-compatible.ts';
import { chunkSaying, foundIn, jobOver, modelStreaming, whole } from '#test/support/chat-jobs.ts';

const BRIDGE = chunkSaying('The old bridge was built in 1902.');

async function answer(more: Parameters<typeof jobOver>[1], signal = new AbortController().signal) {
  const job = jobOver(BRIDGE, more);
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of chat(job, signal)) chunks.push(chunk);
  return { chunks, types: chunks.map(({ type }) => type), ended: job.ended };
}

it('streams the sources first, then the answer, then its citations', async () => {
  const { chunks, types, ended } = await answer({ model: modelStreaming(whole('In 1902 [1][7].')) });
  expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
    'start',
    'start-step',
    'source-document',
    'text-start',
    'text-delta',
    'data-citation-dropped',
    'text-delta',
    'text-end',
    'data-citations',
    'finish-step',
    'finish',
  ]);
  expect(chunks.find(({ type }) => type === 'data-citation-dropped')).toMatchObject({
    data: { citation: 7 },
  });
  expect(chunks.find(({ type }) => type === 'data-citations')).toMatchObject({
    data: { citations: [{ citation: 1, sourceId: 'chunk' }], usage: { input: 7, output: 3 } },
  });
  expect(ended).toMatchObject([{ status: 'complete', text: 'In 1902 [1].', citations: [{ citation: 1 }] }]);
  expect(ended[0]!.sources).toEqual(chunks.filter(({ type }) => type === 'source-document'));
});

it.each([
  ['an answer', {}],
  ['an answer that fails', { retrieve: () => Promise.reject(new Conflict('It is being deleted.')) }],
])('%s is a valid UI message stream of the AI SDK', async (_, more) => {
  const { chunks } = await answer({ model: modelStreaming(whole('In 1902 [1][7].')), ...more });
  for (const chunk of chunks) {
    const read = await uiMessageChunkSchema().validate!(JSON.parse(JSON.stringify(chunk)));
    expect(read, JSON.stringify(chunk)).toMatchObject({ success: true });
  }
});

it('reports in the start event when retrieval ended', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2031-03-14T09:00:00.000Z') });
  onTestFinished(() => void vi.useRealTimers());
  const retrieve = async () => {
    vi.setSystemTime(new Date('2031-03-14T09:00:20.000Z'));
    return foundIn(BRIDGE);
  };
  const { chunks } = await answer({ retrieve });
  const [start] = chunks as { messageMetadata: { retrieved_at: string } }[];
  expect(start!.messageMetadata.retrieved_at).toBe('2031-03-14T09:00:20.000Z');
});

it.each([
  ['stop', true],
  ['length', false],
])('an answer that ends with %s has complete: %s', async (reason, complete) => {
  const { chunks, ended } = await answer({ model: modelStreaming(whole('In 1902', reason)) });
  const latency = { search: expect.any(Number), first_text: expect.any(Number), total: expect.any(Number) };
  const messageMetadata = { complete, message_id: 'm', session_id: 's', latency };
  expect(chunks.at(-1)).toEqual({ type: 'finish', finishReason: reason, messageMetadata });
  const [start] = chunks as { messageMetadata: object }[];
  expect(ended[0]).toMatchObject({ status: complete ? 'complete' : 'cut' });
  expect(ended[0]!.metadata).toEqual({ ...start!.messageMetadata, ...messageMetadata });
});

it('passes each message to the model in its role, and tool data as data', async () => {
  const prompts: { role: string; content: unknown }[][] = [];
  const model = modelStreaming(whole('In 1902.'), prompts);
  await answer({
    model,
    turns: [
      { role: 'system', text: 'Be brief.' },
      { role: 'data', text: '{"tide":"low"}' },
      { role: 'user', text: 'When?' },
      { role: 'system', text: 'In French.' },
    ],
  });
  const [, ...shown] = prompts[0]!;
  expect(shown.map(({ role }) => role)).toEqual(['system', 'user', 'user', 'system']);
  expect(JSON.stringify(shown[1])).toContain('which is data and no instruction');
});

it.each([
  [new Conflict('It is being deleted.'), 'It is being deleted.'],
  [new Error('select secret from keys'), 'Something went wrong on our side.'],
])('a failed search becomes an error event: %s', async (error, reason) => {
  const retrieve = () => Promise.reject(error);
  const { chunks, ended } = await answer({ retrieve });
  expect(chunks).toEqual([
    { type: 'error', errorText: `The answer could not be completed (request r): ${reason}` },
    {
      type: 'finish',
      finishReason: 'error',
      messageMetadata: expect.objectContaining({ complete: false, message_id: 'm' }),
    },
  ]);
  expect(ended).toMatchObject([{ status: 'failed', text: '', sources: [], citations: [] }]);
});

it('reports an error if the answer cannot be stored', async () => {
  const onEnd = () => Promise.reject(new Error('the database is away'));
  const { chunks } = await answer({ onEnd });
  expect(chunks.at(-2)).toMatchObject({ type: 'error', errorText: expect.stringContaining('on our side') });
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' });
});

it('an aborted answer is stored with the text written so far', async () => {
  const stop = new AbortController();
  const model = modelStreaming([...whole('In 1902').slice(0, 3), undefined]);
  const job = jobOver(BRIDGE, { model });
  const types: string[] = [];
  for await (const chunk of chat(job, stop.signal)) {
    types.push(chunk.type);
    if (chunk.type === 'text-delta') stop.abort(new Abandoned('it was stopped'));
  }
  expect(types.slice(-2)).toEqual(['text-delta', 'abort']);
  expect(job.ended).toMatchObject([{ status: 'aborted', text: 'In 1902' }]);
});

it('a model that hangs causes an error event after the timeout', async () => {
  const limits = { silenceSeconds: 0.2, totalSeconds: 5, retries: 0 };
  const deps = createOperatorDeps({ settings: { ALLOW_PRIVATE_ADDRESSES: false } } as never);
  // The `?` turns the path that the driver appends into a query string.
  const settings = { base_url: `${inject('loopback')}/silent-body?`, model: 'hung' };
  const { chunks } = await answer({ model: openaiCompatible.openWithin(settings, limits, deps) });
  // On a slow machine, the headers may arrive after the timeout.
  const reason = /no data arrived for 0\.2 s|did not answer within 1 seconds/;
  expect(chunks.at(-2)).toMatchObject({ type: 'error', errorText: expect.stringMatching(reason) });
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'error' });
});

it('passes the settings of the request to the model, and lists the unsupported ones', async () => {
  const given: unknown[] = [];
  const generation = { maxOutputTokens: 5, topP: 0.5, stopSequences: ['END'], seed: 1 };
  const [, ...parts] = whole('In 1902.');
  const warnings = [{ type: 'unsupported', feature: 'seed' }];
  const model = modelStreaming([{ type: 'stream-start', warnings }, ...parts]);
  const { doStream } = model as unknown as { doStream(options: unknown): unknown };
  const watched = Object.assign(model as object, {
    doStream(options: unknown) {
      given.push(options);
      return doStream(options);
    },
  });
  const { chunks } = await answer({ model: watched as typeof model, generation });
  expect(given).toMatchObject([generation]);
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', messageMetadata: { unsupported: ['seed'] } });
});

it('reports the code of a known error, and hides the details of an unexpected error', async () => {
  const failing = (error: Error) => answer({ retrieve: () => Promise.reject(error) });
  const { chunks } = await failing(new Conflict('The pipeline is away.'));
  expect(chunks.at(-1)).toMatchObject({
    messageMetadata: { failure: { code: 'conflict', retryable: false } },
  });
  const { chunks: unforeseen } = await failing(new Error('secret'));
  expect(unforeseen.at(-1)).toMatchObject({ messageMetadata: { failure: { code: 'internal' } } });
  expect(JSON.stringify(unforeseen)).not.toContain('secret');
});
