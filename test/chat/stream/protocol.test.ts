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

const END_LINE = '"usage":{"promptTokens":null,"completionTokens":null}}\n';

it.each<[string, UIMessageChunk, string]>([
  [
    'the start of a message with an id',
    { type: 'start', messageId: 'm', messageMetadata: { model: 'gull' } },
    'f:{"messageId":"m"}\n8:[{"type":"metadata","data":{"model":"gull"}}]\n',
  ],
  [
    'the start of a message without an id',
    { type: 'start', messageMetadata: {} },
    '8:[{"type":"metadata","data":{}}]\n',
  ],
  [
    'a source',
    {
      type: 'source-document',
      sourceId: 'chunk',
      mediaType: 'application/pdf',
      title: 'bridge.pdf',
      providerMetadata: { sluice: { citation: 1 } },
    },
    '8:[{"type":"sources","data":{"nodes":[{"id":"chunk","title":"bridge.pdf","citation":1}]}}]\n',
  ],
  [
    'a text with quotes and a line break',
    { type: 'text-delta', id: 't', delta: 'In "1902"\n' },
    '0:"In \\"1902\\"\\n"\n',
  ],
  [
    'citations',
    { type: 'data-citations', data: { citations: [] } },
    '8:[{"type":"citations","data":{"citations":[]}}]\n',
  ],
  [
    'a dropped citation',
    { type: 'data-citation-dropped', data: { citation: 7 } },
    '8:[{"type":"citation_dropped","data":{"citation":7}}]\n',
  ],
  ['an error', { type: 'error', errorText: 'It is away.' }, '3:"It is away."\n'],
  ['an abort', { type: 'abort', reason: 'It was stopped.' }, `d:{"finishReason":"other",${END_LINE}`],
  [
    'the end of an answer with its reason',
    { type: 'finish', finishReason: 'length' },
    `d:{"finishReason":"length",${END_LINE}`,
  ],
  ['the end of an answer without a reason', { type: 'finish' }, `d:{"finishReason":"unknown",${END_LINE}`],
  ['a part without an equivalent as nothing', { type: 'text-start', id: 't' }, ''],
])('the line protocol encodes %s', (_, chunk, lines) => {
  expect(protocols.data.encode(chunk)).toBe(lines);
});
