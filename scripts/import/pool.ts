/** Does `act` for each entry, at most `width` at a time. `act` deals with its own failures; what it throws ends all. */
export async function inPool<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const under = new Set<Promise<void>>();
  let broken: { cause: unknown } | undefined;
  try {
    for await (const item of items) {
      if (broken) break;
      const one: Promise<void> = act(item)
        .catch((cause: unknown) => {
          broken ??= { cause };
        })
        .finally(() => under.delete(one));
      under.add(one);
      if (under.size >= width) await Promise.race(under);
    }
  } finally {
    // Also when the items themselves break off: what has begun is finished.
    await Promise.all(under);
  }
  if (broken) throw broken.cause;
}
