import { SinkError } from '#src/ports/sink.ts';
import { type AstraClient, KIND } from './client.ts';
import { type Collection, collections, done } from './wire.ts';

/** What documents are looked up by. */
const LOOKED_UP = ['sluice_index', 'document_id', 'version', 'metadata', 'unfilterable', 'number_lists'];
/** The vendor indexes no text of more than 8,000 bytes, and what is indexed costs. */
const NOT_LOOKED_UP = ['position', 'node_id', 'title', 'text', 'pages', 'more_metadata'];

/** Undefined when there is none of that name. */
export async function findCollection(client: AstraClient, name: string): Promise<Collection | undefined> {
  const { status } = await client.toKeyspace(
    { findCollections: { options: { explain: true } } },
    collections,
  );
  return status.collections.find((each) => each?.name === name) ?? undefined;
}

/** What keeps vectors of this dimension out of a collection. */
export function unfit({ name, options }: Collection, dimension: number): string | undefined {
  const named = `The collection ${name} (collection_name)`;
  const { vector, indexing } = options ?? {};
  if (!vector) return `${named} holds no vectors; one that does is needed, or a name that is not taken.`;
  if (vector.metric && vector.metric !== 'cosine') {
    return `${named} compares vectors by ${vector.metric}; one that compares by cosine is needed, or a name that is not taken.`;
  }
  if (vector.dimension !== dimension) {
    return `${named} holds vectors of ${vector.dimension} dimensions, and ${dimension} are needed: another collection_name or another embedding_config is needed.`;
  }
  const missing = LOOKED_UP.filter((path) => !isIndexed(path, indexing));
  if (missing.length === 0) return undefined;
  return `${named} does not index ${missing.join(', ')}, which documents are looked up by: one that does is needed, or a name that is not taken.`;
}

/** Whether all of a member is indexed, under the collection's selection. */
function isIndexed(path: string, indexing: NonNullable<Collection['options']>['indexing']): boolean {
  const { allow, deny } = indexing ?? {};
  if (allow && allow.length > 0) return allow.includes('*') || allow.includes(path);
  return !(deny ?? []).some((each) => each === '*' || each === path || each.startsWith(`${path}.`));
}

/** Makes the collection when it is absent. Rejects when the one that is there cannot hold the vectors. */
export async function ensureCollection(client: AstraClient, name: string, dimension: number): Promise<void> {
  let there = await findCollection(client, name);
  if (!there) {
    await makeCollection(client, name, dimension);
    there = await findCollection(client, name);
  }
  const problem = there ? unfit(there, dimension) : `The collection ${name} was deleted as it was made.`;
  if (problem) throw new SinkError(`The data sink (${KIND}): ${problem}`, { retryable: !there });
}

async function makeCollection(client: AstraClient, name: string, dimension: number): Promise<void> {
  const options = { vector: { dimension, metric: 'cosine' }, indexing: { deny: NOT_LOOKED_UP } };
  try {
    await client.toKeyspace({ createCollection: { name, options } }, done);
  } catch (error) {
    // Another consumer has made one of other settings at the same moment, which what comes next finds out.
    if (!(error instanceof SinkError) || !(await findCollection(client, name))) throw error;
  }
}
