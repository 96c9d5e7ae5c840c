/** Pages that whoever the documents belong to may have indexed; taken before the work, given back where nothing came of it. */
export interface PageQuota {
  /** Throws when it is known that none are left. */
  require(): void;
  /** Takes pages for each of these, as many as there are; why not, for those that get none. */
  take(wanted: readonly number[]): Promise<(Error | undefined)[]>;
  giveBack(pages: number): Promise<void>;
}

/** Has the work done for those that the quota admits. Tells of each, in their order. */
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
