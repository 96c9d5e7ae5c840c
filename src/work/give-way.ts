/** Maximum time in milliseconds that the work on one message waits for interactive work in total. */
const MAX_WAIT_MS = 1_000;
const CHECK_MS = 5;
/**
 * Number of calls after which timers and other requests get a turn. The steps between two calls are short, and many of
 * them never wait for anything.
 */
const CALLS_PER_TURN = 16;

/**
 * Age in milliseconds at which a message no longer counts as being processed. The runtime may end the processing of a
 * message without a word.
 */
const MAX_AGE_MS = 60_000;

/** Messages that users wait for and that this isolate processes at the moment, with the times at which that began. */
const interactive = new Map<symbol, number>();

function hasInteractiveWork(): boolean {
  const oldest = Date.now() - MAX_AGE_MS;
  for (const [message, since] of interactive) if (since < oldest) interactive.delete(message);
  return interactive.size > 0;
}

/** Runs work that a user waits for. Work that calls `giveWay` waits until it has ended. */
export async function runInteractive<Value>(work: () => Promise<Value>): Promise<Value> {
  const message = Symbol('message');
  interactive.set(message, Date.now());
  try {
    return await work();
  } finally {
    interactive.delete(message);
  }
}

/**
 * Returns a function that bulk work calls between its steps. The function regularly lets other requests of this isolate
 * run, and it waits while the isolate processes interactive work, because they share one thread. All calls together wait
 * for at most `maxWaitMs`, so a steady stream of interactive work slows bulk work down but never stops it.
 */
export function createGiveWay(maxWaitMs = MAX_WAIT_MS): () => Promise<void> {
  let remaining = maxWaitMs;
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls % CALLS_PER_TURN === 0) await scheduler.wait(0);
    while (remaining > 0 && hasInteractiveWork()) {
      const start = Date.now();
      await scheduler.wait(CHECK_MS);
      remaining -= Math.max(CHECK_MS, Date.now() - start);
    }
  };
}
