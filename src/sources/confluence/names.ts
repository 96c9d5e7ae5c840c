import { SourceError } from '#src/ports/source.ts';
import { type ConfluenceApi, MOST_USERS } from './api.ts';

/** What a run remembers of people, and how many it asks for on behalf of one page. */
const MOST_REMEMBERED = 20_000;
const MOST_MENTIONED = 2000;

/** Names of people by the ids of their accounts; those that the credentials do not show are left out. */
export function namesOf(api: ConfluenceApi): (ids: string[]) => Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  return async (ids) => {
    if (known.size > MOST_REMEMBERED) known.clear();
    const unknown = ids.slice(0, MOST_MENTIONED).filter((id) => !known.has(id));
    for (let at = 0; at < unknown.length; at += MOST_USERS) {
      for (const user of await askFor(api, unknown.slice(at, at + MOST_USERS))) {
        const name = user.displayName || user.publicName;
        if (name) known.set(user.accountId, name);
      }
    }
    return known;
  };
}

/** A page is worth reading without names too. */
async function askFor(api: ConfluenceApi, ids: string[]) {
  try {
    return await api.users(ids);
  } catch (error) {
    if (error instanceof SourceError && !error.retryable) return [];
    throw error;
  }
}
