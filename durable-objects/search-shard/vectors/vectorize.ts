import { z } from 'zod';

/** What a shard uses of a Vectorize index. */
export type VectorizeBinding = Pick<Vectorize, 'deleteByIds' | 'getByIds' | 'query' | 'upsert'>;

/** The platform's limits: what one call may carry or ask for. */
export const VECTORIZE_LIMITS = { upserted: 1_000, deleted: 100, found: 100, looked: 20 };

/** The Vectorize index that is bound for vectors of so many dimensions, by its name: `VECTORIZE_768`. */
export function vectorizeOf(env: object, dimension: number | null): VectorizeBinding | undefined {
  const binding: unknown = dimension ? Reflect.get(env, `VECTORIZE_${dimension}`) : undefined;
  return isObject(binding) ? (binding as VectorizeBinding) : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export interface Point {
  versionKey: number;
  position: number;
}

/** A point is named by the shard's own name there, its version's key and its position: 64 bytes at most. */
export function pointId(name: string, { versionKey, position }: Point): string {
  return `${name}.${versionKey.toString(36)}.${position.toString(36)}`;
}

/** Undefined for a point that this shard did not name. */
export function pointOf(name: string, id: string): Point | undefined {
  const [versionKey = '', position = ''] = id.split('.').slice(1);
  const point = { versionKey: Number.parseInt(versionKey, 36), position: Number.parseInt(position, 36) };
  return pointId(name, point) === id ? point : undefined;
}

/** Results of a query, and points that were looked up. */
export const pointsAnswer = z.array(z.object({ id: z.string() }));
export const matchesAnswer = z.object({ matches: pointsAnswer });
