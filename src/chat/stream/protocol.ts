import type { UIMessageChunk } from 'ai';
import { dataStream } from './data-stream.ts';
import { uiMessageStream } from './ui-message-stream.ts';

/** Encoding of an answer for one connection. */
export interface Protocol {
  headers: Record<string, string>;
  /** Encodes a chunk. Returns an empty text if the protocol cannot express the chunk. */
  encode(chunk: UIMessageChunk): string;
  /** Text that keeps an idle connection open. Readers ignore it. */
  heartbeat: string;
  end: string;
}

export const protocols = { ui: uiMessageStream, data: dataStream } satisfies Record<string, Protocol>;
export type ProtocolName = keyof typeof protocols;

/**
 * Chooses the protocol by the Accept header. Clients that accept `text/plain` but not server-sent events get
 * the line protocol, and all others the UI message stream.
 */
export function protocolFor(accept: string | null): ProtocolName {
  const types = (accept ?? '').split(',').map((type) => type.split(';')[0]!.trim().toLowerCase());
  return types.includes('text/plain') && !types.includes('text/event-stream') ? 'data' : 'ui';
}
