import { Unavailable } from '#src/lib/errors.ts';

const MAX_ATTEMPTS = 20;

/**
 * Repeats a read and update until no concurrent change interferes. `attempt` reads a row and updates it only
 * if the row is still unchanged. Otherwise `attempt` returns `undefined` and is called again. Throws
 * `Unavailable` after 20 attempts.
 */
export async function retryUntilWritten<Row>(attempt: () => Promise<Row | undefined>): Promise<Row> {
  for (let left = MAX_ATTEMPTS; left > 0; left -= 1) {
    const row = await attempt();
    if (row) return row;
  }
  throw new Unavailable('Too many concurrent changes to the same resource. Retry the request.');
}
