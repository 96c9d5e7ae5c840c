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
] as const)('%s asks for %s', (accept, name) => {
  expect(protocolFor(accept)).toBe(name);
});

const linesOf = (chunks: UIMessageChunk[]) =>
  chunks
    .map(protocols.data.encode)
    .join('')
    .split('\n')
    .filter(Boolean)
    .map((line) => [line[0], JSON.parse(line.slice(2))]);

it('lines have a code and JSON each', async () => {
  const job = jobOver(chunkSaying('The old bridge was built in 1902.'), {
    model: modelStreaming(whole('In 1902 [1].\nSo it says.')),
  });
  const chunks = await Array.fromAsync(chat(job, new AbortController().signal));
  const tokens = { promptTokens: null, completionTokens: null };
  expect(linesOf(chunks)).toEqual([
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
    // A mark is sent once its sentence is whole.
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

it('lines tell of errors', () => {
  const chunks: UIMessageChunk[] = [
    { type: 'error', errorText: 'It is away.' },
    { type: 'finish', finishReason: 'error' },
  ];
  expect(linesOf(chunks).map(([code]) => code)).toEqual(['3', 'd']);
});
