import type { IngestionError } from '#src/db/schema/pipelines.ts';

/** Pages [from, to) of a document, 0-based. */
export interface PageRange {
  from: number;
  to: number;
}

/**
 * One thing a run has to do. Its id is derived from what it is about, so planning twice adds nothing. `bytes`: what is
 * to be read for it, where that is known; small ones are done together.
 */
export type WorkItem =
  /** Read a page of a data source's listing and bring the pipeline's files in line with it. */
  | { id: string; kind: 'source'; dataSourceId: string; page: number; cursor: string | null }
  | { id: string; kind: 'file'; fileId: string; bytes?: number }
  /** Part of a large file, parsed by itself; the file's own item follows when all its parts are done. */
  | { id: string; kind: 'pages'; fileId: string; range: PageRange }
  | { id: string; kind: 'document'; documentId: string; bytes?: number }
  /** Remove from the index what is no longer in the pipeline. */
  | { id: string; kind: 'removal'; documentId: string };

export interface Outcome {
  /** Work done, added to the run's counters. */
  counters: Record<string, number>;
  error?: Pick<IngestionError, 'message' | 'step'>;
  /** What is to be done after it. */
  next?: WorkItem[];
}

/** An item that a consumer has been given. */
export interface ClaimedItem {
  item: WorkItem;
  /** Claims so far, this one included. */
  attempt: number;
}

export type Claim =
  | {
      go: true;
      /** One, or several small ones. */
      items: ClaimedItem[];
      generation: number;
      jobId: string;
      /** Milliseconds since 1970, rising: orders what this attempt writes against other attempts and removals. */
      version: number;
    }
  /** Drop: cancelled, superseded or done already. Busy: another consumer has it. */
  | { go: false; why: 'drop' | 'busy' };

/** How the attempt at one of a claim's items ended. */
export type Ended = { itemId: string } & (
  | { outcome: Outcome }
  /** To be put back behind its parts. */
  | { parts: WorkItem[] }
  /** To be tried again after a while; failed when it has been tried often enough. */
  | { failure: ReleaseFailure }
);

export interface StartRequest {
  reason: 'request' | 'schedule' | 'change' | 'copy';
  /** The data sources to read; absent: all of them, or none when a change inside the pipeline is the reason. */
  sources?: 'all' | string[];
  /** Index only these files; absent: whatever differs. */
  fileIds?: string[];
  /** More of the same may follow at once: the run waits a second for it. */
  patient?: boolean;
  /** What somebody has just put in, while a run is on: done next, before what is waiting already. */
  first?: WorkItem[];
  /** Its generation comes after this one, which another owner has given out: that of a pipeline that was restored. */
  follows?: number;
}

/** What a run covers. */
export interface Scope {
  sources: 'all' | string[];
  fileIds: string[] | null;
}

/** What planning is to find out now: what the sources hold, or, with none left to read, what differs. */
export interface Assignment extends Scope {
  jobId: string;
  phase: Phase;
  /** Number of starts of this planning, this one included, since it last got anywhere. */
  starts: number;
}

/** What planning is about: first what the sources hold, then what differs. */
export type Phase = 'sources' | 'differences';

export type ReleaseFailure = Pick<IngestionError, 'message' | 'step'> & {
  /** Set when the other side asked for patience: the attempt does not count. */
  retryAfterSeconds?: number;
  /** It failed together with others of its claim: the attempt counts once it is tried with fewer. */
  together?: boolean;
};

export type RunState = 'planning' | 'working' | 'cancelling' | 'done';

export interface RunView {
  jobId: string;
  generation: number;
  state: RunState;
  /** Items per state: waiting, sent, claimed, done, failed. */
  items: Record<string, number>;
  counters: Record<string, number>;
  startedAt: number;
  finishedAt: number | null;
  /** When an item last got anywhere. */
  progressAt: number;
  /** A further run follows it when there is anything for that one to do. */
  isFollowed: boolean;
}

/** One sync from start to end, as its owner keeps it. */
export interface Run {
  generation: number;
  pipelineId: string;
  jobId: string;
  reason: string;
  /** Reading: its data sources are being listed; planning: what differs is being found out. */
  state: RunState | 'reading' | 'concluding';
  scope: Scope;
  sourcesRead: boolean;
  /** A sync was asked for, or is needed, while this run was on: what that one is to cover. */
  again: Scope | null;
  /** When an item last got anywhere. */
  progressAt: number;
  /** Nothing is sent before: the other side of some item asked for patience. */
  pausedUntil: number;
  startedAt: number;
  finishedAt: number | null;
  /** Before 0: never, the run waits for further changes. */
  planSentAt: number;
  /** Messages sent for it that nobody took up. */
  planAttempts: number;
  /** Starts of planning that have led to nothing. */
  planStarts: number;
  cancelledAt: number | null;
  counters: Record<string, number>;
  /** How the run is to end, kept so that ending it can be repeated; null: as its files stand. */
  verdict: Verdict | null;
}

export interface Verdict {
  status: 'CANCELLED' | 'ERROR';
  error?: Pick<IngestionError, 'message' | 'step'>;
}

/** What the rest of the service may ask of a pipeline's owner. Every method may be called twice. */
export interface SyncOwner {
  /** Starts a run, or, while one runs, makes sure that exactly one more follows it. */
  start(pipelineId: string, request: StartRequest): Promise<RunView>;
  /** No new work from now on; ends CANCELLED when what is in flight has been let go. */
  cancel(): Promise<RunView | null>;
  view(): Promise<RunView | null>;
  /** Loads the schedules of the pipeline's data sources anew. */
  schedule(pipelineId: string): Promise<void>;
  /** Undefined: nothing is to be planned any more. */
  assignment(generation: number): Promise<Assignment | undefined>;
  /** Adds items while planning; `last` ends the phase. False: the run, or the phase, is over. */
  plan(generation: number, phase: Phase, items: WorkItem[], last: boolean): Promise<boolean>;
  /** This start of planning has ended; another one may go better. `keepsStarts`: the next one counts further. */
  planReleased(generation: number, keepsStarts?: boolean): Promise<void>;
  planFailed(generation: number, error: Pick<IngestionError, 'message' | 'step'>): Promise<void>;
  /** `name`: what a message names, an item or several that were sent together. */
  claim(generation: number, name: string, consumer: string): Promise<Claim>;
  /** Keeps the claim; `progress`: it also got further. False: stop, nobody wants the result. */
  heartbeat(generation: number, consumer: string, progress?: boolean): Promise<boolean>;
  /** Tells of items of the consumer's claim how they ended; of what it does not hold any more nothing is taken. */
  report(generation: number, consumer: string, ended: Ended[]): Promise<void>;
  /** Ends what a message names when no consumer could even take it up. */
  giveUp(generation: number, name: string, failure: Pick<IngestionError, 'message' | 'step'>): Promise<void>;
  /**
   * Deletes the pipeline. Nothing of it is searchable when this returns; the rest goes by itself, whatever
   * interrupts that. `now`: all of it is gone when this returns, also from under a running sync.
   */
  erase(pipelineId: string, now: boolean): Promise<void>;
  /** Ends everything and forgets. */
  drop(): Promise<void>;
}
