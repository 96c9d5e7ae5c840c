import type { z } from 'zod';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/define.ts';
import { authorizationOf, type ConfluenceSettings, credentialFields, siteOf } from './settings.ts';
import * as wire from './wire.ts';

/** What a page of a search may hold when more than ids is asked for, by the vendor's documentation. */
const SEARCH_PAGE = '200';
/** What the newer lists may hold. */
const PAGE = '250';
export const MOST_USERS = 250;
/** The vendor takes eight. */
const OF_CONTENT = [
  ...['version', 'space', 'ancestors', 'history', 'metadata.labels', 'children.attachment.version'],
  ...['restrictions.read.restrictions.user', 'restrictions.read.restrictions.group'],
].join(',');
const OF_RESTRICTIONS = 'restrictions.read.restrictions.user,restrictions.read.restrictions.group';

export type Kind = 'page' | 'blogpost';
const folderOf = (kind: Kind) => (kind === 'page' ? 'pages' : 'blogposts');

/** The requests that reading pages takes. */
export function confluenceApi(settings: ConfluenceSettings, { http: httpFor }: SourceDeps) {
  const site = siteOf(settings);
  const authorization = authorizationOf(settings);
  const http = httpFor({ name: 'Confluence', redirects: 'follow' });

  async function get(path: string, query: Record<string, string | null> = {}): Promise<Response> {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null);
    const search = new URLSearchParams(given).toString();
    const response = await http.fetch(`${site}${path}${search && `?${search}`}`, {
      headers: { authorization },
    });
    return refuseCredentials(response, path);
  }

  /** The vendor answers some wrong credentials as if nobody had asked, and says so in a header alone. */
  async function refuseCredentials(response: Response, path: string): Promise<Response> {
    const isNobody = /AUTHENTICAT/.test(response.headers.get('x-seraph-loginreason') ?? '');
    if (response.status === 401) {
      throw await http.failure(response, `${path} with this ${credentialFields(settings)}`);
    }
    if (!isNobody) return response;
    await response.body?.cancel();
    const message = `Confluence does not know this ${credentialFields(settings)}.`;
    throw new SourceError(message, { retryable: false, status: 401 });
  }

  async function json<T>(
    path: string,
    query: Record<string, string | null>,
    schema: z.ZodType<T>,
    what: string,
  ): Promise<T> {
    const response = await get(path, query);
    if (!response.ok) throw await http.failure(response, what);
    return http.json(response, schema);
  }

  /** Undefined: it is not there, or not for the owner of the credentials. */
  async function found<T>(path: string, query: Record<string, string | null>, schema: z.ZodType<T>) {
    const response = await get(path, query);
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) throw await http.failure(response, path);
    return http.json(response, schema);
  }

  return {
    site,
    http,
    /** Content that a query finds. `about`: the fields of the settings that the query was made of. */
    async search(cql: string, cursor: string | null, about: string, isForRestrictions = false) {
      const expand = isForRestrictions ? OF_RESTRICTIONS : OF_CONTENT;
      const what = `a search${about && ` by ${about}`}, see server_url${about && ` and ${about}`}`;
      const query = { cql, expand, limit: SEARCH_PAGE, cursor };
      const answer = await json('/rest/api/content/search', query, wire.contents, what);
      return { ...answer, next: cursorIn(answer._links.next) };
    },
    async space(key: string) {
      const { results } = await json('/api/v2/spaces', { keys: key }, wire.spaces, 'spaces by space_key');
      return results.find((space) => space.key === key);
    },
    async grants(spaceId: string, cursor: string | null) {
      const path = `/api/v2/spaces/${encodeURIComponent(spaceId)}/permissions`;
      const answer = await json(path, { limit: PAGE, cursor }, wire.grants, 'permissions of a space');
      return { results: answer.results, next: cursorIn(answer._links?.next) };
    },
    /** Undefined: the page is no longer there. */
    body: (kind: Kind, id: string) =>
      found(`/api/v2/${folderOf(kind)}/${encodeURIComponent(id)}`, { 'body-format': 'storage' }, wire.body),
    /** None where the page is no longer there. */
    async attachments(kind: Kind, id: string, cursor: string | null) {
      const path = `/api/v2/${folderOf(kind)}/${encodeURIComponent(id)}/attachments`;
      const query = { limit: PAGE, status: 'current', cursor };
      const answer = await found(path, query, wire.attachments);
      return { results: answer?.results ?? [], next: cursorIn(answer?._links?.next) };
    },
    attachment: (id: string) =>
      found(`/api/v2/attachments/${encodeURIComponent(id)}`, {}, wire.attachmentFile),
    /** Undefined: the file is no longer there. */
    async download(pageId: string, id: string): Promise<SourceContent | undefined> {
      const path = `/rest/api/content/${encodeURIComponent(pageId)}/child/attachment/${encodeURIComponent(id)}/download`;
      const response = await get(path);
      if (response.status === 404) {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok) throw await http.failure(response, `attachment ${id}`);
      return { body: http.body(response), version: null, contentType: null };
    },
    /** At most 250 of them. */
    async users(accountIds: string[]) {
      const response = await http.fetch(`${site}/api/v2/users-bulk`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ accountIds }),
      });
      if (!response.ok) throw await http.failure(response, 'names of users');
      return (await http.json(response, wire.users)).results;
    },
  };
}
export type ConfluenceApi = ReturnType<typeof confluenceApi>;

/** Of the vendor's address of the next page only the cursor is taken, so that nothing leads elsewhere. */
function cursorIn(next: string | null | undefined): string | null {
  if (!next) return null;
  const cursor = URL.parse(next, 'https://site.invalid')?.searchParams.get('cursor');
  if (!cursor) throw new SourceError('Confluence names a next page without a cursor.', { retryable: false });
  return cursor;
}
