import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import { codeOf, refused } from './failure.ts';

const NAMESPACE_NOT_FOUND = 26;
const NAMESPACE_EXISTS = 48;
const INDEX_EXISTS = 68;
/** Members that points are looked up by: by queries in the search index, by deletes in an index of the usual kind. */
const LOOKED_UP = ['sluice_index', 'document_id'];
const VECTOR = 'embedding';
const POLL_MILLISECONDS = 500;
/** How long whoever comes again is asked to wait while an index is being built. */
const BUILDING_SECONDS = 15;

export interface SearchIndexes {
  vector: string;
  /** None is made where none is named. */
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

/** A database that knows no search, or a collection that is not there yet, says so in its own way. */
export async function listIndexes(collection: Collection): Promise<ListedIndex[]> {
  try {
    const all = await collection.listSearchIndexes().toArray();
    return all.flatMap((each) => listedIndex.safeParse(each).data ?? []);
  } catch (error) {
    if (codeOf(error) === NAMESPACE_NOT_FOUND) return [];
    throw error;
  }
}

/** What keeps vectors of this dimension (any, where it is absent) from being found. */
export function unfit(all: ListedIndex[], names: SearchIndexes, dimension?: number): string | undefined {
  const text = all.find(({ name }) => name === names.text);
  if (text && text.type !== 'search') {
    return `The index ${text.name} (fulltext_index_name) is of the type ${text.type}; one of the type search is needed, or a name that is not taken.`;
  }
  const index = all.find(({ name }) => name === names.vector);
  return index && unfitVectors(index, dimension);
}

function unfitVectors({ name, type, latestDefinition, status }: ListedIndex, dimension?: number) {
  const subject = `The index ${name} (vector_index_name)`;
  const needed = 'is needed, or a name that is not taken.';
  if (type !== 'vectorSearch')
    return `${subject} is of the type ${type}; one of the type vectorSearch ${needed}`;
  const { fields } = latestDefinition;
  const vector = fields.find((each) => each.type === 'vector' && each.path === VECTOR);
  if (!vector) return `${subject} has no vectors at ${VECTOR}; one that has ${needed}`;
  if (vector.similarity !== 'cosine')
    return `${subject} compares by ${vector.similarity}; one that compares by cosine ${needed}`;
  const missing = LOOKED_UP.find(
    (path) => !fields.some((each) => each.type === 'filter' && each.path === path),
  );
  if (missing) return `${subject} has no filter at ${missing}; one that has ${needed}`;
  if (dimension !== undefined && vector.numDimensions !== dimension) {
    return `${subject} holds vectors of ${vector.numDimensions} dimensions, and the embedding model gives ${dimension}: another vector_index_name and collection_name or another embedding_config is needed.`;
  }
  return status === 'FAILED' ? `${subject} could not be built, by the word of the store.` : undefined;
}

/**
 * Makes the collection and its indexes where they are absent, and waits for `patience` seconds until vectors can be
 * searched. Throws SinkError when they cannot: one worth a retry where time may help.
 */
export async function ensureIndexes(
  db: Db,
  collectionName: string,
  names: SearchIndexes,
  dimension: number,
  patience: number,
): Promise<void> {
  const collection = db.collection(collectionName);
  const end = Date.now() + patience * 1000;
  let all = await listIndexes(collection);
  if (absent(all, names).length > 0) {
    const problem = unfit(all, names, dimension);
    if (problem) throw refused(problem);
    await unlessDone(db.createCollection(collectionName), NAMESPACE_EXISTS);
    for (const index of absent(all, names)) {
      await unlessDone(collection.createSearchIndex(definitionOf(index, names, dimension)), INDEX_EXISTS);
    }
    all = await listIndexes(collection);
  }
  await collection.createIndex({ sluice_index: 1, document_id: 1, version: 1 });
  for (;;) {
    const problem = unfit(all, names, dimension);
    if (problem) throw refused(problem);
    const index = all.find(({ name }) => name === names.vector);
    if (index?.queryable) return;
    if (Date.now() + POLL_MILLISECONDS > end) {
      const message = `The index ${names.vector} (vector_index_name) is still being built (${index?.status ?? 'not listed yet'}).`;
      throw refused(message, true, BUILDING_SECONDS);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
    all = await listIndexes(collection);
  }
}

function absent(all: ListedIndex[], { vector, text }: SearchIndexes): string[] {
  const wanted = text === undefined ? [vector] : [vector, text];
  return wanted.filter((name) => !all.some((index) => index.name === name));
}

function definitionOf(name: string, names: SearchIndexes, numDimensions: number) {
  if (name === names.vector) {
    const filters = LOOKED_UP.map((path) => ({ type: 'filter', path }));
    const vectors = { type: 'vector', path: VECTOR, numDimensions, similarity: 'cosine' };
    return { name, type: 'vectorSearch', definition: { fields: [vectors, ...filters] } };
  }
  const fields = { text: { type: 'string' }, title: { type: 'string' }, sluice_index: { type: 'token' } };
  return { name, type: 'search', definition: { mappings: { dynamic: false, fields } } };
}

/** Another consumer may have made the same at the same moment. */
async function unlessDone(work: Promise<unknown>, code: number): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (codeOf(error) !== code) throw error;
  }
}
