/** Who asks a retriever, and how far that reaches: of its pipelines those are asked that the caller may ask. */
export interface Asker {
  actor: {
    userId: string;
    organizationId: string;
    keyId: string;
    projectId: string | null;
    organizationOnly: boolean;
  };
  organizationId: string;
  projectId: string;
  onlyProjectId: string | null;
  onlyOrganizationId: string | null;
}

/** What is asked. That the caller may ask a pipeline was decided before. */
export type AskedCorpus = { pipelineId: string } | { retrieverId: string; asker: Asker };

export interface KeptIn {
  sessionId: string;
  /** The message of the session that is answered. */
  questionId: string;
  /** Whether what was said after the question is gone once the new answer is kept. */
  endsSession: boolean;
}

/** What the object that makes an answer is given. */
export interface ChatOrder {
  /** Its name. */
  streamId: string;
  corpus: AskedCorpus;
  /** Whose language model answers: the project of the pipeline or retriever. */
  projectId: string;
  /** Where question and answer are kept; absent: nowhere. */
  kept?: KeptIn;
  /** What the answer will be known as. */
  messageId: string;
  /** The body of the request, as it was accepted. */
  request: object;
  /** How the model is to write, as it was accepted. */
  generation?: object;
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
