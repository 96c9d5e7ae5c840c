import { Upstream } from '#src/lib/errors.ts';

/**
 * Maximum number of concurrent calls to a language model. Cloudflare allows a Worker six connections that
 * wait for a response.
 */
const MAX_CONCURRENT_CALLS = 4;
const CHECKPOINT_INTERVAL_MS = 2_000;
/**
 * Maximum total time in milliseconds to wait for rate limits. After that time, the rate limit error is
 * thrown.
 */
const MAX_RATE_LIMIT_WAIT_MS = 2 * 60_000;
const DEFAULT_RETRY_SECONDS = 5;

/**
 * Processes several items at a time and calls `checkpoint` at intervals. The first error cancels the
 * remaining work. After a rate limit (HTTP 429), all work pauses and the item is tried again.
 */
export async function processConcurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
  checkpoint: () => Promise<void>,
  maxWaitMs = MAX_RATE_LIMIT_WAIT_MS,
): Promise<Result[]> {
  const stop = new AbortController();
  const results: Result[] = [];
  const pause = { until: 0, remainingMs: maxWaitMs };
  let next = 0;
  const runWorker = async () => {
    for (let at = next++; at < items.length; at = next++) {
      for (let isDone = false; !isDone; ) {
        await waitUntilDue(pause, stop.signal);
        stop.signal.throwIfAborted();
        try {
          results[at] = await work(items[at]!, stop.signal);
          isDone = true;
        } catch (error) {
          if (!pauseForRateLimit(error, pause)) throw error;
        }
      }
    }
  };
  const workers = Array.from({ length: Math.min(MAX_CONCURRENT_CALLS, items.length) }, runWorker);
  const checkpoints = callCheckpoints(checkpoint, stop.signal);
  try {
    await Promise.race([Promise.all(workers), checkpoints]);
    return results;
  } finally {
    stop.abort(new Error('The remaining work was cancelled.'));
    await Promise.allSettled([...workers, checkpoints]);
  }
}

interface Pause {
  until: number;
  remainingMs: number;
}

/**
 * Pauses all work if the error is a rate limit and waiting time is left. Returns false if the error must be
 * thrown instead.
 */
function pauseForRateLimit(error: unknown, pause: Pause): boolean {
  if (!(error instanceof Upstream) || error.status !== 429) return false;
  const now = Date.now();
  const until = now + 1000 * (error.retryAfter ?? DEFAULT_RETRY_SECONDS);
  if (until <= pause.until) return true;
  const further = until - Math.max(now, pause.until);
  if (further > pause.remainingMs) return false;
  pause.remainingMs -= further;
  pause.until = until;
  return true;
}

async function waitUntilDue(pause: Pause, signal: AbortSignal): Promise<void> {
  while (Date.now() < pause.until && !signal.aborted) {
    await scheduler.wait(Math.min(250, pause.until - Date.now()));
  }
}

/**
 * Calls `checkpoint` at intervals until the signal aborts. Never resolves. Rejects with the error of
 * `checkpoint`, or with the signal's reason.
 */
async function callCheckpoints(checkpoint: () => Promise<void>, signal: AbortSignal): Promise<never> {
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  for (;;) {
    await Promise.race([scheduler.wait(CHECKPOINT_INTERVAL_MS), aborted]);
    signal.throwIfAborted();
    await checkpoint();
  }
}
