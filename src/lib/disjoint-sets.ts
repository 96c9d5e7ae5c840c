/** Sets of the numbers from 0 to `count` - 1. Each number starts in a set of its own. */
export class DisjointSets {
  readonly #parents: number[];

  constructor(count: number) {
    this.#parents = Array.from({ length: count }, (_, index) => index);
  }

  /** Returns the number that represents the set of `index`. */
  find(index: number): number {
    const parents = this.#parents;
    let at = index;
    while (parents[at] !== at) {
      // Halving the path keeps later searches short.
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  }

  join(one: number, other: number): void {
    this.#parents[this.find(one)] = this.find(other);
  }

  /** Groups items by their sets, in the order of the first item of each set. */
  group<T>(items: readonly T[]): T[][] {
    const groups = Map.groupBy(items.entries(), ([index]) => this.find(index));
    return [...groups.values()].map((entries) => entries.map(([, item]) => item));
  }
}
