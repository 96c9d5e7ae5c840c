import { type EvidenceMap, type FieldEvidence, pointer } from '#src/extraction/evidence.ts';
import type { Candidate } from './candidates.ts';

/** Where the values that an extraction takes were read, by the pointer of each. */
export class Notes {
  readonly evidence = new Map<string, FieldEvidence>();

  /** The candidate's value, noted. */
  take(path: (string | number)[], candidate: Candidate): unknown {
    this.evidence.set(pointer(path), evidenceOf(candidate));
    return candidate.value;
  }

  /** Takes over what was noted of a value that stands at `path` here. */
  add(other: Notes, path: (string | number)[]): void {
    for (const [at, evidence] of other.evidence) this.evidence.set(pointer(path) + at, evidence);
  }
}

/** The evidence of the items of a list, by their position, each with pointers that begin at its item. */
export function byItem(evidence: EvidenceMap): Map<string, Map<string, FieldEvidence>> {
  const items = new Map<string, Map<string, FieldEvidence>>();
  for (const [at, found] of evidence) {
    const end = at.indexOf('/', 1);
    const index = at.slice(1, end);
    items.set(index, (items.get(index) ?? new Map()).set(at.slice(end), found));
  }
  return items;
}

function evidenceOf(candidate: Candidate): FieldEvidence {
  return {
    confidence: candidate.score,
    citations: candidate.spans.map((span) => ({
      page: span.page + 1,
      matching_text: span.text,
      ...(span.box && { bounding_boxes: [span.box] }),
    })),
    ...reasoning(candidate),
  };
}

const LONGEST_SENTENCE = 200;

function reasoning({ label, sentence }: Candidate): Pick<FieldEvidence, 'reasoning'> {
  if (label) return { reasoning: `Read at the label "${label.trim()}".` };
  if (!sentence) return {};
  const shown =
    sentence.length > LONGEST_SENTENCE ? `${sentence.slice(0, LONGEST_SENTENCE).trimEnd()}…` : sentence;
  return { reasoning: `Read in the sentence "${shown}".` };
}
