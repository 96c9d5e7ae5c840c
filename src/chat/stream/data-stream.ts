import type { UIMessageChunk } from 'ai';
import type { Protocol } from './protocol.ts';

const line = (code: string, value: unknown) => `${code}:${JSON.stringify(value)}\n`;

/** Line protocol of the AI SDK versions 3 and 4. Each line has a code, a colon and JSON. */
export const dataStream: Protocol = {
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-cache',
    'x-vercel-ai-data-stream': 'v1',
    'x-accel-buffering': 'no',
  },
  encode,
  // A data line without items.
  heartbeat: '2:[]\n',
  end: '',
};

function encode(chunk: UIMessageChunk): string {
  switch (chunk.type) {
    case 'start':
      return (
        (chunk.messageId ? line('f', { messageId: chunk.messageId }) : '') +
        line('8', [{ type: 'metadata', data: chunk.messageMetadata }])
      );
    case 'source-document':
      return line('8', [{ type: 'sources', data: { nodes: [nodeOf(chunk)] } }]);
    case 'text-delta':
      return line('0', chunk.delta);
    case 'data-citations':
      return line('8', [{ type: 'citations', data: chunk.data }]);
    case 'data-citation-dropped':
      return line('8', [{ type: 'citation_dropped', data: chunk.data }]);
    case 'error':
      return line('3', chunk.errorText);
    case 'abort':
      return line('d', { finishReason: 'other', usage: UNCOUNTED });
    case 'finish':
      return line('d', { finishReason: chunk.finishReason ?? 'unknown', usage: UNCOUNTED });
    default:
      return '';
  }
}

/** The end line of this protocol must contain token counts. The real counts are sent with the citations. */
const UNCOUNTED = { promptTokens: null, completionTokens: null };

function nodeOf({ sourceId, title, providerMetadata }: Extract<UIMessageChunk, { type: 'source-document' }>) {
  return { id: sourceId, title, ...providerMetadata?.sluice };
}
