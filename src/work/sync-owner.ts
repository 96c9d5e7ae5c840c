import type { IngestionError } from '#src/db/schema/pipelines.ts';

/** Page range of a document, 0-based. `from` is inclusive, `to` exclusive. */
export interface PageRange {
  from: number;
  to: number;
}

/**
 * Item of a sync run. Its id is derived from its subject, so that planning twice adds nothing. `bytes` is the
 * size of the input, if known. Small items are processed together.
 */
export type WorkItem =
  /** Reads one page of a data source's listing and updates the pipeline's files accordingly. */
  | { id: string; kind: 'source'; dataSourceId: string; page: number; cursor: string | null }
  | { id: string; kind: 'file'; fileId: string; bytes?: number }
  /** Parses a page range of a large file. The item of the file itself follows after all of its ranges. */
  | { id: string; kind: 'pages'; fileId: string; range: PageRange }
  | { id: string; kind: 'document'; documentId: string; bytes?: number }
  /** Removes a document from the index that is no longer in the pipeline. */
  | { id: string; kind: 'removal'; documentId: string };

export interface Outcome {
  /** Counters of the finished work, which are added to the counters of the run. */
  counters: Record<string, number>;
  error?: Pick<IngestionError, 'message' | 'step'>;
  next?: WorkItem[];
}

/** Item of a sync run that a consumer has claimed. */
export interface ClaimedItem {
  item: WorkItem;
  attempt: number;
}

export type Claim =
  | {
      go: true;
      /** One item, or several small ones. */
      items: ClaimedItem[];
      generation: number;
      jobId: string;
      /**
       * Version for everything that this attempt writes, in milliseconds since 1970. It rises, so that it
       * orders writes of different attempts and removals.
       */
      version: number;
    }
  /** `drop`: the item was cancelled, superseded or finished. `busy`: another consumer has it. */
  | { go: false; why: 'drop' | 'busy' };

/** Result of one item of a consumer's claim. */
export type Ended = { itemId: string } & (
  | { outcome: Outcome }
  /** The item continues after these parts. */
  | { parts: WorkItem[] }
  /** The item is tried again after a while, or fails after too many attempts. */
  | { failure: ReleaseFailure }
);

export interface StartRequest {
  reason: 'request' | 'schedule' | 'change' | 'copy';
  /** Data sources to read. Absent: all of them, or none if a change inside the pipeline caused the run. */
  sources?: 'all' | string[];
  /** Files to index. Absent: all files that differ from the index. */
  fileIds?: string[];
  /** True if further requests may follow at once. The run then waits up to a second for them. */
  patient?: boolean;
  /** Items that a user has just added during a run. They are processed before all waiting items. */
  first?: WorkItem[];
  /**
   * Generation after which this run's generation continues. Set for a restored pipeline, whose former owner
   * assigned it.
   */
  follows?: number;
}

/** Data sources and files that a sync run covers. */
export interface Scope {
  sources: 'all' | string[];
  fileIds: string[] | null;
}

/**
 * Next task of planning: the content of the data sources, or, once they are read, the differences to the
 * index.
 */
export interface Assignment extends Scope {
  jobId: string;
  phase: Phase;
  /** Number of starts of this planning since it last made progress, including this one. */
  starts: number;
}

/** Phase of planning: first the content of the sources, then the differences. */
export type Phase = 'sources' | 'differences';

export type ReleaseFailure = Pick<IngestionError, 'message' | 'step'> & {
  /** Seconds to wait, set after a rate limit. The attempt is not counted. */
  retryAfterSeconds?: number;
  /**
   * True if the item failed together with other items of its claim. The attempt is counted only when the item
   * is tried with fewer items.
   */
  together?: boolean;
};

export type RunState = 'planning' | 'working' | 'cancelling' | 'done';

export interface RunView {
  jobId: string;
  generation: number;
  state: RunState;
  /** Number of items by state: waiting, sent, claimed, done, failed. */
  items: Record<string, number>;
  counters: Record<string, number>;
  startedAt: number;
  finishedAt: number | null;
  /** Time at which an item last made progress. */
  progressAt: number;
  /** True if another run follows, if there is work for it. */
  isFollowed: boolean;
}

/** State of one sync run in its owner. */
export interface Run {
  generation: number;
  pipelineId: string;
  jobId: string;
  reason: string;
  /** `reading`: the data sources are being listed. `planning`: the differences are being determined. */
  state: RunState | 'reading' | 'concluding';
  scope: Scope;
  sourcesRead: boolean;
  /** Scope of the next run, if one was requested during this run. */
  again: Scope | null;
  /** Time at which an item last made progress. */
  progressAt: number;
  /** Time before which nothing is sent, because an upstream asked to wait. */
  pausedUntil: number;
  startedAt: number;
  finishedAt: number | null;
  /**
   * Time at which planning was sent or last reported items. A negative value means not yet sent, because the
   * run waits for further requests.
   */
  planSentAt: number;
  /** Number of planning messages that no consumer received. */
  planAttempts: number;
  /** Number of planning starts without a result. */
  planStarts: number;
  cancelledAt: number | null;
  counters: Record<string, number>;
  /** Result of the run, stored so that ending it can be repeated. Null: the result follows from the files. */
  verdict: Verdict | null;
}

export interface Verdict {
  status: 'CANCELLED' | 'ERROR';
  error?: Pick<IngestionError, 'message' | 'step'>;
}

/** Operations of the Durable Object that owns a pipeline's syncs. Every method may be called twice. */
export interface SyncOwner {
  /** Starts a run. If one is running, makes sure that exactly one more follows. */
  start(pipelineId: string, request: StartRequest): Promise<RunView>;
  /** Cancels the run. No new work starts, and the run ends as CANCELLED once running items are released. */
  cancel(): Promise<RunView | null>;
  view(): Promise<RunView | null>;
  /** Loads the schedules of the pipeline's data sources again. */
  schedule(pipelineId: string): Promise<void>;
  /** Returns what planning has to determine, or undefined if nothing is left to plan. */
  assignment(generation: number): Promise<Assignment | undefined>;
  /** Adds planned items. `last` ends the phase. Returns false if the run or the phase has ended. */
  plan(generation: number, phase: Phase, items: WorkItem[], last: boolean): Promise<boolean>;
  /**
   * Ends this start of planning so that another can follow. With `keepsStarts` the count of starts continues.
   */
  planReleased(generation: number, keepsStarts?: boolean): Promise<void>;
  planFailed(generation: number, error: Pick<IngestionError, 'message' | 'step'>): Promise<void>;
  /** Claims the items that a message names: a single item, or several that were sent together. */
  claim(generation: number, name: string, consumer: string): Promise<Claim>;
  /**
   * Renews a claim. `progress` means that the work has advanced. Returns false if the result is no longer
   * wanted.
   */
  heartbeat(generation: number, consumer: string, progress?: boolean): Promise<boolean>;
  /**
   * Reports the results of items in the consumer's claim. Results of items that it no longer holds are
   * ignored.
   */
  report(generation: number, consumer: string, ended: Ended[]): Promise<void>;
  /** Fails the items of a message that no consumer could start. */
  giveUp(generation: number, name: string, failure: Pick<IngestionError, 'message' | 'step'>): Promise<void>;
  /**
   * Deletes the pipeline. Nothing of it can be found once the call returns. The remaining deletion continues
   * by itself after any interruption. With `now`, everything is deleted before the call returns, even during
   * a sync run.
   */
  erase(pipelineId: string, now: boolean): Promise<void>;
  /** Ends all work and deletes the owner's state. */
  drop(): Promise<void>;
}
