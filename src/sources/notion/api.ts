import { z } from 'zod';
import { SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { retryAfterOf } from '#src/upstream/retry-after.ts';
import { block, database, found, page, some } from './objects.ts';
import type { NotionSettings } from './settings.ts';

const API = 'https://api.notion.com/v1';
const VERSION = '2025-09-03';
/** What one page may hold, by the vendor's documentation. */
const PAGE = 100;
/** A wait that is shorter is waited for here: reading a page takes many requests, of which the vendor wants three a second. */
const LONGEST_WAIT_SECONDS = 5;
const MOST_WAITS = 10;

interface List<T> {
  results: T[];
  /** Where the next page starts; null: this was the last one. */
  next: string | null;
  /** There is more than the vendor tells of one query, which is 10,000. */
  isCut: boolean;
  /** Number of results that could not be read. */
  leftOut: number;
}
const listOf = <T>(schema: z.ZodType<T>): z.ZodType<List<T>> =>
  z
    .object({
      results: z.array(z.unknown()),
      next_cursor: z.string().nullish(),
      has_more: z.boolean().nullish(),
      request_status: z.object({ type: z.string() }).nullish().catch(null),
    })
    .transform(({ results: given, next_cursor, has_more, request_status }, context) => {
      // A list that goes on nowhere would pass for a whole one, and what it does not show would be removed.
      if (has_more && !next_cursor) context.addIssue({ code: 'custom', path: ['next_cursor'] });
      const results = some(schema).parse(given);
      return {
        results,
        next: has_more === false ? null : next_cursor || null,
        isCut: request_status?.type === 'incomplete',
        leftOut: given.length - results.length,
      };
    });
const findings = listOf(found);
const pages = listOf(page);
const blocks = listOf(block);

const toPath = (kind: string, id: string) => `/${kind}/${encodeURIComponent(id)}`;
const startingFrom = (cursor: string | null) => ({
  page_size: PAGE,
  ...(cursor !== null && { start_cursor: cursor }),
});

/** The requests that reading pages takes. */
export class NotionApi {
  readonly #http: UpstreamHttp;
  readonly #downloads: UpstreamHttp;
  readonly #headers: Record<string, string>;

  constructor({ integration_token }: NotionSettings, { http }: SourceDeps) {
    this.#http = http({ name: 'Notion' });
    this.#downloads = http({ name: 'The store of Notion’s files', redirects: 'follow' });
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
        response.status === 429 ? (retryAfterOf(response.headers.get('retry-after')) ?? 1) : undefined;
      if (wait === undefined || wait > LONGEST_WAIT_SECONDS || waits >= MOST_WAITS) return response;
      await response.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    }
  }

  /** `what` names what was asked for in the error. */
  async #ask<T>(what: string, schema: z.ZodType<T>, path: string, body?: object): Promise<T> {
    const response = await this.#send(path, body);
    if (response.ok) return this.#http.json(response, schema);
    const { status } = response;
    const by = status === 401 || status === 403 ? ' with this integration_token' : '';
    // Somebody else was writing: the vendor asks to try it again.
    throw await this.#http.failure(response, `${what}${by}`, { alsoRetryable: status === 409 });
  }

  async #askList<T>(
    what: string,
    schema: z.ZodType<List<T>>,
    cursor: string | null,
    path: string,
    body?: object,
  ) {
    const list = await this.#ask(what, schema, path, body);
    if (list.next !== null && list.next === cursor) {
      throw new SourceError(`Notion’s list of ${what} leads back to the same page.`, { retryable: false });
    }
    return list;
  }

  bytes(response: Response) {
    return this.#downloads.body(response);
  }

  self() {
    return this.#ask('the integration', z.object({ id: z.string() }), '/users/me');
  }

  /** Pages and data sources that the integration sees; oldest changes first, so that what changes meanwhile comes last. */
  search(cursor: string | null) {
    const sort = { timestamp: 'last_edited_time', direction: 'ascending' };
    return this.#askList('what is shared with the integration', findings, cursor, '/search', {
      sort,
      ...startingFrom(cursor),
    });
  }

  page(id: string) {
    return this.#ask(`page ${id}`, page, toPath('pages', id));
  }

  database(id: string) {
    return this.#ask(`database ${id}`, database, toPath('databases', id));
  }

  /** Oldest first; `since` leaves out those that were created before. */
  rows(dataSourceId: string, since: string | null, cursor: string | null) {
    const path = `${toPath('data_sources', dataSourceId)}/query`;
    const filter = since !== null && { timestamp: 'created_time', created_time: { on_or_after: since } };
    const sorts = [{ timestamp: 'created_time', direction: 'ascending' }];
    const query = { sorts, ...(filter && { filter }), ...startingFrom(cursor) };
    return this.#askList(`data source ${dataSourceId}`, pages, cursor, path, query);
  }

  block(id: string) {
    return this.#ask(`block ${id}`, block, toPath('blocks', id));
  }

  /** What is directly in a block or a page. */
  children(id: string, cursor: string | null) {
    const query = new URLSearchParams({
      page_size: String(PAGE),
      ...(cursor !== null && { start_cursor: cursor }),
    });
    return this.#askList(`block ${id}`, blocks, cursor, `${toPath('blocks', id)}/children?${query}`);
  }

  /** The bytes of an upload. Its address is good by itself. */
  async download(address: string, blockId: string): Promise<Response> {
    const response = await this.#downloads.fetch(address);
    if (response.ok) return response;
    throw await this.#downloads.failure(response, `the file of block ${blockId}`);
  }
}

/** Undefined: it is no longer there. */
export const orGone = <T>(asked: Promise<T>): Promise<T | undefined> => unless(asked, [404]);

/** Undefined: it is not there, not shared, or of another kind than it was asked for as. */
export const orMissing = <T>(asked: Promise<T>): Promise<T | undefined> => unless(asked, [400, 403, 404]);

async function unless<T>(asked: Promise<T>, statuses: number[]): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof SourceError && statuses.includes(error.status ?? 0)) return undefined;
    throw error;
  });
}
