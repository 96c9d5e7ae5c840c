import type { UIMessageChunk } from 'ai';
import type { Protocol } from './protocol.ts';

const formatLine = (code: string, value: unknown) => `${code}:${JSON.stringify(value)}\n`;

/** Line protocol of AI SDK versions 3 and 4. Each line consists of a type code, a colon and JSON. */
export const dataStream: Protocol = {
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-cache',
    'x-vercel-ai-data-stream': 'v1',
    'x-accel-buffering': 'no',
  },
  encode,
  // Data line with an empty list, which clients ignore.
  heartbeat: '2:[]\n',
  end: '',
};

function encode(chunk: UIMessageChunk): string {
  switch (chunk.type) {
    case 'start':
      return (
        (chunk.messageId ? formatLine('f', { messageId: chunk.messageId }) : '') +
        formatLine('8', [{ type: 'metadata', data: chunk.messageMetadata }])
      );
    case 'source-document':
      return formatLine('8', [{ type: 'sources', data: { nodes: [toNode(chunk)] } }]);
    case 'text-delta':
      return formatLine('0', chunk.delta);
    case 'data-citations':
      return formatLine('8', [{ type: 'citations', data: chunk.data }]);
    case 'data-citation-dropped':
      return formatLine('8', [{ type: 'citation_dropped', data: chunk.data }]);
    case 'error':
      return formatLine('3', chunk.errorText);
    case 'abort':
      return formatLine('d', { finishReason: 'other', usage: NO_USAGE });
    case 'finish':
      return formatLine('d', { finishReason: chunk.finishReason ?? 'unknown', usage: NO_USAGE });
    default:
      return '';
  }
}

/**
 * Empty token counts, which the protocol requires in its last line. The real counts are sent together with
 * the citations.
 */
const NO_USAGE = { promptTokens: null, completionTokens: null };

function toNode({ sourceId, title, providerMetadata }: Extract<UIMessageChunk, { type: 'source-document' }>) {
  return { id: sourceId, title, ...providerMetadata?.sluice };
}
