import { largest } from '#src/lib/extremes.ts';

/** The first of each list, then the second of each. */
export function interleave<Item>(lists: Item[][]): Item[] {
  const longest = largest(
    lists.map((list) => list.length),
    0,
  );
  return Array.from({ length: longest }, (_, rank) =>
    lists.flatMap((list) => list.slice(rank, rank + 1)),
  ).flat();
}
