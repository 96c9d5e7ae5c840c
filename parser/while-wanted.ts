import type { IsWanted } from '#src/parse/service.ts';

const HEARTBEAT_MS = 3_000;

/** The caller takes no answer any more. */
class Unwanted extends Error {
  override readonly name = 'Unwanted';
}

/**
 * Does work that asks at each checkpoint whether it is still wanted, and beats in between, so that a caller can tell
 * a parser that waits for an engine from one that is stuck.
 */
export async function whileWanted<Value>(
  isWanted: IsWanted,
  work: (checkpoint: () => Promise<void>) => Promise<Value>,
): Promise<Value> {
  let wanted = true;
  const ask = async () => {
    // A caller that cannot be reached is gone.
    wanted &&= await isWanted().catch(() => false);
  };
  const timer = setInterval(ask, HEARTBEAT_MS);
  try {
    return await work(async () => {
      await ask();
      if (!wanted) throw new Unwanted('nobody wants the result any more');
    });
  } finally {
    clearInterval(timer);
  }
}
