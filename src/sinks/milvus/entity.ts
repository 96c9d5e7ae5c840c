import type { Metadata } from '#src/ports/index-types.ts';
import type { VectorPoint } from '#src/sinks/external/vector-store.ts';
import { LONGEST_TEXT, VECTOR } from './schema.ts';

/** Of metadata as JSON; the vendor takes 65,536 bytes. */
const MOST_METADATA = 60_000;
/** So many digits tell every 32-bit float from all others. */
const DIGITS = 9;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A point as an entity of the collection. */
export function entityOf(indexId: string, point: VectorPoint): Record<string, unknown> {
  return {
    id: point.id,
    sluice_index: indexId,
    document_id: point.documentId.toWellFormed(),
    version: point.version,
    position: point.position,
    node_id: point.nodeId,
    text: cut(point.text),
    pages: point.pages,
    ...describedOf(point),
    [VECTOR]: Array.from(point.vector, (x) => Number(x.toPrecision(DIGITS))),
  };
}

/**
 * What all entities of a document say. `sluice_partial`: filter expressions cannot tell all of its metadata, since
 * members were left out, lists have numbers in them, or whole numbers are larger than the vendor may read exactly.
 */
export function describedOf({ title, metadata }: Pick<VectorPoint, 'title' | 'metadata'>) {
  const kept: [string, Metadata[string]][] = [];
  let room = MOST_METADATA;
  let isPartial = false;
  for (const [key, value] of Object.entries(metadata)) {
    if (isUntold(value)) isPartial = true;
    const member: [string, Metadata[string]] = [key.toWellFormed(), wellFormed(value)];
    const size = encoder.encode(JSON.stringify(member)).length;
    if (size > room) {
      isPartial = true;
      continue;
    }
    room -= size;
    kept.push(member);
  }
  return { title: cut(title), metadata: Object.fromEntries(kept), sluice_partial: isPartial };
}

function isUntold(value: Metadata[string]): boolean {
  if (Array.isArray(value)) return value.some((each) => typeof each !== 'string');
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

function wellFormed(value: Metadata[string]): Metadata[string] {
  if (Array.isArray(value))
    return value.map((each) => (typeof each === 'string' ? each.toWellFormed() : each));
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** The beginning of a text that fits a field of the vendor's, cut between characters. */
function cut(text: string): string {
  const bytes = encoder.encode(text);
  let end = Math.min(bytes.length, LONGEST_TEXT);
  // Bytes within a character begin with the bits 10.
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return decoder.decode(bytes.subarray(0, end));
}
