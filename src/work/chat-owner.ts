/** Caller of a retriever. Only pipelines that the caller can access are searched. */
export interface RetrieverCaller {
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

/** Pipeline or retriever that answers. The caller's access to a pipeline has already been checked. */
export type ChatCorpus = { pipelineId: string } | { retrieverId: string; asker: RetrieverCaller };

export interface SessionTarget {
  sessionId: string;
  questionId: string;
  /** True if storing the new answer removes all messages after the question. */
  endsSession: boolean;
}

/** Request for one answer, as the Durable Object that generates it receives it. */
export interface ChatOrder {
  /** Id of the stream, which is also the name of the Durable Object. */
  streamId: string;
  corpus: ChatCorpus;
  /** Project of the pipeline or retriever. Its language model answers, and its quota is charged. */
  projectId: string;
  /** Session in which question and answer are stored. If absent, nothing is stored. */
  kept?: SessionTarget;
  messageId: string;
  request: object;
  generation?: object;
  requestId: string;
  /** Metadata keys of this pipeline that must not be sent to a language model. */
  excludedKeys: readonly string[];
  /** True if readers may reconnect. The answer then continues for a while without a reader. */
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
