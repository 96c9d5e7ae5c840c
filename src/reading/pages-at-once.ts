import { Upstream } from '#src/lib/errors.ts';

/** Concurrent model calls. A Worker has six connections that may wait for an answer. */
const AT_ONCE = 4;
const BEAT_MS = 2_000;
/** Total milliseconds to wait here after rate limits. Afterwards the owner of the work waits. */
const PATIENCE_MS = 2 * 60_000;
const BRIEF_WAIT_SECONDS = 5;

/**
 * Processes items, a few at a time, and calls `checkpoint` meanwhile. The first rejection ends the others.
 * After a rate limit (429) the item is tried again, and no other one starts before that.
 */
export async function pagesAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
  checkpoint: () => Promise<void>,
  patienceMs = PATIENCE_MS,
): Promise<Result[]> {
  const stop = new AbortController();
  const results: Result[] = [];
  const pause = { until: 0, left: patienceMs };
  let next = 0;
  const turn = async () => {
    for (let at = next++; at < items.length; at = next++) {
      for (let isDone = false; !isDone; ) {
        await untilDue(pause, stop.signal);
        stop.signal.throwIfAborted();
        try {
          results[at] = await work(items[at]!, stop.signal);
          isDone = true;
        } catch (error) {
          if (!hasPatience(error, pause)) throw error;
        }
      }
    }
  };
  const turns = Array.from({ length: Math.min(AT_ONCE, items.length) }, turn);
  const beat = beating(checkpoint, stop.signal);
  try {
    await Promise.race([Promise.all(turns), beat]);
    return results;
  } finally {
    stop.abort(new Error('the work was given up'));
    await Promise.allSettled([...turns, beat]);
  }
}

interface Pause {
  until: number;
  /** Milliseconds of patience. */
  left: number;
}

/** Whether the error asks to be waited for, and there is time for that. */
function hasPatience(error: unknown, pause: Pause): boolean {
  if (!(error instanceof Upstream) || error.status !== 429) return false;
  const now = Date.now();
  const until = now + 1000 * (error.retryAfter ?? BRIEF_WAIT_SECONDS);
  if (until <= pause.until) return true;
  const further = until - Math.max(now, pause.until);
  if (further > pause.left) return false;
  pause.left -= further;
  pause.until = until;
  return true;
}

async function untilDue(pause: Pause, signal: AbortSignal): Promise<void> {
  while (Date.now() < pause.until && !signal.aborted) {
    await scheduler.wait(Math.min(250, pause.until - Date.now()));
  }
}

/** Rejects with the error of the checkpoint. Never resolves before the signal. */
async function beating(checkpoint: () => Promise<void>, signal: AbortSignal): Promise<never> {
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  for (;;) {
    await Promise.race([scheduler.wait(BEAT_MS), aborted]);
    signal.throwIfAborted();
    await checkpoint();
  }
}
