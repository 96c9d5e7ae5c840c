import type { UIMessageChunk } from 'ai';

const EVENT = 'data: ';
const END = '[DONE]';

/** The chunks of an answer out of its events, as uiMessageStream writes them; undefined for a sign of life. */
export async function* readChunks(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<UIMessageChunk | undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let held = '';
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      held += decoder.decode(read.value, { stream: true });
      const events = held.split('\n\n');
      held = events.pop()!;
      for (const event of events) {
        const data = event.startsWith(EVENT) ? event.slice(EVENT.length) : undefined;
        if (data !== END) yield data === undefined ? undefined : (JSON.parse(data) as UIMessageChunk);
      }
    }
  } finally {
    // Whoever reads no further lets go of the answer.
    await reader.cancel().catch(() => {});
  }
}
