/** Maximum number of connections on which a Cloudflare Worker may wait for responses at once. */
export const MAX_PARALLEL = 6;

/** Processes a few items at the same time and returns the results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += MAX_PARALLEL) {
    for (const each of await Promise.all(items.slice(from, from + MAX_PARALLEL).map(work)))
      results.push(each);
  }
  return results;
}
