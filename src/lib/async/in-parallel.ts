/** A Worker has six connections that wait for an answer. */
const AT_ONCE = 6;

/** Results in the order of the items, worked on a few side by side. */
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
