import type { Context as HonoContext } from 'hono';
import type { Context } from '#src/context/context.ts';
import { AdmissionQueue, NotAdmitted, type Permit } from '#src/lib/admission/admission-queue.ts';
import { runWithPermit } from '#src/lib/admission/current-permit.ts';
import { Unavailable } from '#src/lib/errors.ts';
import { count, observe } from '#src/metrics/meter.ts';
import { findTenant } from '#src/services/tenancy/rate-limit.ts';
import type { Settings } from '#src/settings/settings.ts';
import { getCredential } from './auth.ts';
import { readClientAddress } from './client-address.ts';
import type { ApiEnv } from './middleware.ts';

/** Admission queues by the settings of their isolate. */
const queues = new WeakMap<Settings, AdmissionQueue>();

/**
 * Runs the handling of a request once it is the caller's turn, so that many requests at once are answered in a fair
 * order. Throws `Unavailable` if the queue is full or the wait takes too long. The body of the answer may still be
 * streaming when the next request is admitted.
 */
export async function admit<Answer>(c: HonoContext<ApiEnv>, handle: () => Promise<Answer>): Promise<Answer> {
  const context = c.get('context');
  const queue = getQueue(context.settings);
  if (!queue) return handle();
  const { signal } = c.req.raw;
  const permit = queue.tryEnter() ?? (await waitForPermit(queue, context, c.req.raw));
  // The runtime cancels the request of a client that has disconnected, so `finally` may never run.
  signal.addEventListener('abort', permit.release, { once: true });
  try {
    return await runWithPermit(permit, handle);
  } finally {
    signal.removeEventListener('abort', permit.release);
    permit.release();
  }
}

function getQueue(settings: Settings): AdmissionQueue | undefined {
  const { REQUESTS_IN_FLIGHT, REQUESTS_WAITING, REQUEST_WAIT_SECONDS } = settings;
  if (REQUESTS_IN_FLIGHT === 0) return undefined;
  let queue = queues.get(settings);
  if (!queue) {
    const waitMs = REQUEST_WAIT_SECONDS * 1000;
    queue = new AdmissionQueue({ running: REQUESTS_IN_FLIGHT, waiting: REQUESTS_WAITING, waitMs });
    queues.set(settings, queue);
  }
  return queue;
}

async function waitForPermit(queue: AdmissionQueue, context: Context, request: Request): Promise<Permit> {
  const start = Date.now();
  const address = readClientAddress(request, context.settings);
  try {
    const permit = await queue.enter(
      await findTenant(context, getCredential(request), address),
      request.signal,
    );
    // The runtime reads requests that have arrived only while no work is ready. Without this pause, connections whose
    // requests it has not read would wait until all others have nothing to do.
    await scheduler.wait(0);
    countWait('admitted', start);
    return permit;
  } catch (error) {
    if (!(error instanceof NotAdmitted)) throw error;
    countWait(error.reason, start);
    throw new Unavailable(
      'Too many requests are waiting. Send the request again later.',
      undefined,
      error.waitSeconds,
    );
  }
}

function countWait(outcome: string, start: number): void {
  count('sluice_waiting_requests_total', { outcome });
  observe('sluice_request_wait_seconds', { outcome }, (Date.now() - start) / 1000);
}
