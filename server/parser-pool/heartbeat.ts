import type { IsWanted } from '#src/parse/service.ts';
import type { Lease } from './lease.ts';

/**
 * Interval in milliseconds between the heartbeats of a call that waits for a parser process. A working parser
 * uses the same interval.
 */
const BEAT_MS = 3_000;
/** Interval in milliseconds at which the age of the last heartbeat is checked. */
const CHECK_MS = 500;

/**
 * Runs a parser call and watches its heartbeats: the parser asks every few seconds whether the call is still
 * wanted. After `silenceMs` without a heartbeat, the parser's thread is blocked, and the lease is reported as
 * silent.
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

/**
 * Waits for a parser process and sends heartbeats to the caller meanwhile. Aborts the wait once the caller no
 * longer wants the result.
 */
export async function whileWaiting<Value>(
  isWanted: IsWanted,
  wait: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const unwanted = new AbortController();
  const timer = setInterval(async () => {
    if (!(await isWanted().catch(() => false)))
      unwanted.abort(new Error('the caller no longer wants the result'));
  }, BEAT_MS);
  try {
    return await wait(unwanted.signal);
  } finally {
    clearInterval(timer);
  }
}
