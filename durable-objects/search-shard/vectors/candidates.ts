import type { SearchHit } from '#src/ports/index-types.ts';
import type { Candidate, ShardAnswer } from '#src/ports/shard.ts';
import { hasBit } from '#src/search/bitset.ts';
import { compareHits } from '#src/search/fusion.ts';
import { MAX_IDS_PER_VALUE, toSlices } from '../postings/slices.ts';
import type { Ranked } from '../ranking.ts';

/**
 * Ranks the chunks that an external vector store found. Returns the k best chunks among those that exist in
 * this shard and are allowed by the query.
 */
export function rankCandidates(
  sql: SqlStorage,
  candidates: Candidate[],
  allowed: Uint8Array,
  k: number,
): Ranked {
  const best = new Map<number, SearchHit>();
  for (const slice of toSlices(candidates, MAX_IDS_PER_VALUE)) {
    const rows = sql.exec<{ at: number; local: number; id: string; position: number; document_id: string }>(
      `SELECT w.key AS at, c.local, c.id, c.position, v.document_id
       FROM json_each(?) w
       JOIN version v ON v.document_id = w.value ->> 0 AND v.version = w.value ->> 1
       JOIN chunk c ON c.version_key = v.key AND c.position = w.value ->> 2`,
      JSON.stringify(slice.map(({ documentId, version, position }) => [documentId, version, position])),
    );
    for (const { at, local, id, position, document_id } of rows) {
      const { score } = slice[at]!;
      // The external vector store may return the same chunk several times. Only the best score counts.
      const isBetter = score > (best.get(local)?.score ?? Number.NEGATIVE_INFINITY);
      if (isBetter && hasBit(allowed, local))
        best.set(local, { id, documentId: document_id, position, score });
    }
  }
  const sorted = [...best].sort(([, a], [, b]) => compareHits(a, b)).slice(0, k);
  return { hits: sorted.map(([, hit]) => hit), locals: sorted.map(([local]) => local) };
}

/**
 * Lists documents for which the external vector store returned an outdated version. Each is returned with the
 * version that is published now.
 */
export function findOvertaken(sql: SqlStorage, candidates: Candidate[] = []): Pick<ShardAnswer, 'overtaken'> {
  const overtaken: NonNullable<ShardAnswer['overtaken']> = [];
  for (const slice of toSlices(candidates, MAX_IDS_PER_VALUE)) {
    const rows = sql.exec<{ document_id: string; version: number }>(
      `SELECT DISTINCT v.document_id, v.version
       FROM json_each(?) w JOIN version v ON v.document_id = w.value ->> 0
       WHERE v.published = 1 AND v.version > w.value ->> 1`,
      JSON.stringify(slice.map(({ documentId, version }) => [documentId, version])),
    );
    for (const { document_id, version } of rows) overtaken.push({ documentId: document_id, version });
  }
  return overtaken.length > 0 ? { overtaken } : {};
}
