import { type Found, idOf } from './use-retrieval.ts';

/** Places from 1 by node. */
export type Moves = ReadonlyMap<string, number>;

export const placesOf = (found: Found[]): Moves => new Map(found.map((each, at) => [idOf(each), at + 1]));

/** How many nodes of `found` are not in `places`. */
export const missingFrom = (found: Found[], places: Moves): number =>
  found.filter((each) => !places.has(idOf(each))).length;
