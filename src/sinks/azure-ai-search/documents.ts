import type { z } from 'zod';
import { SinkError } from '#src/ports/sink.ts';
import { ignoreNotFound } from '#src/sinks/external/store-http.ts';
import type { AzureSearchClient } from './client.ts';
import { all, isAmong, quoted } from './filter.ts';
import { PRODUCT } from './settings.ts';
import { keys } from './wire.ts';
import { writeBatch } from './write.ts';

/** Maximum number of results in one response. */
export const PAGE = 1_000;
/**
 * Maximum number of pages of a listing, which prevents endless loops. No index has more documents than these
 * pages hold.
 */
const MAX_PAGES = 100_000;

export function searchDocuments<T>(
  client: AzureSearchClient,
  body: object,
  schema: z.ZodType<T>,
): Promise<T> {
  const path = `${client.indexPath}/docs/search.post.search`;
  return client.ask({ method: 'POST', path, body }, schema);
}

/** Returns the first `limit` results of a search. They are read page by page. */
export async function searchPages<T>(
  client: AzureSearchClient,
  search: object,
  limit: number,
  schema: z.ZodType<{ value: T[] }>,
): Promise<T[]> {
  const results: T[] = [];
  while (results.length < limit) {
    const top = Math.min(PAGE, limit - results.length);
    const { value } = await searchDocuments(client, { ...search, top, skip: results.length }, schema);
    results.push(...value);
    if (value.length < top) break;
  }
  return results.slice(0, limit);
}

/** Returns those of the given keys that searches find, with one request. */
export async function lookUpKeys(
  client: AzureSearchClient,
  indexFilter: string,
  ids: string[],
): Promise<Set<string>> {
  const filter = all(indexFilter, isAmong('id', ids));
  const body = { search: '*', filter, select: 'id', top: ids.length };
  const page = await ignoreNotFound(searchDocuments(client, body, keys));
  return new Set(page?.value.map(({ id }) => id));
}

/** Yields pages of document keys, in ascending order. Azure can change and delete documents only by key. */
export async function* findKeys(client: AzureSearchClient, filter: string): AsyncGenerator<string[]> {
  let last: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const onward = last === undefined ? [] : [`id gt ${quoted(last)}`];
    const search = {
      search: '*',
      filter: all(filter, ...onward),
      select: 'id',
      orderby: 'id asc',
      top: PAGE,
    };
    const { value } = await searchDocuments(client, search, keys);
    const ids = value.map(({ id }) => id);
    if (ids.length === 0) return;
    if (last !== undefined && ids.includes(last)) {
      throw new SinkError(`${PRODUCT} returned the same page twice.`, { retryable: true });
    }
    yield ids;
    last = ids.at(-1);
  }
  throw new SinkError(`${PRODUCT} returned more pages than an index can have.`, { retryable: true });
}

/** Deletes matching documents. Does nothing if the Azure index is missing. */
export async function removeWhere(client: AzureSearchClient, filter: string): Promise<void> {
  await ignoreNotFound(removeEach(client, filter));
}

async function removeEach(client: AzureSearchClient, filter: string): Promise<void> {
  for await (const ids of findKeys(client, filter)) {
    await writeBatch(
      client,
      ids.map((id) => ({ '@search.action': 'delete', id })),
    );
  }
}
