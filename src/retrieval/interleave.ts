import { largest } from '#src/lib/extremes.ts';

/** Returns the first items of all lists, then the second items of all lists, and so on. */
export function interleave<Item>(lists: Item[][]): Item[] {
  const longest = largest(
    lists.map((list) => list.length),
    0,
  );
  return Array.from({ length: longest }, (_, rank) =>
    lists.flatMap((list) => list.slice(rank, rank + 1)),
  ).flat();
}
