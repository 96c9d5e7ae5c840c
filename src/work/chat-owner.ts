/** Caller of a retriever. Only pipelines that the caller can access are searched. */
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

/** Pipeline or retriever that answers. Access to a pipeline has been checked before. */
export type AskedCorpus = { pipelineId: string } | { retrieverId: string; asker: Asker };

export interface KeptIn {
  sessionId: string;
  /** Session message that is answered. */
  questionId: string;
  /** Whether storing the new answer removes all messages after the question. */
  endsSession: boolean;
}

/** Request for one answer, as the Durable Object that generates it receives it. */
export interface ChatOrder {
  /** Id of the stream, which is also the name of the Durable Object. */
  streamId: string;
  corpus: AskedCorpus;
  /** Project of the pipeline or retriever. Its language model answers, and its quota is charged. */
  projectId: string;
  /** Session in which question and answer are stored. Absent: nothing is stored. */
  kept?: KeptIn;
  /** Id of the answer's message. */
  messageId: string;
  /** Validated request body. */
  request: object;
  /** Validated generation settings of the model. */
  generation?: object;
  requestId: string;
  /** Metadata keys of this pipeline that must not be sent to a language model. */
  excludedKeys: readonly string[];
  /** Whether readers may reconnect. The answer then continues for a while without a reader. */
  isResumable: boolean;
}

/**
 * Protocol of the answer: server-sent events of the UI message stream (`ui`), or the line protocol (`data`).
 */
export type ChatProtocol = 'ui' | 'data';

/** Durable Object that generates one answer and keeps it for all of its readers. */
export interface ChatOwner {
  begin(order: ChatOrder, protocol: ChatProtocol): Promise<ReadableStream<Uint8Array>>;
  /**
   * Returns the answer from its beginning, or undefined if the object holds no answer or has discarded it.
   */
  resume(protocol: ChatProtocol): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Stops generating. The text so far stays in the session. */
  stop(): Promise<void>;
  /** Discards the answer because its session was deleted. */
  drop(): Promise<void>;
}
