import type { Metadata } from '#src/ports/index-types.ts';
import type { VectorPoint } from '#src/sinks/external/vector-store.ts';
import { LONGEST_TEXT, VECTOR } from './schema.ts';

/** Maximum size in bytes of a document's metadata as JSON, below Milvus's limit of 65,536. */
const MAX_METADATA = 60_000;
/**
 * Number of significant digits with which vector components are sent. Nine digits distinguish every 32-bit
 * float.
 */
const DIGITS = 9;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function toEntity(indexId: string, point: VectorPoint): Record<string, unknown> {
  return {
    id: point.id,
    sluice_index: indexId,
    document_id: point.documentId.toWellFormed(),
    version: point.version,
    position: point.position,
    node_id: point.nodeId,
    text: truncate(point.text),
    pages: point.pages,
    ...toSharedFields(point),
    [VECTOR]: toVectorComponents(point.vector),
  };
}

export const toVectorComponents = (vector: Float32Array): number[] =>
  Array.from(vector, (x) => Number(x.toPrecision(DIGITS)));

/**
 * Builds the fields that all entities of a document share. `sluice_partial` is true if filter expressions
 * cannot compare all of the metadata. Searches then do not exclude the document.
 */
export function toSharedFields({ title, metadata }: Pick<VectorPoint, 'title' | 'metadata'>) {
  const members: [string, Metadata[string]][] = [];
  let remaining = MAX_METADATA;
  let isPartial = false;
  for (const [key, value] of Object.entries(metadata)) {
    if (isInexact(value)) isPartial = true;
    const member: [string, Metadata[string]] = [key.toWellFormed(), toWellFormedValue(value)];
    const size = encoder.encode(JSON.stringify(member)).length;
    if (size > remaining) {
      isPartial = true;
      continue;
    }
    remaining -= size;
    members.push(member);
  }
  return { title: truncate(title), metadata: Object.fromEntries(members), sluice_partial: isPartial };
}

function isInexact(value: Metadata[string]): boolean {
  if (Array.isArray(value)) return value.some((each) => typeof each !== 'string');
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

function toWellFormedValue(value: Metadata[string]): Metadata[string] {
  if (Array.isArray(value))
    return value.map((each) => (typeof each === 'string' ? each.toWellFormed() : each));
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** Cuts a text to the maximum size of a Milvus text field, without splitting a character. */
function truncate(text: string): string {
  const bytes = encoder.encode(text);
  let end = Math.min(bytes.length, LONGEST_TEXT);
  // In UTF-8, bytes that continue a character begin with the bits 10.
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return decoder.decode(bytes.subarray(0, end));
}
