import { z } from 'zod';
import { SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { parseRetryAfter } from '#src/upstream/retry-after.ts';
import { block, database, found, lenientList, page } from './objects.ts';
import type { NotionSettings } from './settings.ts';

const API = 'https://api.notion.com/v1';
const VERSION = '2025-09-03';
/** Maximum number of results per page of a list, according to Notion's documentation. */
const PAGE = 100;
/**
 * Longest wait for Notion's rate limit within a request, in seconds. A longer wait fails the request with a
 * retryable error. Reading a page takes many requests, and Notion allows three per second.
 */
const LONGEST_WAIT_SECONDS = 5;
const MAX_WAITS = 10;

interface List<T> {
  results: T[];
  /** Cursor that requests the next page of a list. `null` on the last page. */
  next: string | null;
  /** True if Notion cut off the results. A query returns at most 10,000 results. */
  isCut: boolean;
  leftOut: number;
}
const listSchema = <T>(schema: z.ZodType<T>): z.ZodType<List<T>> =>
  z
    .object({
      results: z.array(z.unknown()),
      next_cursor: z.string().nullish(),
      has_more: z.boolean().nullish(),
      request_status: z.object({ type: z.string() }).nullish().catch(null),
    })
    .transform(({ results: given, next_cursor, has_more, request_status }, context) => {
      // Rejects a list that claims to have more results but has no cursor. A sync would delete the pages that
      // are missing from such a list.
      if (has_more && !next_cursor) context.addIssue({ code: 'custom', path: ['next_cursor'] });
      const results = lenientList(schema).parse(given);
      return {
        results,
        next: has_more === false ? null : next_cursor || null,
        isCut: request_status?.type === 'incomplete',
        leftOut: given.length - results.length,
      };
    });
const searchResults = listSchema(found);
const pages = listSchema(page);
const blocks = listSchema(block);

const buildPath = (kind: string, id: string) => `/${kind}/${encodeURIComponent(id)}`;
const buildPageQuery = (cursor: string | null) => ({
  page_size: PAGE,
  ...(cursor !== null && { start_cursor: cursor }),
});

export class NotionApi {
  readonly #http: UpstreamHttp;
  readonly #downloads: UpstreamHttp;
  readonly #headers: Record<string, string>;

  constructor({ integration_token }: NotionSettings, { http }: SourceDeps) {
    this.#http = http({ name: 'Notion' });
    this.#downloads = http({ name: 'The file storage of Notion', redirects: 'follow' });
    this.#headers = { authorization: `Bearer ${integration_token}`, 'notion-version': VERSION };
  }

  async #send(path: string, body?: object): Promise<Response> {
    const json = body && { method: 'POST', body: JSON.stringify(body) };
    const type = body && { 'content-type': 'application/json' };
    for (let waits = 0; ; waits += 1) {
      const response = await this.#http.fetch(`${API}${path}`, {
        ...json,
        headers: { ...this.#headers, ...type },
      });
      const wait =
        response.status === 429 ? (parseRetryAfter(response.headers.get('retry-after')) ?? 1) : undefined;
      if (wait === undefined || wait > LONGEST_WAIT_SECONDS || waits >= MAX_WAITS) return response;
      await response.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    }
  }

  async #sendRequest<T>(what: string, schema: z.ZodType<T>, path: string, body?: object): Promise<T> {
    const response = await this.#send(path, body);
    if (response.ok) return this.#http.json(response, schema);
    const { status } = response;
    const by = status === 401 || status === 403 ? ' with this integration_token' : '';
    // Status 409 means a conflicting write, which Notion asks clients to retry.
    throw await this.#http.failure(response, `${what}${by}`, { alsoRetryable: status === 409 });
  }

  async #requestList<T>(
    what: string,
    schema: z.ZodType<List<T>>,
    cursor: string | null,
    path: string,
    body?: object,
  ) {
    const list = await this.#sendRequest(what, schema, path, body);
    if (list.next !== null && list.next === cursor) {
      throw new SourceError(`Notion returned the same page twice in a list of ${what}.`, {
        retryable: false,
      });
    }
    return list;
  }

  bytes(response: Response) {
    return this.#downloads.body(response);
  }

  self() {
    return this.#sendRequest('the integration', z.object({ id: z.string() }), '/users/me');
  }

  /**
   * Lists the pages and data sources that are shared with the Notion integration. The oldest changes come
   * first, so pages that change during the listing are listed last.
   */
  search(cursor: string | null) {
    const sort = { timestamp: 'last_edited_time', direction: 'ascending' };
    return this.#requestList('pages shared with the integration', searchResults, cursor, '/search', {
      sort,
      ...buildPageQuery(cursor),
    });
  }

  page(id: string) {
    return this.#sendRequest(`page ${id}`, page, buildPath('pages', id));
  }

  database(id: string) {
    return this.#sendRequest(`database ${id}`, database, buildPath('databases', id));
  }

  /**
   * Lists the rows of a Notion data source, oldest first. Rows that were created before `since` are left out.
   */
  rows(dataSourceId: string, since: string | null, cursor: string | null) {
    const path = `${buildPath('data_sources', dataSourceId)}/query`;
    const filter = since !== null && { timestamp: 'created_time', created_time: { on_or_after: since } };
    const sorts = [{ timestamp: 'created_time', direction: 'ascending' }];
    const query = { sorts, ...(filter && { filter }), ...buildPageQuery(cursor) };
    return this.#requestList(`data source ${dataSourceId}`, pages, cursor, path, query);
  }

  block(id: string) {
    return this.#sendRequest(`block ${id}`, block, buildPath('blocks', id));
  }

  children(id: string, cursor: string | null) {
    const query = new URLSearchParams({
      page_size: String(PAGE),
      ...(cursor !== null && { start_cursor: cursor }),
    });
    return this.#requestList(`block ${id}`, blocks, cursor, `${buildPath('blocks', id)}/children?${query}`);
  }

  /**
   * Downloads a file that was uploaded to Notion. The URL of the file is signed, so no credentials are sent.
   */
  async download(address: string, blockId: string): Promise<Response> {
    const response = await this.#downloads.fetch(address);
    if (response.ok) return response;
    throw await this.#downloads.failure(response, `the file of block ${blockId}`);
  }
}

/** Returns the result of a request, or `undefined` if the resource no longer exists. */
export const ignoreNotFound = <T>(request: Promise<T>): Promise<T | undefined> =>
  ignoreStatuses(request, [404]);

/**
 * Returns the result of a request, or `undefined` if the resource does not exist, is not shared, or is of
 * another kind than requested.
 */
export const ignoreMissing = <T>(request: Promise<T>): Promise<T | undefined> =>
  ignoreStatuses(request, [400, 403, 404]);

async function ignoreStatuses<T>(request: Promise<T>, statuses: number[]): Promise<T | undefined> {
  return request.catch((error: unknown) => {
    if (error instanceof SourceError && statuses.includes(error.status ?? 0)) return undefined;
    throw error;
  });
}
