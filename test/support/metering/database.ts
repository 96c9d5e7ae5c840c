import { count } from './counts.ts';
import { replaced } from './hear.ts';

interface Inside {
  constructor: new (fetcher: unknown) => D1Database;
  fetcher: unknown;
  alwaysPrimarySession: Record<string, unknown>;
}

interface Told {
  meta?: { rows_read?: number; rows_written?: number };
}

/** Internal methods with which the D1 client sends queries. */
const ASKING = ['_send', '_queryOrThrow'];

/**
 * Returns a client of the same database that counts rows. Counting happens inside the D1 client, because the
 * result of `raw` does not include row counts.
 */
export function meteredDatabase(db: D1Database): D1Database {
  const { constructor: Client, fetcher } = db as unknown as Inside;
  const own = new Client(fetcher);
  const session = (own as unknown as Inside).alwaysPrimarySession;
  for (const name of ASKING) {
    if (typeof session[name] !== 'function') continue;
    replaced(session, name, (ask) => async (...args) => {
      const told = (await ask(...args)) as Told | Told[];
      for (const { meta } of [told].flat()) {
        count('D1 statements');
        count('D1 rows read', meta?.rows_read ?? 0);
        count('D1 rows written', meta?.rows_written ?? 0);
      }
      return told;
    });
  }
  return own;
}
