/**
 * Calls `act` for each item, with at most `width` calls at a time. If a call throws, no further items are
 * started. The error is thrown after all started calls have ended.
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
