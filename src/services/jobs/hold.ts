import type { JobOwner } from '#src/work/job-owner.ts';

const HEARTBEAT_MS = 3_000;
/** Steps that follow each other faster are not told one by one: most jobs end before the first. */
const STEP_MS = 500;

/** The owner has taken the job back: it is cancelled, over time, or in other hands. */
export class NotWanted extends Error {
  override readonly name = 'NotWanted';
}

/** A claim that is kept up while the work goes on. */
export interface Hold {
  /** Throws NotWanted once the result is not wanted. `step` says what comes next. */
  checkpoint(step: string): Promise<void>;
  /** Names this attempt, for parses that must not be those of another. */
  readonly run: string;
  /** Aborts with it. */
  readonly signal: AbortSignal;
  end(): void;
}

export function holdJob(owner: JobOwner, consumer: string): Hold {
  const abort = new AbortController();
  let step = 'starting';
  let last = Date.now();
  const beat = async () => {
    last = Date.now();
    const wanted = await owner.heartbeat(consumer, step).catch(() => true);
    if (!wanted) abort.abort(new NotWanted());
  };
  const timer = setInterval(beat, HEARTBEAT_MS);
  return {
    async checkpoint(next) {
      const isNew = next !== step;
      step = next;
      // Long synchronous work starves the timer, so steps beat for themselves as well.
      if (Date.now() - last > (isNew ? STEP_MS : HEARTBEAT_MS)) await beat();
      if (abort.signal.aborted) throw new NotWanted();
    },
    run: consumer,
    signal: abort.signal,
    end: () => clearInterval(timer),
  };
}
