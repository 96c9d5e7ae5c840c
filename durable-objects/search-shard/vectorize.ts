import { z } from 'zod';

/** What a shard uses of a Vectorize index. */
export type VectorizeBinding = Pick<Vectorize, 'deleteByIds' | 'describe' | 'query' | 'upsert'>;

/** The platform's limits: what one call may carry or ask for. */
export const VECTORIZE_LIMITS = { upserted: 1_000, deleted: 100, found: 100 };

/** The Vectorize index that is bound for vectors of so many dimensions, by its name: `VECTORIZE_768`. */
export function vectorizeOf(env: object, dimension: number | null): VectorizeBinding | undefined {
  if (!dimension) return undefined;
  const binding: unknown = Reflect.get(env, `VECTORIZE_${dimension}`);
  return typeof binding === 'object' && binding !== null ? (binding as VectorizeBinding) : undefined;
}

/** A point is named by the shard's own name there, its version's key and its position: 64 bytes at most. */
export function pointId(name: string, versionKey: number, position: number): string {
  return `${name}.${versionKey.toString(36)}.${position.toString(36)}`;
}

export interface Point {
  versionKey: number;
  position: number;
}

/** Undefined for a point that this shard did not name. */
export function pointOf(name: string, id: string): Point | undefined {
  const [of, versionKey = '', position = '', ...more] = id.split('.');
  if (of !== name || more.length > 0) return undefined;
  const point = { versionKey: Number.parseInt(versionKey, 36), position: Number.parseInt(position, 36) };
  return pointId(name, point.versionKey, point.position) === id ? point : undefined;
}

export const matchesAnswer = z.object({ matches: z.array(z.object({ id: z.string() })) });
export const mutationAnswer = z.object({ mutationId: z.string().min(1) });

/** The platform's types call both of them numbers; they are an ISO date and a UUID, and absent before the first change. */
export const describeAnswer = z.object({
  processedUpToDatetime: z
    .union([z.string(), z.number()])
    .nullish()
    .transform((at) => (at === null || at === undefined ? Number.NaN : new Date(at).getTime())),
  processedUpToMutation: z
    .union([z.string(), z.number()])
    .nullish()
    .transform((id) => String(id ?? '')),
});
