/** How an answer ended, independent of the vendor. */
export type Ending = 'whole' | 'cut' | 'refused';

/** Content of a request, independent of the vendor. */
export interface Asked {
  system: string;
  prompt: string;
  /** Requested answer schema, and whether it is strict. */
  schema?: unknown;
  strict?: boolean | undefined;
}

export interface StreamedEvent {
  event?: string;
  data: unknown;
}

/** Chat format of one vendor: reads requests and writes answers. */
export interface ChatProtocol {
  /** Returns whether a request wants a stream. */
  streams(url: URL, body: unknown): boolean;
  read(body: unknown): Asked;
  /** Writes a complete answer. */
  write(text: string, ending: Ending, asked: Asked): unknown;
  /** Writes the events of a stream, or bytes if the stream does not use server-sent events. */
  events(pieces: string[], ending: Ending, body: unknown): StreamedEvent[] | Uint8Array;
}

/** Token usage of every answer. */
export const USAGE = { input: 11, output: 7 };

/** Joins the texts of message content, which is a text or a list of parts. */
export function joinContentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return ((content ?? []) as { text?: string }[]).map(({ text }) => text ?? '').join('');
}
