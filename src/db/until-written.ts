import { Unavailable } from '#src/lib/errors.ts';

const MOST_ATTEMPTS = 20;

/**
 * For a change that follows from the row as it was read. `attempt` reads the row and writes it only while what
 * it has used is still there; undefined when that is so no more: then it is read and written again. Of changes
 * at the same time none undoes another one.
 */
export async function untilWritten<Row>(attempt: () => Promise<Row | undefined>): Promise<Row> {
  for (let left = MOST_ATTEMPTS; left > 0; left -= 1) {
    const row = await attempt();
    if (row) return row;
  }
  throw new Unavailable('Too many changes of this at the same time.');
}
