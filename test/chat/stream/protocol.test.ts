import type { UIMessageChunk } from 'ai';
import { expect, it } from 'vitest';
import { chat } from '#src/chat/index.ts';
import { protocolFor, protocols } from '#src/chat/stream/protocol.ts';
import { chunkSaying, jobOver, modelStreaming, whole } from '#test/support/chat-jobs.ts';

it.each([
  [null, 'ui'],
  ['*/*', 'ui'],
  ['text/event-stream', 'ui'],
  ['text/plain', 'data'],
  ['Text/Plain; charset=utf-8', 'data'],
  ['text/plain, text/event-stream', 'ui'],
] as const)('the Accept header %s selects the protocol %s', (accept, name) => {
  expect(protocolFor(accept)).toBe(name);
});

const encodeLines = (chunks: UIMessageChunk[]) =>
  chunks
    .map(protocols.data.encode)
    .join('')
    .split('\n')
    .filter(Boolean)
    .map((line) => [line[0], JSON.parse(line.slice(2))]);

it('each line has a code and a JSON value', async () => {
  const job = jobOver(chunkSaying('The old bridge was built in 1902.'), {
    model: modelStreaming(whole('In 1902 [1].\nSo it says.')),
  });
  const chunks = await Array.fromAsync(chat(job, new AbortController().signal));
  const tokens = { promptTokens: null, completionTokens: null };
  expect(encodeLines(chunks)).toEqual([
    ['f', { messageId: 'm' }],
    [
      '8',
      [{ type: 'metadata', data: expect.objectContaining({ model: 'm', retrieval: {}, session_id: 's' }) }],
    ],
    [
      '8',
      [
        {
          type: 'sources',
          data: { nodes: [expect.objectContaining({ id: 'chunk', title: 'bridge.pdf', citation: 1 })] },
        },
      ],
    ],
    // A citation mark is sent once its sentence is complete.
    ['0', 'In 1902'],
    ['0', ' [1]'],
    ['0', '.'],
    ['0', '\nSo it says.'],
    [
      '8',
      [
        {
          type: 'citations',
          data: {
            citations: [expect.objectContaining({ citation: 1, sourceId: 'chunk' })],
            usage: { input: 7, output: 3 },
          },
        },
      ],
    ],
    ['d', { finishReason: 'stop', usage: tokens }],
  ]);
});

it('an error is encoded as an error line and a finish line', () => {
  const chunks: UIMessageChunk[] = [
    { type: 'error', errorText: 'It is away.' },
    { type: 'finish', finishReason: 'error' },
  ];
  expect(encodeLines(chunks).map(([code]) => code)).toEqual(['3', 'd']);
});
