import { type Found, getNodeId } from './use-retrieval.ts';

/** Ranks of search results by node id. The best result has rank 1. */
export type Ranks = ReadonlyMap<string, number>;

export const rankById = (found: Found[]): Ranks =>
  new Map(found.map((each, at) => [getNodeId(each), at + 1]));

/** Counts the search results in `found` that do not occur in `ranks`. */
export const countMissing = (found: Found[], ranks: Ranks): number =>
  found.filter((each) => !ranks.has(getNodeId(each))).length;
