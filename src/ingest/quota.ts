/**
 * Page quota of the documents' owner. Pages are taken before the work and returned if nothing was indexed.
 */
export interface PageQuota {
  /** Throws if the quota is known to be exhausted. */
  require(): void;
  /** Takes pages for each item as long as the quota lasts. Returns an error for each item that gets none. */
  take(wanted: readonly number[]): Promise<(Error | undefined)[]>;
  giveBack(pages: number): Promise<void>;
}

/** Runs the work for the items that the quota admits. Returns one result per item, in order. */
export async function withinQuota<Entry, Result>(
  quota: PageQuota | undefined,
  entries: readonly Entry[],
  pagesOf: (entry: Entry) => number,
  work: (admitted: Entry[]) => Promise<PromiseSettledResult<Result>[]>,
): Promise<PromiseSettledResult<Result>[]> {
  if (!quota || entries.length === 0) return work([...entries]);
  const refusals = await quota.take(entries.map(pagesOf));
  const admitted = entries.filter((_, at) => refusals[at] === undefined);
  const pagesIn = (some: Entry[]) => some.reduce((sum, entry) => sum + pagesOf(entry), 0);
  let results: PromiseSettledResult<Result>[];
  try {
    results = await work(admitted);
  } catch (error) {
    await quota.giveBack(pagesIn(admitted));
    throw error;
  }
  await quota.giveBack(pagesIn(admitted.filter((_, at) => results[at]!.status === 'rejected')));
  let next = 0;
  return refusals.map((reason) => (reason ? { status: 'rejected', reason } : results[next++]!));
}
