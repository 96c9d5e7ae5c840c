/** Number of connections of a Worker that may wait for an answer at once. */
const AT_ONCE = 6;

/** Processes items a few at a time and returns the results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    for (const each of await Promise.all(items.slice(from, from + AT_ONCE).map(work))) results.push(each);
  }
  return results;
}
