import { AMOUNT_LABELS } from './amounts.ts';
import { CONCEPTS } from './concepts.ts';

const CONCEPT_BY_LABEL = new Map<string, Set<string>>();
for (const { id, labels } of CONCEPTS) {
  for (const label of labels) CONCEPT_BY_LABEL.set(label, (CONCEPT_BY_LABEL.get(label) ?? new Set()).add(id));
}
for (const [role, { strong }] of Object.entries(AMOUNT_LABELS)) {
  for (const label of strong)
    CONCEPT_BY_LABEL.set(label, (CONCEPT_BY_LABEL.get(label) ?? new Set()).add(role));
}

/**
 * Returns the ids of the business concepts that a printed label stands for. Returns undefined for an unknown
 * label.
 */
export function findLabelConcepts(label: string): ReadonlySet<string> | undefined {
  return CONCEPT_BY_LABEL.get(label);
}
