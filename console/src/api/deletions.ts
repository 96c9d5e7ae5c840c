import type { Query, QueryClient } from '@tanstack/react-query';

/** Outcomes of the deletions that are under way, by the id of the item. True if the item was deleted. */
const pending = new Map<string, Promise<boolean>>();
const deleted = new Set<string>();

interface Deletion {
  /** Id of the item, which no other item gets later. */
  id: string;
  remove: () => Promise<unknown>;
  /** Leaves the page of the item. Called once the item is deleted. */
  leave: () => unknown;
}

/**
 * Deletes an item and leaves its page. Requests for the item that are under way are aborted, and no further ones are
 * sent, because they would fail. If the deletion fails, they are sent after it. Rejects with the error of `remove`.
 */
export async function deleteItem(client: QueryClient, { id, remove, leave }: Deletion): Promise<void> {
  const filters = { predicate: ({ queryKey }: Query) => hasValue(queryKey, toBareId(id)) };
  const { promise: outcome, resolve: end } = Promise.withResolvers<boolean>();
  pending.set(toBareId(id), outcome);
  try {
    await client.cancelQueries(filters);
    await remove();
    deleted.add(toBareId(id));
  } catch (error) {
    void client.invalidateQueries(filters);
    throw error;
  } finally {
    pending.delete(toBareId(id));
    end(deleted.has(toBareId(id)));
  }
  leave();
  client.removeQueries({ ...filters, type: 'inactive' });
}

/**
 * Checks a request before it is sent. Returns false if one of its path parameters names an item that was deleted. While
 * the item is being deleted, the request waits, and goes on only if the deletion fails.
 */
export async function mayRequest(params: Record<string, unknown> = {}): Promise<boolean> {
  const ids = Object.values(params).map((value) => toBareId(String(value)));
  for (const id of ids) {
    // The page that has sent the request is being left, so that nobody needs an answer.
    if (await pending.get(id)) await new Promise<never>(() => {});
  }
  return !ids.some((id) => deleted.has(id));
}

/** Ids of files can have a prefix, and both forms name the same file. */
const toBareId = (id: string) => id.replace(/^dfl-/, '');

/** Returns true if a query key contains an id, at any depth. */
function hasValue(part: unknown, id: string): boolean {
  if (typeof part === 'string') return toBareId(part) === id;
  return typeof part === 'object' && part !== null && Object.values(part).some((each) => hasValue(each, id));
}
