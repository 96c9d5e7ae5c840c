import type { UIMessageChunk } from 'ai';

const EVENT = 'data: ';
const END = '[DONE]';

/**
 * Reads message chunks from the server-sent events that `uiMessageStream` encodes. Yields `undefined` for a
 * heartbeat.
 */
export async function* readChunks(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<UIMessageChunk | undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      buffer += decoder.decode(read.value, { stream: true });
      const events = buffer.split('\n\n');
      buffer = events.pop()!;
      for (const event of events) {
        const data = event.startsWith(EVENT) ? event.slice(EVENT.length) : undefined;
        if (data !== END) yield data === undefined ? undefined : (JSON.parse(data) as UIMessageChunk);
      }
    }
  } finally {
    // If the consumer stops reading, the response stream is cancelled.
    await reader.cancel().catch(() => {});
  }
}
