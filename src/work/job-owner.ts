export type JobKind = 'extract' | 'classify' | 'parse';

export type JobPhase = 'waiting' | 'claimed' | 'finished' | 'failed' | 'cancelled';

export interface JobView {
  kind: JobKind;
  phase: JobPhase;
  /** Claims so far. */
  attempt: number;
  /** What the worker is at, in its own words. */
  step: string | null;
  failure: string | null;
}

export interface OpenJob {
  kind: JobKind;
  jobId: string;
  /** How long one attempt may take. Milliseconds. */
  timeoutMs: number;
  /** Attempts that may end in a failure before the job has failed. */
  attempts: number;
  /** Whose intake is to be told when it ends, because others wait for that. */
  projectId?: string;
}

/** What the rest of the service may ask of a job's owner. Every method may be called twice. */
export interface JobOwner {
  /** Takes the job on: from now on it ends, whatever gets lost. */
  open(job: OpenJob): Promise<void>;
  claim(consumer: string): Promise<{ go: boolean; attempt: number }>;
  /** False: the job is cancelled, over time or in other hands; its result is not wanted. */
  heartbeat(consumer: string, step?: string): Promise<boolean>;
  /** The worker has written the job's end. */
  finish(consumer: string): Promise<void>;
  /** Gives the job back to be tried again after a while; without attempts left it has failed. */
  release(consumer: string, failure: string, retryAfterSeconds?: number): Promise<void>;
  /** Ends the job: another attempt could not succeed. */
  fail(consumer: string, failure: string): Promise<void>;
  /** Also of a job that the owner has not been given yet. */
  cancel(job: OpenJob): Promise<void>;
  view(): Promise<JobView | null>;
  /** Ends everything and forgets. */
  drop(): Promise<void>;

  /** There are webhook deliveries of the job to be made. */
  notify(jobId: string): Promise<void>;
  /** One worker at a time delivers, so that a job's events arrive in their order. Also renews. */
  claimDeliveries(consumer: string): Promise<boolean>;
  /**
   * Counts a start of the delivery before it is made and gives how many there have been that did not end, this one
   * included. Undefined: the worker does not have the turn any more.
   */
  startDelivery(consumer: string, deliveryId: string): Promise<number | undefined>;
  /** `nextAt`: when the next attempt is due, milliseconds since 1970; null: nothing is left. */
  releaseDeliveries(consumer: string, nextAt: number | null): Promise<void>;
}

/** The first first. */
export const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Takes note of a project's jobs before they are recorded, and hands them to their owners once they are. */
export interface Intake {
  /** From now on the job is done if it gets recorded within two minutes. */
  announce(kind: JobKind, jobId: string): Promise<void>;
  /** Which job of the project is to be done now that a message has come for this one; undefined: none is left. */
  take(jobId: string): Promise<string | undefined>;
  /** A job has ended for which others waited. */
  ended(jobId: string): Promise<void>;
  /** Whether the job waits until others of its project have ended. */
  waits(jobId: string): Promise<boolean>;
  drop(): Promise<void>;
}
