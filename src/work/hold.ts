import { HEARTBEAT_MS } from './lease.ts';

/**
 * Thrown when the owner has taken the work back, because it was cancelled, timed out or was given to another
 * consumer. Work that was already stored stays.
 */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** A lease that is renewed while the work continues. */
export interface Hold {
  /** Id of the attempt. */
  readonly consumer: string;
  /** Throws ClaimLost if the result is no longer wanted. `step` names the next step. */
  checkpoint(step?: string): Promise<void>;
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Minimum milliseconds between two reported steps. Most work ends before the first report. */
const STEP_MS = 500;

/**
 * Sends a heartbeat. `progress` says that the work has advanced since the last one. Resolves with false if
 * nobody wants the result any more.
 */
export type Beat = (step: string, progress: boolean) => Promise<boolean>;

/** Sends heartbeats while the work continues. An owner that cannot be reached has not taken the work back. */
export function holdLease(consumer: string, beat: Beat): Hold {
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
      // Long synchronous work delays the timer, so checkpoints send heartbeats as well.
      if (Date.now() - last > (isNew ? STEP_MS : HEARTBEAT_MS)) await show(true);
      if (abort.signal.aborted) throw new ClaimLost();
    },
    end: () => clearInterval(timer),
  };
}
