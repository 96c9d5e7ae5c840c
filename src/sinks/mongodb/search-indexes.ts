import type { Collection, Db } from 'mongodb';
import { createError, getErrorCode } from './failure.ts';
import {
  buildIndexDefinition,
  describeMismatch,
  type ListedIndex,
  listedIndex,
  type SearchIndexes,
} from './index-layout.ts';

const NAMESPACE_NOT_FOUND = 26;
const NAMESPACE_EXISTS = 48;
const INDEX_EXISTS = 68;
const POLL_MILLISECONDS = 500;
/** Time in seconds after which callers should retry while a search index is being built. */
const BUILDING_SECONDS = 15;

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
  for (const keys of listOrdinaryIndexes(names)) await collection.createIndex(keys);
  for (;;) {
    const problem = describeMismatch(all, names, dimension);
    if (problem) throw createError(problem);
    const unfinished = findUnfinished(all, names);
    if (!unfinished) return;
    if (Date.now() + POLL_MILLISECONDS > end) {
      const message = `The index ${unfinished.name} (${unfinished.setting}) is still being built (${unfinished.status}).`;
      throw createError(message, true, BUILDING_SECONDS);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
    all = await listIndexes(collection);
  }
}

/** Returns one of the search indexes that searches need and cannot use yet, or `undefined` if there is none. */
function findUnfinished(all: ListedIndex[], { vector, text, areNative }: SearchIndexes) {
  const needed = [
    { name: vector, setting: 'vector_index_name' },
    ...(areNative && text !== undefined ? [{ name: text, setting: 'fulltext_index_name' }] : []),
  ];
  return needed
    .map((each) => ({ ...each, index: all.find(({ name }) => name === each.name) }))
    .filter(({ index }) => !index?.queryable)
    .map(({ index, ...rest }) => ({ ...rest, status: index?.status ?? 'not listed yet' }))[0];
}

/** Returns the keys of the ordinary indexes, by which chunks are deleted and listed. */
const listOrdinaryIndexes = ({ areNative }: SearchIndexes): Record<string, 1>[] =>
  areNative
    ? [
        { sluice_index: 1, document_id: 1, version: 1, position: 1 },
        { sluice_index: 1, node_id: 1 },
      ]
    : [{ sluice_index: 1, document_id: 1, version: 1 }];

function listMissingIndexes(all: ListedIndex[], { vector, text }: SearchIndexes): string[] {
  const wanted = text === undefined ? [vector] : [vector, text];
  return wanted.filter((name) => !all.some((index) => index.name === name));
}

/** Ignores an error with the given code, which means that another worker has already done the same work. */
async function ignoreErrorCode(work: Promise<unknown>, code: number): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (getErrorCode(error) !== code) throw error;
  }
}
