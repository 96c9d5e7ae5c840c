import { canonicalJson } from '../../../lib/hash.ts';
import { type EvidenceMap, type FieldEvidence, pointer } from '../evidence.ts';
import { isRecord } from '../schema.ts';

export interface Piece {
  value: unknown;
  evidence: EvidenceMap;
}

/**
 * Answers about the chunks of one document, in order, as one answer: of a scalar the value that is best
 * supported, the earlier one when they are alike; lists one after the other without what is there already;
 * objects member by member. Evidence moves along with the values.
 */
export function mergePieces(pieces: Piece[]): { value: Record<string, unknown>; evidence: EvidenceMap } {
  const evidence = new Map<string, FieldEvidence>();
  const merged = merge(
    pieces.map(({ value, evidence: from }) => ({ value, at: [], from })),
    [],
    evidence,
  );
  return { value: isRecord(merged) ? merged : {}, evidence };
}

/** A value, where it stood in its piece, and that piece's evidence. */
interface Part {
  value: unknown;
  at: (string | number)[];
  from: EvidenceMap;
}

type Path = (string | number)[];

function merge(parts: Part[], to: Path, evidence: Map<string, FieldEvidence>): unknown {
  const given = parts.filter(({ value }) => value !== null && value !== undefined);
  const first = given[0];
  if (!first) return null;
  if (isRecord(first.value))
    return mergeObjects(
      given.filter(({ value }) => isRecord(value)),
      to,
      evidence,
    );
  if (Array.isArray(first.value)) {
    return mergeLists(
      given.filter(({ value }) => Array.isArray(value)),
      to,
      evidence,
    );
  }
  const support = ({ at, from }: Part) => from.get(pointer(at))?.confidence ?? 0;
  const best = given.reduce((left, right) => (support(right) > support(left) ? right : left));
  copyEvidence(best, to, evidence);
  return best.value;
}

function mergeObjects(parts: Part[], to: Path, evidence: Map<string, FieldEvidence>) {
  const names = new Set(parts.flatMap(({ value }) => Object.keys(value as object)));
  const members = [...names].map((name) => {
    const inner = parts.map(({ value, at, from }) => ({
      value: (value as Record<string, unknown>)[name],
      at: [...at, name],
      from,
    }));
    return [name, merge(inner, [...to, name], evidence)];
  });
  return Object.fromEntries(members);
}

function mergeLists(parts: Part[], to: Path, evidence: Map<string, FieldEvidence>): unknown[] {
  const out: unknown[] = [];
  const seen = new Set<string>();
  for (const { value, at, from } of parts) {
    const own = new Set<string>();
    for (const [index, item] of (value as unknown[]).entries()) {
      const text = canonicalJson(item);
      // Equal items inside one chunk are two lines of the document; across chunks they are one read twice.
      if (seen.has(text)) continue;
      own.add(text);
      copyEvidence({ value: item, at: [...at, index], from }, [...to, out.length], evidence);
      out.push(item);
    }
    for (const text of own) seen.add(text);
  }
  return out;
}

function copyEvidence({ value, at, from }: Part, to: Path, evidence: Map<string, FieldEvidence>): void {
  const found = from.get(pointer(at));
  if (found) evidence.set(pointer(to), found);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const key = Array.isArray(value) ? Number(name) : name;
    copyEvidence({ value: inner, at: [...at, key], from }, [...to, key], evidence);
  }
}
