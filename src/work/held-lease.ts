import { HEARTBEAT_MS } from './lease.ts';

/**
 * Thrown if a consumer no longer holds its work, because the work was cancelled, timed out or was given to
 * another consumer. Results that were already stored stay.
 */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** Lease of a consumer on its work. The lease is renewed as long as the work continues. */
export interface HeldLease {
  readonly consumer: string;
  /**
   * Throws ClaimLost if the result of the work is no longer wanted. `step` names the step that comes next.
   */
  checkpoint(step?: string): Promise<void>;
  /** Abort signal that fires when the consumer loses the lease. */
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * Minimum time in milliseconds between two reports of the current step. Most work ends before the first
 * report.
 */
const STEP_MS = 500;

/**
 * Sends a heartbeat. `progress` means that the work has advanced since the last heartbeat. Resolves with
 * false if the result of the work is no longer wanted.
 */
export type SendHeartbeat = (step: string, progress: boolean) => Promise<boolean>;

/**
 * Sends heartbeats as long as the work continues. If the owner of the work cannot be reached, the work goes
 * on, because the owner has not taken it back.
 */
export function holdLease(consumer: string, beat: SendHeartbeat): HeldLease {
  const abort = new AbortController();
  let step = 'starting';
  let last = Date.now();
  const show = async (progress: boolean) => {
    if (progress) last = Date.now();
    const isWanted = await beat(step, progress).catch(() => true);
    if (!isWanted) abort.abort(new ClaimLost());
  };
  const timer = setInterval(() => show(false), HEARTBEAT_MS);
  return {
    consumer,
    signal: abort.signal,
    async checkpoint(next = step) {
      const isNew = next !== step;
      step = next;
      // Heartbeats are also sent at checkpoints, because long synchronous work delays the timer.
      if (Date.now() - last > (isNew ? STEP_MS : HEARTBEAT_MS)) await show(true);
      if (abort.signal.aborted) throw new ClaimLost();
    },
    end: () => clearInterval(timer),
  };
}
