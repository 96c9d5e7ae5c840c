import { type EvidenceMap, type FieldEvidence, toPointer } from '#src/extraction/evidence.ts';
import type { Candidate } from './candidates.ts';

/** Collects the evidence for all extracted values, by the JSON pointer of each value. */
export class EvidenceCollector {
  readonly evidence = new Map<string, FieldEvidence>();

  record(path: (string | number)[], candidate: Candidate): unknown {
    this.evidence.set(toPointer(path), toFieldEvidence(candidate));
    return candidate.value;
  }

  /** Copies the evidence for the parts of a nested value. Each JSON pointer gets `path` as its prefix. */
  addNested(other: EvidenceCollector, path: (string | number)[]): void {
    for (const [at, evidence] of other.evidence) this.evidence.set(toPointer(path) + at, evidence);
  }
}

/**
 * Groups the evidence for the values of a list by list item. The JSON pointers in each group are relative to
 * the item.
 */
export function groupByItem(evidence: EvidenceMap): Map<string, Map<string, FieldEvidence>> {
  const items = new Map<string, Map<string, FieldEvidence>>();
  for (const [at, found] of evidence) {
    const end = at.indexOf('/', 1);
    const index = at.slice(1, end);
    items.set(index, (items.get(index) ?? new Map()).set(at.slice(end), found));
  }
  return items;
}

function toFieldEvidence(candidate: Candidate): FieldEvidence {
  return {
    confidence: candidate.score,
    citations: candidate.spans.map((span) => ({
      page: span.page + 1,
      matching_text: span.text,
      ...(span.box && { bounding_boxes: [span.box] }),
    })),
    ...describeSource(candidate),
  };
}

const MAX_SENTENCE_LENGTH = 200;

function describeSource({ label, sentence }: Candidate): Pick<FieldEvidence, 'reasoning'> {
  if (label) return { reasoning: `Read at the label "${label.trim()}".` };
  if (!sentence) return {};
  const shown =
    sentence.length > MAX_SENTENCE_LENGTH ? `${sentence.slice(0, MAX_SENTENCE_LENGTH).trimEnd()}…` : sentence;
  return { reasoning: `Read in the sentence "${shown}".` };
}
