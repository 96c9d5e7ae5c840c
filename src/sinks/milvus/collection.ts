import { Upstream } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { ignoreMissingCollection, type MilvusClient, type MilvusSettings } from './client.ts';
import { describeMismatch, type Layout } from './schema.ts';
import { anything, type Collection, collection, loadState } from './wire.ts';

/** Collection as a driver expects it. */
export interface Target {
  name: string;
  layout: Layout;
  dimension: number;
}

const LOADING = { attempts: 20, milliseconds: 250 };

export function findCollection(client: MilvusClient): Promise<Collection | undefined> {
  return ignoreMissingCollection(client.ask('/collections/describe', collection));
}

/** Rejects a dimension that differs from the configured one. */
export function rejectOtherDimension(
  { embedding_dimension: given }: MilvusSettings,
  dimension: number,
): void {
  if (given == null || given === dimension) return;
  const message = `Milvus: embedding_dimension is ${given}, but the embedding model returns ${dimension} dimensions.`;
  throw new SinkError(message, { retryable: false });
}

/** Creates the collection if it is missing. Rejects if an existing collection cannot hold the vectors. */
export async function ensureCollection(
  client: MilvusClient,
  name: string,
  layout: Layout,
  dimension: number,
): Promise<void> {
  let existing = await findCollection(client);
  if (!existing) {
    await createCollection(client, layout, dimension);
    existing = await findCollection(client);
  }
  const problem = existing
    ? describeMismatch(name, existing, layout, dimension)
    : `The collection ${name} was deleted while it was being created.`;
  if (problem) throw new SinkError(`Milvus: ${problem}`, { retryable: !existing });
  await load(client, name);
}

/**
 * Returns the result of a search. If the collection holds vectors of another dimension, the error explains
 * this. Milvus's own error would repeat the whole vector.
 */
export async function explainMismatch<T>(
  client: MilvusClient,
  { name, layout, dimension }: Target,
  search: Promise<T>,
): Promise<T> {
  try {
    return await search;
  } catch (error) {
    const isRefused = error instanceof Upstream && error.status === 400;
    const existing = isRefused && (await findCollection(client));
    const problem = existing && describeMismatch(name, existing, layout, dimension);
    if (problem) throw new SinkError(`Milvus: ${problem}`, { retryable: false });
    throw error;
  }
}

async function createCollection(client: MilvusClient, layout: Layout, dimension: number): Promise<void> {
  try {
    await client.ask('/collections/create', anything, layout(dimension));
  } catch (error) {
    // Another worker may have created the collection at the same moment, so check whether it exists.
    const isRefused = error instanceof Upstream && error.status === 400;
    if (!isRefused || !(await findCollection(client))) throw error;
  }
}

/**
 * Waits until the collection is loaded. Milvus loads collections in the background and answers queries only
 * afterwards.
 */
async function load(client: MilvusClient, name: string): Promise<void> {
  const readLoadState = async () => (await client.ask('/collections/get_load_state', loadState)).loadState;
  let state = await readLoadState();
  if (state === 'LoadStateNotLoad') await client.ask('/collections/load', anything);
  for (let attempt = 0; attempt < LOADING.attempts && state !== 'LoadStateLoaded'; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, LOADING.milliseconds));
    state = await readLoadState();
  }
  if (state === 'LoadStateLoaded') return;
  throw new SinkError(`Milvus: The collection ${name} is not loaded yet (${state}).`, {
    retryable: true,
  });
}
