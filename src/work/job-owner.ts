export type JobKind = 'extract' | 'classify' | 'split' | 'sheets' | 'parse';

export type JobPhase = 'waiting' | 'claimed' | 'finished' | 'failed' | 'cancelled';

export interface JobView {
  kind: JobKind;
  phase: JobPhase;
  /** Number of times that a worker has claimed the job so far. */
  attempt: number;
  /** Current step of the job, as the worker describes it. */
  step: string | null;
  failure: string | null;
}

export interface OpenJob {
  kind: JobKind;
  jobId: string;
  /** Time limit in milliseconds for one attempt of the job. */
  timeoutMs: number;
  /** Maximum number of failed attempts before the job fails. */
  attempts: number;
  /**
   * Project whose job intake is notified when the job ends, because other jobs of the project wait for its
   * end.
   */
  projectId?: string;
}

/** Methods of the Durable Object that owns a job. Every method may safely be called twice. */
export interface JobOwner {
  /** Accepts the job. The owner then makes sure that the job ends, even if queue messages are lost. */
  open(job: OpenJob): Promise<void>;
  claim(consumer: string): Promise<{ go: boolean; attempt: number }>;
  /**
   * Renews the worker's claim on the job. Returns false if the job was cancelled, timed out or was given to
   * another worker.
   */
  heartbeat(consumer: string, step?: string): Promise<boolean>;
  /** Ends the job after the worker has stored its result. */
  finish(consumer: string): Promise<void>;
  /** Ends a failed attempt. The job is attempted again after a wait, or fails if no attempts are left. */
  release(consumer: string, failure: string, retryAfterSeconds?: number): Promise<void>;
  fail(consumer: string, failure: string): Promise<void>;
  /** Cancels the job, even if its owner has not accepted it yet. */
  cancel(job: OpenJob): Promise<void>;
  view(): Promise<JobView | null>;
  drop(): Promise<void>;

  /** Tells the owner that webhook deliveries of the job are due. */
  notify(jobId: string): Promise<void>;
  /**
   * Claims the job's webhook deliveries for a worker, or renews the claim. Only one worker delivers at a
   * time, so that a job's events arrive in order.
   */
  claimDeliveries(consumer: string): Promise<boolean>;
  /**
   * Counts the start of a webhook delivery before the delivery is made. Returns the number of its starts that
   * did not end, including this one. Returns `undefined` if the worker has lost the claim.
   */
  startDelivery(consumer: string, deliveryId: string): Promise<number | undefined>;
  /**
   * Ends the worker's claim on webhook deliveries. `nextAt` is the time of the next attempt in milliseconds
   * since 1970, or null if none is left.
   */
  releaseDeliveries(consumer: string, nextAt: number | null): Promise<void>;
}

/** Priorities of jobs, from highest to lowest. */
export const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/**
 * Intake of a project's jobs. It records jobs before their rows are written, and passes them to their owners
 * afterwards.
 */
export interface Intake {
  /** Announces a job before its row is written. The job runs if its row is written within two minutes. */
  announce(kind: JobKind, jobId: string): Promise<void>;
  /**
   * Tells the intake that jobs of a batch have to be created, cancelled or deleted. Called before the row of
   * a new batch is inserted. The intake continues until everything is done.
   */
  advanceBatch(batchId: string): Promise<void>;
  /**
   * Tells the intake that questions of an evaluation run have to be evaluated. Called before the row of a new run
   * is inserted. The intake sends messages until the run has ended.
   */
  advanceEvaluation(runId: string): Promise<void>;
  /**
   * Tells the intake that the evaluation schedule of a question set was created or changed. The intake starts the
   * runs of the schedule until the schedule is paused or deleted.
   */
  scheduleEvaluations(questionSetId: string): Promise<void>;
  /**
   * Returns the project's job that should run next when a queue message for `jobId` arrives. Returns
   * `undefined` if no job is left.
   */
  take(jobId: string): Promise<string | undefined>;
  /** Tells the intake that a job has ended, so that a waiting job can start. */
  ended(jobId: string): Promise<void>;
  /** Returns whether the job is waiting for other jobs of its project. */
  waits(jobId: string): Promise<boolean>;
  drop(): Promise<void>;
}
