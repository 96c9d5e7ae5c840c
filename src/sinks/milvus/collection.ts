import { Upstream } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { ignoreMissingCollection, type MilvusClient } from './client.ts';
import { buildCollectionBody, describeMismatch } from './schema.ts';
import { anything, type Collection, collection, loadState } from './wire.ts';

const LOADING = { attempts: 20, milliseconds: 250 };

export function findCollection(client: MilvusClient): Promise<Collection | undefined> {
  return ignoreMissingCollection(client.ask('/collections/describe', collection));
}

/** Creates the collection if it is missing. Rejects if an existing collection cannot hold the vectors. */
export async function ensureCollection(client: MilvusClient, name: string, dimension: number): Promise<void> {
  let existing = await findCollection(client);
  if (!existing) {
    await createCollection(client, dimension);
    existing = await findCollection(client);
  }
  const problem = existing
    ? describeMismatch(name, existing, dimension)
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
  { name, dimension }: { name: string; dimension: number },
  search: Promise<T>,
): Promise<T> {
  try {
    return await search;
  } catch (error) {
    const isRefused = error instanceof Upstream && error.status === 400;
    const existing = isRefused && (await findCollection(client));
    const problem = existing && describeMismatch(name, existing, dimension);
    if (problem) throw new SinkError(`Milvus: ${problem}`, { retryable: false });
    throw error;
  }
}

async function createCollection(client: MilvusClient, dimension: number): Promise<void> {
  try {
    await client.ask('/collections/create', anything, buildCollectionBody(dimension));
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
