/**
 * Processes items one after the other, so that the memory of each is freed before the next. Rejects if
 * `checkpoint`, which is called after each item, rejects.
 */
export async function settleEach<Item, Result>(
  items: readonly Item[],
  checkpoint: () => Promise<void>,
  work: (item: Item, at: number) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const results: PromiseSettledResult<Result>[] = [];
  for (const [at, item] of items.entries()) {
    results.push((await Promise.allSettled([work(item, at)]))[0]);
    await checkpoint();
  }
  return results;
}
