import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import { createError, getErrorCode } from './failure.ts';

const NAMESPACE_NOT_FOUND = 26;
const NAMESPACE_EXISTS = 48;
const INDEX_EXISTS = 68;
/**
 * Fields by which points are filtered. Searches filter with the search index, and deletions with an ordinary
 * index.
 */
const FILTER_PATHS = ['sluice_index', 'document_id'];
const VECTOR = 'embedding';
const POLL_MILLISECONDS = 500;
/** Time in seconds after which callers should retry while a search index is being built. */
const BUILDING_SECONDS = 15;

export interface SearchIndexes {
  vector: string;
  /** Name of the full-text index. It is created only if a name is configured. */
  text?: string | undefined;
}

const field = z.looseObject({ type: z.string(), path: z.string() });
const listedIndex = z.object({
  name: z.string(),
  type: z.string().optional().default('search'),
  status: z.string().optional().default('unknown'),
  queryable: z.boolean().optional().default(false),
  latestDefinition: z.looseObject({ fields: z.array(field).catch([]).default([]) }).catch({ fields: [] }),
});
export type ListedIndex = z.output<typeof listedIndex>;

/** Lists the search indexes of a collection. Returns an empty list if the collection does not exist. */
export async function listIndexes(collection: Collection): Promise<ListedIndex[]> {
  try {
    const all = await collection.listSearchIndexes().toArray();
    return all.flatMap((each) => listedIndex.safeParse(each).data ?? []);
  } catch (error) {
    if (getErrorCode(error) === NAMESPACE_NOT_FOUND) return [];
    throw error;
  }
}

/**
 * Describes why searches could not find vectors with the existing search indexes. Without a dimension,
 * vectors of any size are accepted. Returns `undefined` if the indexes fit.
 */
export function describeMismatch(
  all: ListedIndex[],
  names: SearchIndexes,
  dimension?: number,
): string | undefined {
  const text = all.find(({ name }) => name === names.text);
  if (text && text.type !== 'search') {
    return `The index ${text.name} (fulltext_index_name) has type ${text.type} instead of search. Set another index or a new name.`;
  }
  const index = all.find(({ name }) => name === names.vector);
  return index && describeVectorMismatch(index, dimension);
}

function describeVectorMismatch({ name, type, latestDefinition, status }: ListedIndex, dimension?: number) {
  const subject = `The index ${name} (vector_index_name)`;
  const advice = 'Set another index or a new name.';
  if (type !== 'vectorSearch') return `${subject} has type ${type} instead of vectorSearch. ${advice}`;
  const { fields } = latestDefinition;
  const vector = fields.find((each) => each.type === 'vector' && each.path === VECTOR);
  if (!vector) return `${subject} has no vector field ${VECTOR}. ${advice}`;
  if (vector.similarity !== 'cosine')
    return `${subject} compares vectors by ${vector.similarity} instead of cosine. ${advice}`;
  const missing = FILTER_PATHS.find(
    (path) => !fields.some((each) => each.type === 'filter' && each.path === path),
  );
  if (missing) return `${subject} has no filter field ${missing}. ${advice}`;
  if (dimension !== undefined && vector.numDimensions !== dimension) {
    return `${subject} holds vectors of ${vector.numDimensions} dimensions, but the embedding model returns ${dimension}. Change vector_index_name and collection_name, or embedding_config.`;
  }
  return status === 'FAILED' ? `${subject} could not be built (status FAILED).` : undefined;
}

/**
 * Creates the collection and its indexes if they are missing, and waits up to `waitSeconds` for them. Rejects
 * with SinkError if vectors cannot be searched by then. The error is retryable if an index is still being
 * built.
 */
export async function ensureIndexes(
  db: Db,
  collectionName: string,
  names: SearchIndexes,
  dimension: number,
  waitSeconds: number,
): Promise<void> {
  const collection = db.collection(collectionName);
  const end = Date.now() + waitSeconds * 1000;
  let all = await listIndexes(collection);
  if (listMissingIndexes(all, names).length > 0) {
    const problem = describeMismatch(all, names, dimension);
    if (problem) throw createError(problem);
    await ignoreErrorCode(db.createCollection(collectionName), NAMESPACE_EXISTS);
    for (const index of listMissingIndexes(all, names)) {
      await ignoreErrorCode(
        collection.createSearchIndex(buildIndexDefinition(index, names, dimension)),
        INDEX_EXISTS,
      );
    }
    all = await listIndexes(collection);
  }
  await collection.createIndex({ sluice_index: 1, document_id: 1, version: 1 });
  for (;;) {
    const problem = describeMismatch(all, names, dimension);
    if (problem) throw createError(problem);
    const index = all.find(({ name }) => name === names.vector);
    if (index?.queryable) return;
    if (Date.now() + POLL_MILLISECONDS > end) {
      const message = `The index ${names.vector} (vector_index_name) is still being built (${index?.status ?? 'not listed yet'}).`;
      throw createError(message, true, BUILDING_SECONDS);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
    all = await listIndexes(collection);
  }
}

function listMissingIndexes(all: ListedIndex[], { vector, text }: SearchIndexes): string[] {
  const wanted = text === undefined ? [vector] : [vector, text];
  return wanted.filter((name) => !all.some((index) => index.name === name));
}

function buildIndexDefinition(name: string, names: SearchIndexes, numDimensions: number) {
  if (name === names.vector) {
    const filters = FILTER_PATHS.map((path) => ({ type: 'filter', path }));
    const vectors = { type: 'vector', path: VECTOR, numDimensions, similarity: 'cosine' };
    return { name, type: 'vectorSearch', definition: { fields: [vectors, ...filters] } };
  }
  const fields = { text: { type: 'string' }, title: { type: 'string' }, sluice_index: { type: 'token' } };
  return { name, type: 'search', definition: { mappings: { dynamic: false, fields } } };
}

/** Ignores an error with the given code, which means that another worker has already done the same work. */
async function ignoreErrorCode(work: Promise<unknown>, code: number): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (getErrorCode(error) !== code) throw error;
  }
}
