import { FITTED } from '#src/builtin/extraction/weights.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import { CERTIFICATES } from '#test/builtin/extraction/kinds/certificates.ts';
import { DELIVERY_NOTES } from '#test/builtin/extraction/kinds/delivery-notes.ts';
import { LEASES } from '#test/builtin/extraction/kinds/leases.ts';
import { OTHERS } from '#test/builtin/extraction/kinds/others.ts';
import { PAYSLIPS } from '#test/builtin/extraction/kinds/payslips.ts';
import { textPage } from '#test/extraction/pages.ts';
import { computeRates } from '../extract-scoring.ts';
import { measure } from './extraction.ts';
import { fitModel } from './extraction-fit.ts';
import { buildSamples } from './extraction-samples.ts';
import { type Item, isFitted, readItems } from './extraction-sets.ts';

/** Documents on which weights are fitted, and documents that are only measured. */
export interface Sets {
  fitted: Item[];
  unseen: Item[];
}

const weight = await loadWordWeight();

export async function readSets(): Promise<Sets> {
  const items = await readItems();
  const unseen = items.filter((item) => !isFitted(item));
  return { fitted: items.filter(isFitted), unseen: [...unseen, ...buildWrittenItems()] };
}

/**
 * Returns the F1 of each kind of documents. It uses the weights of the project, or with `refit` weights
 * fitted with the current switches.
 */
export function measureSets({ fitted, unseen }: Sets, refit: boolean): Record<string, number> {
  return f1ByKind([...fitted, ...unseen], refit ? fitModel(buildSamples(fitted, weight)) : FITTED);
}

function f1ByKind(items: Item[], model: typeof FITTED): Record<string, number> {
  const kinds = Map.groupBy(items, ({ kind }) => kind);
  return Object.fromEntries(
    [...kinds].map(([kind, own]) => [kind, computeRates(measure(own, model, weight).counts).f1]),
  );
}

/**
 * Converts the short documents of the tests to items. Fields that a document does not state are expected to
 * be null.
 */
function buildWrittenItems(): Item[] {
  const papers = [...PAYSLIPS, ...CERTIFICATES, ...DELIVERY_NOTES, ...LEASES, ...OTHERS];
  return papers.map(({ name, page, properties, expected }) => ({
    kind: 'written papers',
    file: name,
    schema: { type: 'object', properties },
    expected: Object.fromEntries(Object.keys(properties).map((field) => [field, expected[field] ?? null])),
    pages: [textPage(page)],
  }));
}
