/**
 * Page quota of the tenant that owns the documents. Pages are taken before the work and refunded for
 * documents that fail.
 */
export interface PageQuota {
  /** Throws if the quota is known to be used up. */
  require(): void;
  /**
   * Takes pages from the quota for each item, as long as the quota suffices. Returns an error for each item
   * that gets no pages.
   */
  take(wanted: readonly number[]): Promise<(Error | undefined)[]>;
  refund(pages: number): Promise<void>;
}

/** Runs the work for the items for which the page quota suffices. Returns one result per item, in order. */
export async function withinQuota<Entry, Result>(
  quota: PageQuota | undefined,
  entries: readonly Entry[],
  countPages: (entry: Entry) => number,
  work: (admitted: Entry[]) => Promise<PromiseSettledResult<Result>[]>,
): Promise<PromiseSettledResult<Result>[]> {
  if (!quota || entries.length === 0) return work([...entries]);
  const refusals = await quota.take(entries.map(countPages));
  const admitted = entries.filter((_, at) => refusals[at] === undefined);
  const sumPages = (some: Entry[]) => some.reduce((sum, entry) => sum + countPages(entry), 0);
  let results: PromiseSettledResult<Result>[];
  try {
    results = await work(admitted);
  } catch (error) {
    await quota.refund(sumPages(admitted));
    throw error;
  }
  await quota.refund(sumPages(admitted.filter((_, at) => results[at]!.status === 'rejected')));
  let next = 0;
  return refusals.map((reason) => (reason ? { status: 'rejected', reason } : results[next++]!));
}
