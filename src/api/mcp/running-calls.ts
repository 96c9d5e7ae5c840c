import { BadRequest } from '#src/lib/errors.ts';

/** Interval in milliseconds in which a running call looks whether it was cancelled. */
const LOOK_MS = 200;
/** Maximum number of calls that can be cancelled. The runtime may end a call without a word, so entries can be left over. */
const MAX_RUNNING = 10_000;

interface RunningCall {
  isCancelled: boolean;
}

/** Calls that this isolate runs, by the names of `nameCall`. */
const running = new Map<string, RunningCall>();

/** Pattern of session ids, which `createSessionId` creates and clients send with later requests. */
const SESSION_ID = /^[\w-]{1,100}$/;

/**
 * Returns the name of a call. Clients number their requests from 1, so an id alone names the calls of several clients
 * with the same key. Returns `undefined` if the client sent no session id, which would tell them apart.
 */
export function nameCall(caller: string, sessionId: string | null, id: unknown): string | undefined {
  const isNamed = typeof id === 'string' || typeof id === 'number';
  return isNamed && sessionId !== null && SESSION_ID.test(sessionId)
    ? JSON.stringify([caller, sessionId, id])
    : undefined;
}

/** Creates the session id of a client. It is not stored, and only tells the calls of clients apart. */
export const createSessionId = (): string => crypto.randomUUID();

/** Cancels a call if this isolate runs it. Returns whether it does. */
export function cancelCall(name: string | undefined): boolean {
  const call = name === undefined ? undefined : running.get(name);
  if (call) call.isCancelled = true;
  return call !== undefined;
}

/** Runs a call with a signal that aborts when `signal` does, or when the client cancels the call by its name. */
export async function runCancellable<Result>(
  name: string | undefined,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (name === undefined) return run(signal);
  const call: RunningCall = { isCancelled: false };
  running.set(name, call);
  if (running.size > MAX_RUNNING) running.delete(running.keys().next().value!);
  const controller = new AbortController();
  // The request of the notification must not abort the controller itself, because the runtime binds a request's
  // connections to that request.
  const timer = setInterval(() => {
    if (call.isCancelled) controller.abort(new BadRequest('The client cancelled this call.'));
  }, LOOK_MS);
  try {
    return await run(AbortSignal.any([signal, controller.signal]));
  } finally {
    clearInterval(timer);
    if (running.get(name) === call) running.delete(name);
  }
}
