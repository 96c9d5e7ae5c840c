import { Unavailable } from '#src/lib/errors.ts';

const MAX_ATTEMPTS = 20;

/**
 * Retries a change that depends on the current row, so that concurrent changes do not overwrite each other.
 * `attempt` reads the row and writes it only if the values it used are unchanged. It returns `undefined` if
 * they changed in between, and is then called again. Throws `Unavailable` after 20 attempts.
 */
export async function retryUntilWritten<Row>(attempt: () => Promise<Row | undefined>): Promise<Row> {
  for (let left = MAX_ATTEMPTS; left > 0; left -= 1) {
    const row = await attempt();
    if (row) return row;
  }
  throw new Unavailable('Too many concurrent changes to the same resource. Retry the request.');
}
