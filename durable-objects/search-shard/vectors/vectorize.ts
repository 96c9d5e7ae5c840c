import { z } from 'zod';

/** Methods of Cloudflare's Vectorize binding that a search shard uses. */
export type VectorizeBinding = Pick<Vectorize, 'deleteByIds' | 'getByIds' | 'query' | 'upsert'>;

/** Limits of Cloudflare Vectorize for one call. */
export const VECTORIZE_LIMITS = {
  vectorsPerUpsert: 1_000,
  idsPerDelete: 100,
  maxTopK: 100,
  idsPerLookup: 20,
};

/**
 * Returns the Vectorize index that is bound for vectors of this dimension, for example as `VECTORIZE_768`.
 * Returns `undefined` if there is none.
 */
export function getVectorizeBinding(env: object, dimension: number | null): VectorizeBinding | undefined {
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

/**
 * Builds a point id of at most 64 bytes from the shard's name in Vectorize, the version's key and the
 * position.
 */
export function toPointId(name: string, { versionKey, position }: Point): string {
  return `${name}.${versionKey.toString(36)}.${position.toString(36)}`;
}

/** Parses the id of a Vectorize point. Returns `undefined` if this shard did not create the id. */
export function parsePointId(name: string, id: string): Point | undefined {
  const [versionKey = '', position = ''] = id.split('.').slice(1);
  const point = { versionKey: Number.parseInt(versionKey, 36), position: Number.parseInt(position, 36) };
  return toPointId(name, point) === id ? point : undefined;
}

/** List of points, each with its id, as Vectorize returns them. */
export const pointsSchema = z.array(z.object({ id: z.string() }));
export const queryResultSchema = z.object({ matches: pointsSchema });
