import type { UIMessageChunk } from 'ai';
import { dataStream } from './data-stream.ts';
import { uiMessageStream } from './ui-message-stream.ts';

/** Encodes the chunks of an answer for a connection. */
export interface Protocol {
  headers: Record<string, string>;
  /** Encodes a chunk; returns an empty text if the protocol cannot express it. */
  encode(chunk: UIMessageChunk): string;
  /** Text that keeps an idle connection open. Readers ignore it. */
  heartbeat: string;
  /** Text after the last chunk. */
  end: string;
}

export const protocols = { ui: uiMessageStream, data: dataStream } satisfies Record<string, Protocol>;
export type ProtocolName = keyof typeof protocols;

/**
 * Chooses the protocol by the Accept header: lines for clients that accept `text/plain` but not events,
 * otherwise the UI message stream.
 */
export function protocolFor(accept: string | null): ProtocolName {
  const types = (accept ?? '').split(',').map((type) => type.split(';')[0]!.trim().toLowerCase());
  return types.includes('text/plain') && !types.includes('text/event-stream') ? 'data' : 'ui';
}
