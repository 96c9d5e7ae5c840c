import { type Document, type Indexing, isIndexed } from './filter.ts';
import { Refused } from './refused.ts';

const MOST_BYTES = 8_000;
const MOST_ELEMENTS = 1_000;
const MOST_MEMBERS = 1_000;
const LONGEST_PATH = 1_000;

/** Throws if the vendor would reject a document because of member names or sizes of indexed values. */
export function checkDocument(value: unknown, indexing: Indexing, path = ''): void {
  const refuse = (what: string): never => {
    throw new Refused('SHRED_DOC_LIMIT_VIOLATION', `${what} (${path})`);
  };
  const indexed = path !== '$vector' && isIndexed(path, indexing);
  if (typeof value === 'string' && indexed && Buffer.byteLength(value) > MOST_BYTES) {
    refuse('indexed String value exceeds maximum allowed');
  }
  if (Array.isArray(value)) {
    if (indexed && value.length > MOST_ELEMENTS) refuse('number of elements exceeds maximum allowed');
    for (const each of value) checkDocument(each, indexing, path);
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (indexed && entries.length > MOST_MEMBERS) refuse('number of properties exceeds maximum allowed');
    for (const [name, member] of entries) {
      if (name === '$vector' && path === '') continue;
      if (name === '' || name.startsWith('$')) {
        throw new Refused('SHRED_BAD_FIELD_NAME', `field name '${name}' is empty or starts with '$'`);
      }
      const inner = [...(path ? [path] : []), name.replaceAll(/[&.]/g, '&$&')].join('.');
      if (inner.length > LONGEST_PATH) refuse('field path length exceeds maximum allowed');
      checkDocument(member, indexing, inner);
    }
  }
}

/** Returns the vector from numbers or from base64 of big-endian floats. */
export function resolveVector(document: Document, dimension: number): number[] {
  const given = document.$vector as number[] | { $binary: string };
  const vector = Array.isArray(given) ? given : decodeFloats(Buffer.from(given.$binary, 'base64'));
  if (vector.length !== dimension) {
    const message = `Length of vector parameter different from configured '$vector' dimension: ${vector.length} and ${dimension}`;
    throw new Refused('INVALID_VECTOR_LENGTH', message);
  }
  return vector;
}

function decodeFloats(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatBE(i * 4));
}

export function cosine(one: number[], other: number[]): number {
  const dot = one.reduce((sum, x, i) => sum + x * other[i]!, 0);
  return dot / (Math.hypot(...one) * Math.hypot(...other) || 1);
}
