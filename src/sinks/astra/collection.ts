import { SinkError } from '#src/ports/sink.ts';
import { type AstraClient, PRODUCT } from './client.ts';
import { type Collection, collections, done } from './wire.ts';

/** Fields of the collection that searches and deletions filter by. */
const FILTERED_FIELDS = [
  'sluice_index',
  'document_id',
  'version',
  'metadata',
  'unfilterable',
  'number_lists',
];
/**
 * Fields of the collection that are not indexed. Astra DB indexes texts of at most 8,000 bytes, and indexing
 * costs storage.
 */
const UNINDEXED_FIELDS = ['position', 'node_id', 'title', 'text', 'pages', 'more_metadata'];

export async function findCollection(client: AstraClient, name: string): Promise<Collection | undefined> {
  const { status } = await client.sendToKeyspace(
    { findCollections: { options: { explain: true } } },
    collections,
  );
  return status.collections.find((each) => each?.name === name) ?? undefined;
}

/**
 * Describes why a collection cannot hold vectors of the given dimension. Returns `undefined` if the
 * collection fits.
 */
export function describeMismatch({ name, options }: Collection, dimension: number): string | undefined {
  const named = `The collection ${name} (collection_name)`;
  const { vector, indexing } = options ?? {};
  if (!vector)
    return `${named} holds no vectors. Set collection_name to another collection or to a new name.`;
  if (vector.metric && vector.metric !== 'cosine') {
    return `${named} compares vectors by ${vector.metric} instead of cosine. Set collection_name to another collection or to a new name.`;
  }
  if (vector.dimension !== dimension) {
    return `${named} holds vectors of ${vector.dimension} dimensions, but ${dimension} are needed. Change collection_name or embedding_config.`;
  }
  const missing = FILTERED_FIELDS.filter((path) => !isIndexed(path, indexing));
  if (missing.length === 0) return undefined;
  return `${named} does not index ${missing.join(', ')}, which Sluice filters by. Set collection_name to another collection or to a new name.`;
}

/** Returns whether a field is indexed completely, according to the collection's allow or deny list. */
function isIndexed(path: string, indexing: NonNullable<Collection['options']>['indexing']): boolean {
  const { allow, deny } = indexing ?? {};
  if (allow && allow.length > 0) return allow.includes('*') || allow.includes(path);
  return !(deny ?? []).some((each) => each === '*' || each === path || each.startsWith(`${path}.`));
}

/** Creates the collection if it is missing. Rejects if an existing collection cannot hold the vectors. */
export async function ensureCollection(client: AstraClient, name: string, dimension: number): Promise<void> {
  let existing = await findCollection(client, name);
  if (!existing) {
    await createCollection(client, name, dimension);
    existing = await findCollection(client, name);
  }
  const problem = existing
    ? describeMismatch(existing, dimension)
    : `The collection ${name} was deleted while it was being created.`;
  if (problem) throw new SinkError(`${PRODUCT}: ${problem}`, { retryable: !existing });
}

async function createCollection(client: AstraClient, name: string, dimension: number): Promise<void> {
  const options = { vector: { dimension, metric: 'cosine' }, indexing: { deny: UNINDEXED_FIELDS } };
  try {
    await client.sendToKeyspace({ createCollection: { name, options } }, done);
  } catch (error) {
    // Another worker may have created the collection at the same moment. The caller then checks its settings.
    if (!(error instanceof SinkError) || !(await findCollection(client, name))) throw error;
  }
}
