/** Sets of the numbers from 0 to `count` - 1. Each number starts in a set of its own. */
export class DisjointSets {
  readonly #parents: Int32Array;

  constructor(count: number) {
    this.#parents = new Int32Array(count);
    for (let index = 0; index < count; index++) this.#parents[index] = index;
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
    const groups = new Map<number, T[]>();
    for (const [index, item] of items.entries()) {
      const set = this.find(index);
      const group = groups.get(set);
      if (group) group.push(item);
      else groups.set(set, [item]);
    }
    return [...groups.values()];
  }
}
