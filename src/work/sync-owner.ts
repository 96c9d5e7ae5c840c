import type { IngestionError } from '#src/db/schema/pipelines.ts';

/** Page range of a document. Pages are counted from 0. `from` is inclusive, and `to` is exclusive. */
export interface PageRange {
  from: number;
  to: number;
}

/**
 * Item of a sync run. Its id is derived from the file, document or other object that it processes, so
 * planning twice adds nothing. `bytes` is the size of that object in bytes, if known. Small items are
 * processed together.
 */
export type WorkItem =
  /** Reads one page of a data source's listing and updates the pipeline's files accordingly. */
  | { id: string; kind: 'source'; dataSourceId: string; page: number; cursor: string | null }
  | { id: string; kind: 'file'; fileId: string; bytes?: number }
  /**
   * Parses a page range of a large file. The item of the file itself is processed after all of its page
   * ranges.
   */
  | { id: string; kind: 'pages'; fileId: string; range: PageRange }
  | { id: string; kind: 'document'; documentId: string; bytes?: number }
  /** Removes a document from the index because the document is no longer in the pipeline. */
  | { id: string; kind: 'removal'; documentId: string };

export interface Outcome {
  /** Counters of an item's finished work. They are added to the counters of the sync run. */
  counters: Record<string, number>;
  error?: Pick<IngestionError, 'message' | 'step'>;
  next?: WorkItem[];
}

export interface ClaimedItem {
  item: WorkItem;
  attempt: number;
}

export type Claim =
  | {
      go: true;
      /** Items of the claim: either one item, or several small ones. */
      items: ClaimedItem[];
      generation: number;
      jobId: string;
      /**
       * Version of everything that this attempt writes, in milliseconds since 1970. Later attempts and
       * removals have higher versions, so older work cannot replace newer work.
       */
      version: number;
    }
  /**
   * Refused claim. `drop` means that the item was cancelled, superseded or finished. `busy` means that
   * another consumer has the item.
   */
  | { go: false; why: 'drop' | 'busy' };

export type Ended = { itemId: string } & (
  | { outcome: Outcome }
  /** The item continues after these other items have been processed. */
  | { parts: WorkItem[] }
  /** The item is attempted again after a wait. After too many attempts it fails. */
  | { failure: ReleaseFailure }
);

export interface StartRequest {
  reason: 'request' | 'schedule' | 'change' | 'copy';
  /**
   * Data sources to read. If missing, all data sources are read, or none if a change inside the pipeline
   * caused the run.
   */
  sources?: 'all' | string[];
  /** Ids of the files to index. If missing, all files that differ from the index are indexed. */
  fileIds?: string[];
  /**
   * True if further requests for a sync run may follow at once. The run then waits up to a second for them.
   */
  patient?: boolean;
  /** Items that a user has just added during a run. They are processed before all waiting items. */
  first?: WorkItem[];
  /**
   * Number of the last sync run before a pipeline was restored. The new run gets a higher number. Missing if
   * the pipeline was not restored.
   */
  follows?: number;
}

export interface Scope {
  sources: 'all' | string[];
  fileIds: string[] | null;
}

/**
 * Next task of planning a sync run. The data sources are read first. Then the differences between the
 * pipeline and its index are determined.
 */
export interface Assignment extends Scope {
  jobId: string;
  phase: Phase;
  /** Number of starts of this planning since planning last made progress, including the current start. */
  starts: number;
}

/**
 * Phase of planning. The content of the data sources comes first, and then the differences between the
 * pipeline and its index.
 */
export type Phase = 'sources' | 'differences';

export type ReleaseFailure = Pick<IngestionError, 'message' | 'step'> & {
  /** Time to wait in seconds, set after a rate limit. The attempt then does not count. */
  retryAfterSeconds?: number;
  /**
   * True if the item failed together with other items of its claim. Such an attempt is not counted, because
   * another item may be the cause. The item is then tried with fewer other items.
   */
  together?: boolean;
};

export type RunState = 'planning' | 'working' | 'cancelling' | 'done';

export interface RunSummary {
  jobId: string;
  generation: number;
  state: RunState;
  counters: Record<string, number>;
  startedAt: number;
  finishedAt: number | null;
  /** Time at which an item of the sync run last made progress, in milliseconds since 1970. */
  progressAt: number;
  /** True if another sync run was requested. It starts after this run if there is work for it. */
  isFollowed: boolean;
}

export interface RunView extends RunSummary {
  /** Number of sync items by state: waiting, sent, claimed, done or failed. */
  items: Record<string, number>;
}

/** State of a sync run, as its owner stores it. */
export interface Run {
  generation: number;
  pipelineId: string;
  jobId: string;
  reason: string;
  /**
   * `reading` means that the data sources are being listed. `planning` means that the differences between the
   * pipeline and its index are being determined.
   */
  state: RunState | 'reading' | 'concluding';
  scope: Scope;
  sourcesRead: boolean;
  /** Scope of the next sync run, if one was requested during this run. */
  again: Scope | null;
  /** Time at which an item of the sync run last made progress, in milliseconds since 1970. */
  progressAt: number;
  /**
   * Time before which no items are sent, in milliseconds since 1970. It is set when an external system asks
   * to wait.
   */
  pausedUntil: number;
  startedAt: number;
  finishedAt: number | null;
  /**
   * Time at which planning was sent to a consumer or last reported items. A negative value means that
   * planning was not sent yet, because the run waits for further requests.
   */
  planSentAt: number;
  /** Number of planning messages that no consumer received. */
  planAttempts: number;
  /** Number of times that planning was started without a result. */
  planStarts: number;
  cancelledAt: number | null;
  counters: Record<string, number>;
  /**
   * Result of the sync run, stored so that ending the run can be repeated. If null, the states of the files
   * determine the result.
   */
  verdict: Verdict | null;
}

export interface Verdict {
  status: 'CANCELLED' | 'ERROR';
  error?: Pick<IngestionError, 'message' | 'step'>;
}

/**
 * Methods of the Durable Object that owns a pipeline's sync runs. Every method may safely be called twice.
 */
export interface SyncOwner {
  /** Starts a sync run. If a sync run is in progress, exactly one more run follows it. */
  start(pipelineId: string, request: StartRequest): Promise<RunSummary>;
  /**
   * Cancels the sync run. No new work starts. The run ends as CANCELLED once consumers have released their
   * items.
   */
  cancel(): Promise<RunSummary | null>;
  view(): Promise<RunView | null>;
  /** Returns what `view` returns, without counting the items. Counting takes long if a run has millions of them. */
  summary(): Promise<RunSummary | null>;
  /** Reloads the sync schedules of the pipeline's data sources. */
  schedule(pipelineId: string): Promise<void>;
  /** Returns the next task of planning the sync run. Returns `undefined` if nothing is left to plan. */
  assignment(generation: number): Promise<Assignment | undefined>;
  /**
   * Adds items that planning has determined. `last` ends the planning phase. Returns false if the sync run or
   * the phase has ended.
   */
  plan(generation: number, phase: Phase, items: WorkItem[], last: boolean): Promise<boolean>;
  /**
   * Ends this start of planning so that another start can follow. With `keepsStarts`, the number of starts is
   * not reset.
   */
  planReleased(generation: number, keepsStarts?: boolean): Promise<void>;
  planFailed(generation: number, error: Pick<IngestionError, 'message' | 'step'>): Promise<void>;
  /**
   * Claims the sync items that a queue message names. A message names a single item, or several that were
   * sent together.
   */
  claim(generation: number, name: string, consumer: string): Promise<Claim>;
  /**
   * Renews a consumer's claim. `progress` means that the work has advanced. Returns false if the result of
   * the work is no longer wanted.
   */
  heartbeat(generation: number, consumer: string, progress?: boolean): Promise<boolean>;
  /**
   * Reports the results of items that the consumer claimed. The results of items that the consumer no longer
   * holds are ignored.
   */
  report(generation: number, consumer: string, ended: Ended[]): Promise<void>;
  /** Fails the sync items of a queue message that no consumer could start. */
  giveUp(generation: number, name: string, failure: Pick<IngestionError, 'message' | 'step'>): Promise<void>;
  /**
   * Deletes the pipeline. Once the call returns, no request can find the pipeline. The rest is deleted in the
   * background, even after an interruption. With `now`, everything is deleted before the call returns, even
   * during a sync run.
   */
  erase(pipelineId: string, now: boolean): Promise<void>;
  /** Ends all work on the pipeline and deletes the owner's stored state. */
  drop(): Promise<void>;
}
