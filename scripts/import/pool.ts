/**
 * Calls `act` for each item, with at most `width` calls at a time. If `act` throws, no further items are
 * started and the error is thrown at the end.
 */
export async function runInPool<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { cause: unknown } | undefined;
  try {
    for await (const item of items) {
      if (failure) break;
      const one: Promise<void> = act(item)
        .catch((cause: unknown) => {
          failure ??= { cause };
        })
        .finally(() => running.delete(one));
      running.add(one);
      if (running.size >= width) await Promise.race(running);
    }
  } finally {
    // Started calls are awaited even if reading the items fails.
    await Promise.all(running);
  }
  if (failure) throw failure.cause;
}
