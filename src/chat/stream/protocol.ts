import type { UIMessageChunk } from 'ai';
import { dataStream } from './data-stream.ts';
import { uiMessageStream } from './ui-message-stream.ts';

/** How chunks of an answer are written to a connection. */
export interface Protocol {
  headers: Record<string, string>;
  /** '' for a chunk that the protocol has no word for. */
  encode(chunk: UIMessageChunk): string;
  /** What keeps a connection open while there is nothing to say; readers pass it over. */
  heartbeat: string;
  /** What follows the last chunk. */
  end: string;
}

export const protocols = { ui: uiMessageStream, data: dataStream } satisfies Record<string, Protocol>;
export type ProtocolName = keyof typeof protocols;

/** The lines of `text/plain` for who asks for them and not for events; else the events of a UI message stream. */
export function protocolFor(accept: string | null): ProtocolName {
  const types = (accept ?? '').split(',').map((type) => type.split(';')[0]!.trim().toLowerCase());
  return types.includes('text/plain') && !types.includes('text/event-stream') ? 'data' : 'ui';
}
