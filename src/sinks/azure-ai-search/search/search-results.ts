import { z } from 'zod';
import { toCosine } from '#src/sinks/azure-ai-search/wire.ts';
import type { ChunkRecord, FoundRecord } from '#src/sinks/native/ledger/chunk-store.ts';
import { encodedRecord } from '#src/sinks/native/record-json.ts';

// Response schemas of searches for whole chunks. Documents that Sluice did not write become `null`.

const record = z.object({ sluice_record: encodedRecord });
export const records = z.object({ value: z.array(record.nullable().catch(null)) });

const scored = record.extend({ '@search.score': z.number().positive() });
export const scoredRecords = z.object({ value: z.array(scored.nullable().catch(null)) });

const score = z.object({ searchScore: z.number().nullish() }).nullish();
const subscores = z.object({
  text: score,
  /** Scores by the name of the vector field, for each vector query. */
  vectors: z.array(z.object({ vector: score })).nullish(),
});
const fused = record.extend({
  '@search.documentDebugInfo': z
    .object({ vectors: z.object({ subscores }).nullish().catch(null) })
    .nullish()
    .catch(null),
});
export const fusedRecords = z.object({ value: z.array(fused.nullable().catch(null)) });
type Fused = z.output<typeof fusedRecords>['value'];

export const toRecords = (value: z.output<typeof records>['value']): ChunkRecord[] =>
  value.flatMap((each) => (each ? [each.sluice_record] : []));

/** Returns the results of a search with one arm. */
export function toFoundRecords(
  value: z.output<typeof scoredRecords>['value'],
  convert: (score: number) => number,
): FoundRecord[] {
  return value.flatMap((each) =>
    each ? [{ ...each.sluice_record, score: convert(each['@search.score']) }] : [],
  );
}

/**
 * Separates the results of a hybrid search by the arms that found them, each with the arm's own score. Returns `undefined`
 * if the response does not contain these scores.
 */
export function separateArms(value: Fused): { dense: FoundRecord[]; sparse: FoundRecord[] } | undefined {
  const arms: { dense: FoundRecord[]; sparse: FoundRecord[] } = { dense: [], sparse: [] };
  for (const each of value) {
    if (!each) continue;
    const scores = each['@search.documentDebugInfo']?.vectors?.subscores;
    if (!scores) return undefined;
    const words = scores.text?.searchScore ?? 0;
    const vector = scores.vectors?.[0]?.vector?.searchScore ?? 0;
    if (words > 0) arms.sparse.push({ ...each.sluice_record, score: words });
    if (vector > 0) arms.dense.push({ ...each.sluice_record, score: toCosine(vector) });
  }
  const sort = (found: FoundRecord[]) => found.sort((one, other) => other.score - one.score);
  return { dense: sort(arms.dense), sparse: sort(arms.sparse) };
}
