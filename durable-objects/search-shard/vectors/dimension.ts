import { BadRequest, Conflict } from '#src/lib/errors.ts';
import type { IndexedChunk } from '#src/ports/index-types.ts';
import { MOST_DIMENSIONS } from '#src/search/memory.ts';
import { normOf } from '#src/search/vectors.ts';

/** Of all vectors of the shard, 0 where another store holds them; null before the first. */
export function dimensionOf(sql: SqlStorage): number | null {
  const rows = sql.exec<{ value: number }>(`SELECT value FROM setting WHERE name = 'dimension'`);
  return rows.toArray()[0]?.value ?? null;
}

/** The first vector decides; refuses vectors that cannot be compared with the others. */
export function fixDimension(sql: SqlStorage, chunks: IndexedChunk[]): number | null {
  const known = dimensionOf(sql);
  const dimension = known ?? chunks[0]?.vector.length ?? null;
  if (dimension === null) return null;
  if (dimension > MOST_DIMENSIONS) {
    throw new BadRequest(`vectors have 1 to ${MOST_DIMENSIONS} dimensions`);
  }
  for (const { vector } of chunks) {
    checkDimension(dimension, vector.length);
    if (!Number.isFinite(normOf(vector)))
      throw new BadRequest('a vector has components that are not numbers');
  }
  if (known === null) sql.exec(`INSERT INTO setting (name, value) VALUES ('dimension', ?)`, dimension);
  return dimension;
}

export function checkDimension(dimension: number | null, length: number): void {
  if (dimension !== null && dimension !== length) {
    throw new Conflict(`the index holds vectors of ${dimension} dimensions, not ${length}`);
  }
}
