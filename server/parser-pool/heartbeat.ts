import type { IsWanted } from '#src/parse/service.ts';
import type { Lease } from './lease.ts';

/** How often a waiting call tells its caller that it is still there, in milliseconds; as often as a working parser does. */
const BEAT_MS = 3_000;
/** How often the last heartbeat's age is checked, in milliseconds. */
const CHECK_MS = 500;

/**
 * Runs a parser call and reports the lease as silent once the parser has not asked for `silenceMs` whether the call is
 * still wanted. The parser asks every few seconds unless its thread is blocked.
 */
export async function withHeartbeat<Value>(
  isWanted: IsWanted,
  silenceMs: number,
  lease: Pick<Lease, 'reportSilence'>,
  call: (beat: IsWanted) => Promise<Value>,
): Promise<Value> {
  let lastBeat = Date.now();
  let isReported = false;
  const timer = setInterval(() => {
    if (isReported || Date.now() - lastBeat < silenceMs) return;
    isReported = true;
    void lease.reportSilence();
  }, CHECK_MS);
  try {
    return await call(async () => {
      lastBeat = Date.now();
      return isWanted();
    });
  } finally {
    clearInterval(timer);
  }
}

/** Waits for something on behalf of a caller, beating meanwhile. Aborts the wait once the caller no longer wants it. */
export async function whileWaiting<Value>(
  isWanted: IsWanted,
  wait: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const unwanted = new AbortController();
  const timer = setInterval(async () => {
    if (!(await isWanted().catch(() => false))) unwanted.abort(new Error('nobody wants the result any more'));
  }, BEAT_MS);
  try {
    return await wait(unwanted.signal);
  } finally {
    clearInterval(timer);
  }
}
