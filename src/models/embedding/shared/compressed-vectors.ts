import { wrongAnswer } from './unit-vector.ts';

/** How a vector may travel: its numbers, a byte or a bit for each, or the bytes of its floats as text. */
export const VECTOR_TYPES = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'] as const;
export type VectorType = (typeof VECTOR_TYPES)[number];

const HALF = 128;
const BITS = [7, 6, 5, 4, 3, 2, 1, 0];

/** The numbers of a vector. What is no vector of its type stays as it is; bytes out of their range are refused. */
export function decompressed(vector: unknown, type: VectorType): unknown {
  if (type === 'base64') return typeof vector === 'string' ? floatsOf(vector) : vector;
  if (type === 'float' || !Array.isArray(vector)) return vector;
  const lowest = type === 'int8' || type === 'binary' ? -HALF : 0;
  for (const value of vector) {
    if (!Number.isInteger(value) || value < lowest || value >= lowest + 2 * HALF) {
      throw wrongAnswer(`The model gave a vector with something that is no ${type} number.`);
    }
  }
  const bytes = vector as number[];
  if (type === 'int8') return bytes;
  if (type === 'uint8') return bytes.map((byte) => byte - HALF);
  // A bit says on which side of zero a number was.
  return bytes.flatMap((byte) => BITS.map((bit) => (((byte - lowest) >> bit) & 1 ? 1 : -1)));
}

function floatsOf(base64: string): number[] {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    throw wrongAnswer('The model gave a vector that is no base64.');
  }
  if (bytes.length % 4 !== 0) throw wrongAnswer('The model gave a vector with a part of a number.');
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}
