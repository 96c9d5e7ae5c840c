/**
 * One after the other, so that what each holds in memory goes before the next. Rejects once `checkpoint`, which is
 * called after each, does.
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
