import { chunk, DIMENSION, query } from './data.ts';

/** Returns the ids of the ten nearest chunks of each query by comparing all chunks. */
export function findExactNeighbours(count: number, queries: number): string[][] {
  const asked = Array.from({ length: queries }, (_, i) => query(i).vector);
  const best = asked.map(() => [] as { id: string; score: number }[]);
  for (let number = 0; number < count; number++) {
    const { vector } = chunk(number);
    for (const [i, wanted] of asked.entries()) {
      let score = 0;
      for (let j = 0; j < DIMENSION; j++) score += wanted[j]! * vector[j]!;
      const list = best[i]!;
      if (list.length === 10 && score <= list[9]!.score) continue;
      list.push({ id: String(number), score });
      list.sort((a, b) => b.score - a.score);
      list.length = Math.min(10, list.length);
    }
  }
  return best.map((list) => list.map(({ id }) => id));
}
