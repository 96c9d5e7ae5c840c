export type JobKind = 'extract' | 'classify' | 'parse';

export type JobPhase = 'waiting' | 'claimed' | 'finished' | 'failed' | 'cancelled';

export interface JobView {
  kind: JobKind;
  phase: JobPhase;
  /** Number of times that a worker has claimed the job so far. */
  attempt: number;
  /** Current step, as the worker describes it. */
  step: string | null;
  failure: string | null;
}

export interface OpenJob {
  kind: JobKind;
  jobId: string;
  /** Time limit of one attempt, in milliseconds. */
  timeoutMs: number;
  /** Maximum failed attempts before the job fails. */
  attempts: number;
  /** Project whose intake is notified when the job ends, because other jobs wait for it. */
  projectId?: string;
}

/** Operations of the Durable Object that owns a job. Every method may be called twice. */
export interface JobOwner {
  /** Accepts the job. From then on the job always ends, even if messages are lost. */
  open(job: OpenJob): Promise<void>;
  claim(consumer: string): Promise<{ go: boolean; attempt: number }>;
  /** Renews the claim. Returns false if the job was cancelled, timed out or was given to another worker. */
  heartbeat(consumer: string, step?: string): Promise<boolean>;
  /** Ends the job after the worker has stored its result. */
  finish(consumer: string): Promise<void>;
  /** Returns the job for another attempt after a wait. Without attempts left the job fails. */
  release(consumer: string, failure: string, retryAfterSeconds?: number): Promise<void>;
  /** Fails the job permanently. */
  fail(consumer: string, failure: string): Promise<void>;
  /** Cancels the job, even if the owner has not received it yet. */
  cancel(job: OpenJob): Promise<void>;
  view(): Promise<JobView | null>;
  drop(): Promise<void>;

  /** Tells the owner that webhook deliveries of the job are due. */
  notify(jobId: string): Promise<void>;
  /**
   * Claims or renews the right to deliver. Only one worker delivers at a time, so that a job's events arrive
   * in order.
   */
  claimDeliveries(consumer: string): Promise<boolean>;
  /**
   * Counts the start of a delivery before the delivery is made. Returns the number of starts that did not
   * end, including this one. Returns undefined if the worker has lost the claim.
   */
  startDelivery(consumer: string, deliveryId: string): Promise<number | undefined>;
  /**
   * Ends the claim on deliveries. `nextAt` is the time of the next attempt in milliseconds since 1970, or
   * null if none is left.
   */
  releaseDeliveries(consumer: string, nextAt: number | null): Promise<void>;
}

/** Priorities from highest to lowest. */
export const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Records a project's jobs before their rows are written, and passes them to their owners afterwards. */
export interface Intake {
  /** Announces a job. It runs if its row is written within two minutes. */
  announce(kind: JobKind, jobId: string): Promise<void>;
  /**
   * Returns the job of the project to run next when a message for `jobId` arrives, or undefined if none is
   * left.
   */
  take(jobId: string): Promise<string | undefined>;
  /** Tells the intake that a job has ended for which others wait. */
  ended(jobId: string): Promise<void>;
  /** Returns whether the job waits for other jobs of its project. */
  waits(jobId: string): Promise<boolean>;
  drop(): Promise<void>;
}
