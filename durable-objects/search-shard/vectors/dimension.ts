import { BadRequest, Conflict } from '#src/lib/errors.ts';
import type { IndexedChunk } from '#src/ports/index-types.ts';
import { MAX_DIMENSIONS } from '#src/search/memory.ts';
import { computeNorm } from '#src/search/vectors.ts';

/**
 * Returns the dimension of the shard's vectors. The dimension is 0 if another store holds the vectors, and
 * null before the first chunk.
 */
export function readDimension(sql: SqlStorage): number | null {
  const rows = sql.exec<{ value: number }>(`SELECT value FROM setting WHERE name = 'dimension'`);
  return rows.toArray()[0]?.value ?? null;
}

/**
 * Returns the dimension of the shard's vectors, which the first staged vector determines. Throws if a vector
 * has another dimension, too many dimensions or values that are not finite.
 */
export function resolveDimension(sql: SqlStorage, chunks: IndexedChunk[]): number | null {
  const known = readDimension(sql);
  const dimension = known ?? chunks[0]?.vector.length ?? null;
  if (dimension === null) return null;
  if (dimension > MAX_DIMENSIONS) {
    throw new BadRequest(`Vectors must have 1 to ${MAX_DIMENSIONS} dimensions, but these have ${dimension}.`);
  }
  for (const { vector } of chunks) {
    checkDimension(dimension, vector.length);
    if (!Number.isFinite(computeNorm(vector)))
      throw new BadRequest('A vector contains values that are not finite numbers.');
  }
  if (known === null) sql.exec(`INSERT INTO setting (name, value) VALUES ('dimension', ?)`, dimension);
  return dimension;
}

export function checkDimension(dimension: number | null, length: number): void {
  if (dimension !== null && dimension !== length) {
    throw new Conflict(
      `The index holds vectors with ${dimension} dimensions, but this vector has ${length}.`,
    );
  }
}
