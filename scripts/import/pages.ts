import { z } from 'zod';
import type { Api } from './api.ts';
import { RequestFailure } from './failures.ts';

type Query = Record<string, string | number | boolean | undefined>;

/** Maximum number of entries in one list. A longer list is considered endless. */
const MAX_ENTRIES = 5_000_000;

const identified = z.object({ id: z.unknown() }).catch({ id: undefined });

/** Reads all entries of a list whose pages are connected by `next_page_token`. */
export async function* cursorPages(api: Api, path: string, query: Query, size = 100) {
  const schema = z.object({ items: z.array(z.unknown()), next_page_token: z.string().nullish() });
  const guard = new EndlessGuard(`${path} of the ${api.name}`);
  let token: string | undefined;
  do {
    const page = await api.call(schema, 'GET', path, {
      query: { ...query, page_size: size, page_token: token },
    });
    guard.check(page.items);
    yield page.items;
    token = page.next_page_token || undefined;
    if (token !== undefined) guard.checkToken(token);
  } while (token !== undefined);
}

/**
 * Reads the pages of a list by offset. `list` is the field with the entries, and `offset` the name of the
 * query parameter.
 */
export async function* offsetPages(
  api: Api,
  path: string,
  query: Query,
  names: { list: string; offset: string },
  size = 100,
) {
  const schema = z.object({ [names.list]: z.array(z.unknown()), total_count: z.number() });
  const guard = new EndlessGuard(`${path} of the ${api.name}`);
  for (let offset = 0; ; ) {
    const page = await api.call(schema, 'GET', path, {
      query: { ...query, limit: size, [names.offset]: offset },
    });
    const items = page[names.list] as unknown[];
    if (items.length === 0) return;
    guard.check(items);
    yield items;
    offset += items.length;
    if (offset >= (page.total_count as number)) return;
  }
}

/** Detects lists that never end: a page without new entries, a repeated token, or many empty pages. */
class EndlessGuard {
  readonly #what: string;
  readonly #ids = new Set<unknown>();
  readonly #tokens = new Set<string>();
  #empty = 0;

  constructor(what: string) {
    this.#what = what;
  }

  check(items: readonly unknown[]): void {
    const before = this.#ids.size;
    for (const item of items) this.#ids.add(identified.parse(item).id);
    this.#empty = items.length === 0 ? this.#empty + 1 : 0;
    if (this.#empty > 20) this.#fail('it has more than 20 empty pages in a row');
    // A new entry may move another one to the next page. A page that contains only known entries means that
    // the list repeats itself.
    if (items.length > 0 && this.#ids.size === before) this.#fail('it repeats the same entries');
    if (this.#ids.size > MAX_ENTRIES) this.#fail(`it has more than ${MAX_ENTRIES} entries`);
  }

  checkToken(token: string): void {
    if (this.#tokens.has(token)) this.#fail('it repeats the same page token');
    this.#tokens.add(token);
  }

  #fail(found: string): never {
    throw new RequestFailure(`GET ${this.#what}: the list does not end: ${found}`);
  }
}
