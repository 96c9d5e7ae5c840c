import { type Found, getNodeId } from './use-retrieval.ts';

/** One-based ranks by node id. */
export type Ranks = ReadonlyMap<string, number>;

export const rankById = (found: Found[]): Ranks =>
  new Map(found.map((each, at) => [getNodeId(each), at + 1]));

/** Counts the nodes of `found` that have no rank in `ranks`. */
export const countMissing = (found: Found[], ranks: Ranks): number =>
  found.filter((each) => !ranks.has(getNodeId(each))).length;
