import { Upstream } from '#src/lib/errors.ts';
import { SinkError } from '#src/ports/sink.ts';
import { type MilvusClient, unlessNoCollection } from './client.ts';
import { bodyOf, unfit } from './schema.ts';
import { anything, type Collection, collection, loadState } from './wire.ts';

const LOADING = { attempts: 20, milliseconds: 250 };

/** Undefined when there is none of that name. */
export function findCollection(client: MilvusClient): Promise<Collection | undefined> {
  return unlessNoCollection(client.ask('/collections/describe', collection));
}

/** Makes the collection when it is absent. Rejects when the one that is there cannot hold the vectors. */
export async function ensureCollection(client: MilvusClient, name: string, dimension: number): Promise<void> {
  let there = await findCollection(client);
  if (!there) {
    await makeCollection(client, dimension);
    there = await findCollection(client);
  }
  const problem = there
    ? unfit(name, there, dimension)
    : `The collection ${name} was deleted as it was made.`;
  if (problem) throw new SinkError(`The data sink (VENDOR_C): ${problem}`, { retryable: !there });
  await load(client, name);
}

/**
 * What a search for a vector of this dimension answers. Where the vendor refuses it since the collection holds others,
 * the error says so: the vendor's own repeats the vector.
 */
export async function fitting<T>(
  client: MilvusClient,
  { name, dimension }: { name: string; dimension: number },
  search: Promise<T>,
): Promise<T> {
  try {
    return await search;
  } catch (error) {
    const isRefused = error instanceof Upstream && error.status === 400;
    const there = isRefused && (await findCollection(client));
    const problem = there && unfit(name, there, dimension);
    if (problem) throw new SinkError(`The data sink (VENDOR_C): ${problem}`, { retryable: false });
    throw error;
  }
}

async function makeCollection(client: MilvusClient, dimension: number): Promise<void> {
  try {
    await client.ask('/collections/create', anything, bodyOf(dimension));
  } catch (error) {
    // Another consumer has made it at the same moment, which what comes next finds out.
    const isRefused = error instanceof Upstream && error.status === 400;
    if (!isRefused || !(await findCollection(client))) throw error;
  }
}

/** A collection answers queries once it is loaded, which the vendor does in its own time. */
async function load(client: MilvusClient, name: string): Promise<void> {
  const stateOf = async () => (await client.ask('/collections/get_load_state', loadState)).loadState;
  let state = await stateOf();
  if (state === 'LoadStateNotLoad') await client.ask('/collections/load', anything);
  for (let attempt = 0; attempt < LOADING.attempts && state !== 'LoadStateLoaded'; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, LOADING.milliseconds));
    state = await stateOf();
  }
  if (state === 'LoadStateLoaded') return;
  throw new SinkError(`The data sink (VENDOR_C): The collection ${name} is not loaded yet (${state}).`, {
    retryable: true,
  });
}
