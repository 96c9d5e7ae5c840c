/** What the object that makes an answer is given. */
export interface ChatOrder {
  /** Its name. */
  streamId: string;
  pipelineId: string;
  /** The pipeline's, whose language model answers. */
  projectId: string;
  sessionId: string;
  /** The message of the session that is answered. */
  questionId: string;
  /** What the answer will be known as. */
  messageId: string;
  /** The body of the request, as it was accepted. */
  request: object;
  requestId: string;
  /** Metadata that no model may see, in this pipeline. */
  excludedKeys: readonly string[];
  /** Whether readers may come later, and the answer waits for them when they are gone. */
  isResumable: boolean;
}

/** How the answer is written to a reader: as events of a UI message stream, or in lines. */
export type ChatProtocol = 'ui' | 'data';

/** The object that makes one answer and holds it for all who read it. */
export interface ChatOwner {
  begin(order: ChatOrder, protocol: ChatProtocol): Promise<ReadableStream<Uint8Array>>;
  /** From the beginning. Undefined: it holds nothing, or not any more. */
  resume(protocol: ChatProtocol): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Nobody wants the answer any more. What was said of it stays in its session. */
  stop(): Promise<void>;
  /** Its session is gone: nothing is kept. */
  drop(): Promise<void>;
}
