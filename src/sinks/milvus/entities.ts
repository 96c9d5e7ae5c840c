import type { z } from 'zod';
import { checkWritten } from '#src/sinks/external/store-http.ts';
import { ignoreMissingCollection, type MilvusClient } from './client.ts';
import { explainMismatch, type Target } from './collection.ts';
import { all, isIn } from './expression.ts';
import { VECTOR } from './schema.ts';
import { anything, keys, upserted } from './wire.ts';

export async function writeEntities(client: MilvusClient, data: object[]): Promise<void> {
  const { upsertCount } = await client.ask('/entities/upsert', upserted, { data });
  checkWritten('Milvus', upsertCount, data.length);
}

/** Deletes matching entities. Does nothing if the collection is missing. */
export async function removeWhere(client: MilvusClient, filter: string): Promise<void> {
  await ignoreMissingCollection(client.ask('/entities/delete', anything, { filter }));
}

/** Returns those of the given ids that the collection has, with one request. */
export async function lookUpKeys(
  client: MilvusClient,
  indexFilter: string,
  ids: string[],
): Promise<Set<string>> {
  const query = { filter: all(indexFilter, isIn('id', ids)), outputFields: ['id'], limit: ids.length };
  const existing = await ignoreMissingCollection(client.ask('/entities/query', keys, query));
  return new Set(existing?.map(({ id }) => id));
}

interface NearestSearch<T> {
  vector: Float32Array;
  topK: number;
  filter: string;
  outputFields: string[];
  schema: z.ZodType<T>;
  target: Omit<Target, 'dimension'>;
}

/** Returns the entities whose vectors are nearest to the given one. */
export function searchNearest<T>(
  client: MilvusClient,
  { vector, topK, filter, outputFields, schema, target }: NearestSearch<T>,
): Promise<T> {
  const search = client.ask('/entities/search', schema, {
    data: [[...vector]],
    annsField: VECTOR,
    limit: topK,
    filter,
    outputFields,
    searchParams: { metricType: 'COSINE', params: {} },
    consistencyLevel: 'Strong',
  });
  return explainMismatch(client, { ...target, dimension: vector.length }, search);
}
