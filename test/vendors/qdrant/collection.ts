import { Refused } from '../behaviour.ts';
import { checkFilter, type Filter, holds, type Indexes, type Payload } from './filter.ts';

export interface SparseVector {
  indices: number[];
  values: number[];
}
type Vector = number[] | SparseVector;
/** Vectors by name. The unnamed vector has the name "". */
type Vectors = Record<string, Vector>;

export interface Point {
  id: string;
  vectors: Vectors;
  payload: Payload;
}

/** Point as requests contain it. */
export interface GivenPoint {
  id: string;
  vector: number[] | Vectors;
  payload?: Payload;
}

export interface Collection {
  size: number;
  distance: string;
  sparse: Record<string, { modifier?: 'none' | 'idf' }>;
  indexes: Indexes;
  points: Map<string, Point>;
}

export const UNNAMED = '';
export const isSparse = (vector: Vector | undefined): vector is SparseVector =>
  vector !== undefined && !Array.isArray(vector);

export function checkSize(collection: Collection, vector: number[]): void {
  if (vector.length === collection.size) return;
  throw new Refused({
    status: 400,
    message: `Wrong input: Vector dimension error: expected dim: ${collection.size}, got ${vector.length}`,
  });
}

export function checkSparse({ indices, values }: SparseVector): void {
  const refuse = (message: string) => new Refused({ status: 422, message: `Validation error: ${message}` });
  if (indices.length !== values.length) throw refuse('values must be the same length as indices');
  if (new Set(indices).size < indices.length) throw refuse('indices must be unique');
  if (indices.some((index) => index >= 2 ** 32)) throw refuse('indices must be integers of 32 bits');
}

/** Returns the vectors by name. Rejects names and sizes that the collection does not have. */
export function parseVectors(collection: Collection, given: number[] | Vectors): Vectors {
  const vectors = Array.isArray(given) ? { [UNNAMED]: given } : given;
  for (const [name, vector] of Object.entries(vectors)) {
    const isKnown = isSparse(vector) ? name in collection.sparse : name === UNNAMED;
    if (!isKnown)
      throw new Refused({ status: 400, message: `Wrong input: Not existing vector name error: ${name}` });
    if (isSparse(vector)) checkSparse(vector);
    else checkSize(collection, vector);
  }
  return vectors;
}

export function select({ points, indexes }: Collection, filter: Filter = {}): Point[] {
  checkFilter(filter, indexes);
  return [...points.values()].filter(({ id, payload }) => holds(id, payload, filter));
}

/** Returns the points with these ids. Changes of a missing point are rejected. */
function findPoints({ points }: Collection, ids: string[]): Point[] {
  return ids.map((id) => {
    const point = points.get(id);
    if (!point) throw new Refused({ status: 404, message: `Not found: No point with id ${id} found` });
    return point;
  });
}

export interface SetPayload {
  payload: Payload;
  filter?: Filter;
  points?: string[];
}

export function setPayload(collection: Collection, { payload, filter, points }: SetPayload): void {
  const chosen = points ? findPoints(collection, points) : select(collection, filter);
  for (const point of chosen) Object.assign(point.payload, payload);
}

export function updateVectors(collection: Collection, { points }: { points: GivenPoint[] }): void {
  const found = findPoints(
    collection,
    points.map(({ id }) => id),
  );
  for (const [at, { vector }] of points.entries())
    Object.assign(found[at]!.vectors, parseVectors(collection, vector));
}
