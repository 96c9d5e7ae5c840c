import { DenseCodes } from '#src/search/dense.ts';
import type { ShardMemory } from '#src/search/memory.ts';
import { getCodeStride } from '#src/search/vectors.ts';
import { readVectors } from '../chunks/chunk-rows.ts';
import { readRecentLocals } from './recent-batches.ts';

/**
 * Returns the number of codes per segment. A segment holds the codes of consecutive local ids and stays below
 * Cloudflare's limit of 2 MB per value.
 */
function getSegmentSize(dimension: number): number {
  return Math.min(4_096, 2 ** Math.floor(Math.log2(1_900_000 / getCodeStride(dimension))));
}

/**
 * Loads all vector codes into memory. `end` is the highest local id plus one. `makeRoom` is called with the
 * number of bytes by which the memory will grow.
 */
export function loadCodes(
  sql: SqlStorage,
  memory: ShardMemory,
  dimension: number,
  { end, makeRoom }: { end: number; makeRoom: (bytes: number) => void },
): DenseCodes {
  const codes = new DenseCodes(memory, dimension);
  makeRoom(codes.getMissingBytes(end));
  codes.reserve(end);
  const size = getSegmentSize(dimension);
  const segments = sql.exec<{ segment: number; codes: ArrayBuffer; scales: ArrayBuffer }>(
    'SELECT segment, codes, scales FROM code_segment ORDER BY segment',
  );
  for (const row of segments) {
    const first = row.segment * size;
    const count = Math.max(0, Math.min(size, end - first));
    codes.load(
      first,
      new Uint8Array(row.codes, 0, count * codes.stride),
      new Float32Array(row.scales, 0, count),
    );
  }
  // Recent chunks are newer than their segment, so their codes are computed from the vectors.
  for (const [local, vector] of readVectors(sql, readRecentLocals(sql))) codes.set(local, vector);
  return codes;
}

/** Writes the vector codes of recent chunks to the segments of codes in the database. */
export function writeCodeSegments(sql: SqlStorage, codes: DenseCodes): void {
  if (codes.dimension === 0) return;
  const size = getSegmentSize(codes.dimension);
  const segments = new Set(readRecentLocals(sql).map((local) => Math.floor(local / size)));
  for (const segment of segments) {
    const { codes: bytes, scales } = codes.read(segment * size, size);
    sql.exec('INSERT OR REPLACE INTO code_segment VALUES (?, ?, ?)', segment, bytes, scales.buffer);
  }
}
