import { DenseCodes } from '#src/search/dense.ts';
import type { ShardMemory } from '#src/search/memory.ts';
import { strideOf } from '#src/search/vectors.ts';
import { readVectors } from '../chunks/chunk-rows.ts';
import { recentLocals } from './recent-batches.ts';

/** Codes are kept in runs of consecutive local ids, as many as stay below the platform's 2 MB a value. */
function segmentSize(dimension: number): number {
  return Math.min(4_096, 2 ** Math.floor(Math.log2(1_900_000 / strideOf(dimension))));
}

/** `end`: one more than the highest local id; `makeRoom` is told what loading adds to the memory. */
export function loadCodes(
  sql: SqlStorage,
  memory: ShardMemory,
  dimension: number,
  { end, makeRoom }: { end: number; makeRoom: (bytes: number) => void },
): DenseCodes {
  const codes = new DenseCodes(memory, dimension);
  makeRoom(codes.missingFor(end));
  codes.reserve(end);
  const size = segmentSize(dimension);
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
  // These came after their segment was written: their vectors are the truth.
  for (const [local, vector] of readVectors(sql, recentLocals(sql))) codes.set(local, vector);
  return codes;
}

/** Writes the segments that have recent chunks. */
export function sealCodes(sql: SqlStorage, codes: DenseCodes): void {
  if (codes.dimension === 0) return;
  const size = segmentSize(codes.dimension);
  const segments = new Set(recentLocals(sql).map((local) => Math.floor(local / size)));
  for (const segment of segments) {
    const { codes: bytes, scales } = codes.read(segment * size, size);
    sql.exec('INSERT OR REPLACE INTO code_segment VALUES (?, ?, ?)', segment, bytes, scales.buffer);
  }
}
