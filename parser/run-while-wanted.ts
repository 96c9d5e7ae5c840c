import type { IsWanted } from '#src/parse/service.ts';

const HEARTBEAT_MS = 3_000;

class Unwanted extends Error {
  override readonly name = 'Unwanted';
}

/**
 * Runs work that calls `checkpoint` regularly, and stops it with an error once the caller no longer wants the
 * result. A timer calls `isWanted` in between as well, so the caller can tell a waiting parser from a stuck
 * one.
 */
export async function runWhileWanted<Value>(
  isWanted: IsWanted,
  work: (checkpoint: () => Promise<void>) => Promise<Value>,
): Promise<Value> {
  let wanted = true;
  const ask = async () => {
    // A caller that cannot be reached does not need the result of the parser any longer.
    wanted &&= await isWanted().catch(() => false);
  };
  const timer = setInterval(ask, HEARTBEAT_MS);
  try {
    return await work(async () => {
      await ask();
      if (!wanted) throw new Unwanted('the caller no longer wants the result');
    });
  } finally {
    clearInterval(timer);
  }
}
