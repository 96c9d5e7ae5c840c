import { type EvidenceModel, FEATURES } from '#src/builtin/extraction/evidence.ts';
import { extractWith } from '#src/builtin/extraction/extractor.ts';
import { FITTED } from '#src/builtin/extraction/weights.ts';
import { loadWordWeight, type WordWeight } from '#src/builtin/word-weight.ts';
import { checkEvidence } from '#src/extraction/check-evidence.ts';
import { buildResult } from '#src/extraction/result.ts';
import { isRecord } from '#src/json-schema/schema.ts';
import { extractWithRegex } from '../extract-baseline.ts';
import { add, type Counts, computeRates, isSame, score } from '../extract-scoring.ts';
import { fitModel } from './extraction-fit.ts';
import { buildSamples, excludeKind } from './extraction-samples.ts';
import { type Item, isFitted, readItems } from './extraction-sets.ts';
import { Reliability } from './reliability.ts';

const NOTHING: Counts = { correct: 0, returned: 0, expected: 0 };

/** Results for one kind of documents. */
class Measured {
  documents = 0;
  counts = NOTHING;
  cited = 0;
  readonly reliability = new Reliability();

  add(item: Item, values: Record<string, unknown>, metadata: unknown): void {
    const counts = score(values, item.expected);
    this.documents++;
    this.counts = add(this.counts, counts);
    this.cited += Math.min(counts.returned, JSON.stringify(metadata).match(/"citation":\[\{/g)?.length ?? 0);
    for (const [name, expected] of Object.entries(item.expected)) {
      const confidence = getConfidence(metadata, name);
      if (confidence !== undefined && values[name] !== null)
        this.reliability.add(confidence, isSame(values[name], expected));
    }
  }
}

/**
 * Measures extraction on real documents of several kinds. It uses the weights of the project and weights
 * fitted without the measured kind, next to a regex baseline. It also measures how often values with a given
 * confidence are right.
 */
export async function benchExtraction(shown?: string): Promise<void> {
  const items = await readItems();
  const weight = await loadWordWeight();
  const samples = buildSamples(items.filter(isFitted), weight);
  console.log(
    'kind                   docs fields |  tuned  P     R    F1 | left out  P     R    F1 |  regex P     R    F1 | cited',
  );
  const left = new Reliability();
  for (const kind of new Set(items.map((item) => item.kind))) {
    const own = items.filter((item) => item.kind === kind);
    const tuned = measure(own, FITTED, weight, shown);
    const without = own.every(isFitted) ? measure(own, fitModel(excludeKind(samples, kind)), weight) : tuned;
    const regex = own.reduce((sum, item) => add(sum, scoreBaseline(item)), NOTHING);
    left.join(without.reliability);
    const { documents, counts, cited } = tuned;
    console.log(
      `${kind.padEnd(22)}${String(documents).padStart(5)}${String(counts.expected).padStart(7)} |${formatRates(counts)} |${formatRates(without.counts).padStart(21)} |${formatRates(regex).padStart(19)} | ${(cited / Math.max(1, counts.returned)).toFixed(3)}`,
    );
    console.log(
      `${' '.repeat(22)}calibration error ${tuned.reliability.error().toFixed(3)}, left out ${without.reliability.error().toFixed(3)}`,
    );
  }
  console.log(`\nReliability, each kind left out (${FEATURES.length} kinds of evidence):\n${left.table()}`);
}

export function measure(items: Item[], model: EvidenceModel, weight: WordWeight, shown?: string): Measured {
  const measured = new Measured();
  for (const item of items) {
    const options = {
      schema: item.schema,
      target: 'per_doc',
      citeSources: true,
      confidenceScores: true,
    } as const;
    const found = extractWith(weight, item.schema, item.pages, 'per_doc', model);
    const result = buildResult(
      found.map((one) => checkEvidence(item.pages, one)),
      options,
    );
    const values = result.extract_result as Record<string, unknown>;
    measured.add(item, values, result.field_metadata);
    if (shown && (shown === 'all' || item.file.includes(shown))) printWrong(item, values);
  }
  return measured;
}

export function scoreBaseline({ schema, expected, pages }: Item): Counts {
  return score(extractWithRegex(schema, pages.map((page) => page.text).join('\n')), expected);
}

/**
 * Returns the confidence of a single value from the metadata of the result, or undefined if there is none.
 */
function getConfidence(metadata: unknown, name: string): number | undefined {
  const own = isRecord(metadata) ? metadata : {};
  const fields = isRecord(own.document_metadata) ? own.document_metadata : own;
  const entry = fields[name];
  return isRecord(entry) && typeof entry.confidence === 'number' ? entry.confidence : undefined;
}

const formatRates = (counts: Counts) => {
  const { precision, recall, f1 } = computeRates(counts);
  return [precision, recall, f1].map((value) => value.toFixed(3).padStart(6)).join('');
};

function printWrong(item: Item, actual: Record<string, unknown>): void {
  console.log(item.file);
  for (const [name, expected] of Object.entries(item.expected)) {
    if (isSame(actual[name], expected)) continue;
    console.log(`  ${name}: ${JSON.stringify(actual[name])} instead of ${JSON.stringify(expected)}`);
  }
}
