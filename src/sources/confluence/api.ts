import type { z } from 'zod';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import {
  buildAuthorization,
  type ConfluenceSettings,
  listCredentialFields,
  parseSiteUrl,
} from './settings.ts';
import * as wire from './wire.ts';

/**
 * Maximum number of results per page of a search that expands more than ids, according to Confluence's
 * documentation.
 */
const SEARCH_PAGE = '200';
/** Maximum number of results per page in version 2 of Confluence's API. */
const PAGE = '250';
export const MAX_USERS = 250;
/** Fields that Confluence expands in search results. Confluence accepts at most eight. */
const CONTENT_EXPANSIONS = [
  ...['version', 'space', 'ancestors', 'history', 'metadata.labels', 'children.attachment.version'],
  ...['restrictions.read.restrictions.user', 'restrictions.read.restrictions.group'],
].join(',');
const RESTRICTION_EXPANSIONS = 'restrictions.read.restrictions.user,restrictions.read.restrictions.group';

export type Kind = 'page' | 'blogpost';
const getPathSegment = (kind: Kind) => (kind === 'page' ? 'pages' : 'blogposts');

export class ConfluenceApi {
  readonly site: string;
  readonly http: UpstreamHttp;
  readonly #settings: ConfluenceSettings;
  readonly #authorization: string;

  constructor(settings: ConfluenceSettings, { http }: SourceDeps) {
    this.site = parseSiteUrl(settings);
    this.http = http({ name: 'Confluence', redirects: 'follow' });
    this.#settings = settings;
    this.#authorization = buildAuthorization(settings);
  }

  async #get(path: string, query: Record<string, string | null> = {}): Promise<Response> {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null);
    const search = new URLSearchParams(given).toString();
    const response = await this.http.fetch(`${this.site}${path}${search && `?${search}`}`, {
      headers: { authorization: this.#authorization },
    });
    return this.#rejectInvalidCredentials(response, path);
  }

  /**
   * Rejects responses to requests with invalid credentials. Confluence answers some of these requests as
   * anonymous ones and reports that only in a header.
   */
  async #rejectInvalidCredentials(response: Response, path: string): Promise<Response> {
    const isAnonymous = /AUTHENTICAT/.test(response.headers.get('x-seraph-loginreason') ?? '');
    if (response.status === 401) {
      throw await this.http.failure(response, `${path} with this ${listCredentialFields(this.#settings)}`);
    }
    if (!isAnonymous) return response;
    await response.body?.cancel();
    const message = `Confluence rejected the credentials. Check ${listCredentialFields(this.#settings)}.`;
    throw new SourceError(message, { retryable: false, status: 401 });
  }

  async #json<T>(
    path: string,
    query: Record<string, string | null>,
    schema: z.ZodType<T>,
    what: string,
  ): Promise<T> {
    const response = await this.#get(path, query);
    if (!response.ok) throw await this.http.failure(response, what);
    return this.http.json(response, schema);
  }

  /**
   * Sends a GET request. Returns `undefined` if the resource does not exist or these credentials may not see
   * it.
   */
  async #getOptional<T>(path: string, query: Record<string, string | null>, schema: z.ZodType<T>) {
    const response = await this.#get(path, query);
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) throw await this.http.failure(response, path);
    return this.http.json(response, schema);
  }

  /**
   * Searches Confluence for content. `about` lists the settings from which the query was built, for error
   * messages.
   */
  async search(cql: string, cursor: string | null, about: string, isForRestrictions = false) {
    const expand = isForRestrictions ? RESTRICTION_EXPANSIONS : CONTENT_EXPANSIONS;
    const what = `a search${about && ` by ${about}`} (check server_url${about && ` and ${about}`})`;
    const query = { cql, expand, limit: SEARCH_PAGE, cursor };
    const answer = await this.#json('/rest/api/content/search', query, wire.contents, what);
    return { ...answer, next: parseNextCursor(answer._links.next) };
  }
  async space(key: string) {
    const { results } = await this.#json('/api/v2/spaces', { keys: key }, wire.spaces, 'spaces by space_key');
    return results.find((space) => space.key === key);
  }
  async grants(spaceId: string, cursor: string | null) {
    const path = `/api/v2/spaces/${encodeURIComponent(spaceId)}/permissions`;
    const answer = await this.#json(path, { limit: PAGE, cursor }, wire.grants, 'permissions of a space');
    return { results: answer.results, next: parseNextCursor(answer._links?.next) };
  }
  body(kind: Kind, id: string) {
    return this.#getOptional(
      `/api/v2/${getPathSegment(kind)}/${encodeURIComponent(id)}`,
      { 'body-format': 'storage' },
      wire.body,
    );
  }
  /**
   * Returns one page of the attachment list of a Confluence page. The list is empty if the Confluence page no
   * longer exists.
   */
  async attachments(kind: Kind, id: string, cursor: string | null) {
    const path = `/api/v2/${getPathSegment(kind)}/${encodeURIComponent(id)}/attachments`;
    const query = { limit: PAGE, status: 'current', cursor };
    const answer = await this.#getOptional(path, query, wire.attachments);
    return { results: answer?.results ?? [], next: parseNextCursor(answer?._links?.next) };
  }
  attachment(id: string) {
    return this.#getOptional(`/api/v2/attachments/${encodeURIComponent(id)}`, {}, wire.attachmentFile);
  }
  async download(pageId: string, id: string): Promise<SourceContent | undefined> {
    const path = `/rest/api/content/${encodeURIComponent(pageId)}/child/attachment/${encodeURIComponent(id)}/download`;
    const response = await this.#get(path);
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) throw await this.http.failure(response, `attachment ${id}`);
    return { body: this.http.body(response), version: null, contentType: null };
  }
  /** Returns the Confluence users with these account ids. The caller may pass at most 250 ids. */
  async users(accountIds: string[]) {
    const response = await this.http.fetch(`${this.site}/api/v2/users-bulk`, {
      method: 'POST',
      headers: { authorization: this.#authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ accountIds }),
    });
    if (!response.ok) throw await this.http.failure(response, 'names of users');
    return (await this.http.json(response, wire.users)).results;
  }
}

/**
 * Extracts the cursor from the URL of the next page. The URL itself is not called, so a response cannot
 * redirect requests to another host.
 */
function parseNextCursor(next: string | null | undefined): string | null {
  if (!next) return null;
  const cursor = URL.parse(next, 'https://site.invalid')?.searchParams.get('cursor');
  if (!cursor)
    throw new SourceError('Confluence returned a next page without a cursor.', { retryable: false });
  return cursor;
}
