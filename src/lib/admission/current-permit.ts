import { AsyncLocalStorage } from 'node:async_hooks';
import type { Permit } from './admission-queue.ts';

const current = new AsyncLocalStorage<Permit>();

/** Runs work that holds a permit. Everything that the work awaits can use `withoutPermit` and `releasePermit`. */
export const runWithPermit = <Result>(permit: Permit, work: () => Result): Result =>
  current.run(permit, work);

/** Runs work that waits for a client or another system, and lets others use the permit of this request meanwhile. */
export function withoutPermit<Result>(work: () => Promise<Result>): Promise<Result> {
  const permit = current.getStore();
  return permit ? permit.pause(work) : work();
}

/** Gives the permit of this request back, because the rest of the request mostly waits for a client. */
export const releasePermit = (): void => current.getStore()?.release();
