/** How an answer ended, in the words of the suite of language models. */
export type Ending = 'whole' | 'cut' | 'refused';

/** What a request asks for, in the same words. */
export interface Asked {
  system: string;
  prompt: string;
  /** The format that the answer is to have, and whether it is to be kept to the letter. */
  schema?: unknown;
  strict?: boolean | undefined;
}

export interface StreamedEvent {
  event?: string;
  data: unknown;
}

/** The wire format of one vendor's chat: what a request says, and how answers are written. */
export interface ChatProtocol {
  /** Whether a request wants a stream. */
  streams(url: URL, body: unknown): boolean;
  read(body: unknown): Asked;
  /** A whole answer, to a request that asked for a schema or not. */
  write(text: string, ending: Ending, asked: Asked): unknown;
  /** The events of a stream; bytes where they are not server-sent events. */
  events(pieces: string[], ending: Ending, body: unknown): StreamedEvent[] | Uint8Array;
}

/** What every answer says that it took. */
export const USAGE = { input: 11, output: 7 };

/** Texts of messages whose content is a text or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return ((content ?? []) as { text?: string }[]).map(({ text }) => text ?? '').join('');
}
