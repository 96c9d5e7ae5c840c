import { HEARTBEAT_MS } from './lease.ts';

/** The owner has taken the work back: it is cancelled, over time, or in other hands. What was done stays as it is. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

/** A lease that is kept up while the work goes on. */
export interface Hold {
  /** Names this attempt. */
  readonly consumer: string;
  /** Throws ClaimLost once the result is not wanted. `step` says what comes next. */
  checkpoint(step?: string): Promise<void>;
  /** Aborts with it. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Steps that follow each other faster are not told one by one: most work ends before the first. */
const STEP_MS = 500;

/** `progress`: the work got further since the last beat, it did not only live. False: nobody wants the result. */
export type Beat = (step: string, progress: boolean) => Promise<boolean>;

/** Beats while the work goes on. Owners that cannot be reached have taken nothing back. */
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
      // Long synchronous work starves the timer, so steps beat for themselves as well.
      if (Date.now() - last > (isNew ? STEP_MS : HEARTBEAT_MS)) await show(true);
      if (abort.signal.aborted) throw new ClaimLost();
    },
    end: () => clearInterval(timer),
  };
}
