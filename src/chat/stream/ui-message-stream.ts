import type { Protocol } from './protocol.ts';

/** UI message stream of the AI SDK: server-sent events with one JSON object each. */
export const uiMessageStream: Protocol = {
  headers: {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-vercel-ai-ui-message-stream': 'v1',
    'x-accel-buffering': 'no',
  },
  encode: (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
  heartbeat: ':\n\n',
  end: 'data: [DONE]\n\n',
};
