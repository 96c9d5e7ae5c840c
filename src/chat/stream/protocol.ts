import type { UIMessageChunk } from 'ai';
import { dataStream } from './data-stream.ts';
import { uiMessageStream } from './ui-message-stream.ts';

/** Format in which an answer is sent over one connection. */
export interface Protocol {
  headers: Record<string, string>;
  /**
   * Encodes one chunk of an AI SDK message. Returns an empty string if the protocol has no equivalent of the
   * chunk.
   */
  encode(chunk: UIMessageChunk): string;
  /** Text that is sent to keep an idle connection open. Clients ignore it. */
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
