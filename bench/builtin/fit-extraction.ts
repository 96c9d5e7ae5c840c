/**
 * Fits what evidence weighs in extraction on the sets of extraction-sets.ts and writes src/builtin/extraction/weights.ts;
 * prints what it would weigh with each kind of document left out. extraction.ts measures either.
 * Run: node bench/builtin/fit-extraction.ts   (CORPORA=<dir>)
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvidenceModel } from '#src/builtin/extraction/evidence.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import { fitModel } from './extraction-fit.ts';
import { samplesOf, withoutKind } from './extraction-samples.ts';
import { readItems } from './extraction-sets.ts';

const FILE = join(import.meta.dirname, '../../src/builtin/extraction/weights.ts');

const samples = samplesOf(await readItems(), await loadWordWeight());
for (const kind of new Set(samples.map((sample) => sample.kind))) {
  const { weights, nothing } = fitModel(withoutKind(samples, kind));
  const shown = Object.entries(weights).map(([name, weight]) => `${name} ${weight.toFixed(1)}`);
  console.log(`without ${kind}: nothing ${nothing.toFixed(1)}, ${shown.join(', ')}\n`);
}
writeFileSync(FILE, sourceOf(fitModel(samples)));
console.log(`${samples.length} questions; wrote ${FILE}`);

function sourceOf({ nothing, notInList, weights }: EvidenceModel): string {
  const lines = Object.entries(weights).map(([name, weight]) => `    ${name}: ${rounded(weight)},`);
  return `import type { EvidenceModel } from './evidence.ts';

/** Written by bench/builtin/fit-extraction.ts. */
export const FITTED: EvidenceModel = {
  nothing: ${rounded(nothing)},
  notInList: ${rounded(notInList)},
  weights: {
${lines.join('\n')}
  },
};
`;
}

function rounded(weight: number): number {
  return Math.round(weight * 1000) / 1000;
}
