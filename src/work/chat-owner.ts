import type { Role } from '#src/db/schema/index.ts';

/** Caller of a retriever. A retriever searches only those of its pipelines that the caller can access. */
export interface RetrieverCaller {
  actor: {
    userId: string;
    organizationId: string;
    keyId: string | null;
    projectId: string | null;
    organizationOnly: boolean;
    role: Role | null;
    isReadOnly: boolean;
  };
  organizationId: string;
  projectId: string;
  onlyProjectId: string | null;
  onlyOrganizationId: string | null;
}

/** Several pipelines that are searched together: those of a retriever, or those that the request names. */
export type JoinedPipelines = ({ retrieverId: string } | { pipelineIds: string[] }) & {
  asker: RetrieverCaller;
};

/**
 * Documents from which the question is answered. The caller's access to a single pipeline has already been
 * checked.
 */
export type ChatCorpus = { pipelineId: string } | JoinedPipelines;

export interface SessionTarget {
  sessionId: string;
  questionId: string;
  /** True if all messages after the question are removed when the new answer is stored. */
  endsSession: boolean;
}

/** Request for one answer, as the Durable Object that generates it receives it. */
export interface ChatOrder {
  /** Id of the answer's stream, which is also the name of its Durable Object. */
  streamId: string;
  corpus: ChatCorpus;
  /**
   * Project of the pipeline or retriever. The project's language model writes the answer, and the project's
   * quota is charged.
   */
  projectId: string;
  /** Chat session in which question and answer are stored. If the session is missing, nothing is stored. */
  kept?: SessionTarget;
  messageId: string;
  /** User and API key of the request. Absent if an earlier release sent the order. */
  asker?: { userId: string; keyId: string | null };
  request: object;
  generation?: object;
  /** Tools, format or task of a client of the OpenAI protocol. */
  modelRequest?: object;
  requestId: string;
  /**
   * Metadata keys that must not be sent to a language model. Empty for a retriever, because each of its
   * pipelines defines its own keys.
   */
  excludedKeys: readonly string[];
  /** True if readers may reconnect. If all readers disconnect, the answer then continues for a while. */
  isResumable: boolean;
}

/**
 * Protocol in which the answer is streamed: server-sent events of the UI message stream (`ui`), or the line
 * protocol (`data`).
 */
export type ChatProtocol = 'ui' | 'data';

/** Durable Object that generates one chat answer and keeps it for all of its readers. */
export interface ChatOwner {
  begin(order: ChatOrder, protocol: ChatProtocol): Promise<ReadableStream<Uint8Array>>;
  /**
   * Returns the answer from its beginning. Returns `undefined` if the object has no answer or has discarded
   * it.
   */
  resume(protocol: ChatProtocol): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Stops generating the answer. The text so far stays in the chat session. */
  stop(): Promise<void>;
  /** Discards the answer because its chat session was deleted. */
  drop(): Promise<void>;
}
