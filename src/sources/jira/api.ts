import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { type Comment, comment, comments, each, type Issue, issue, page, server } from './answers.ts';
import { inStableOrder } from './jql.ts';
import { paceOf } from './pace.ts';
import { type ApiVersion, type Connection, connectionOf, type JiraSettings } from './settings.ts';

const refused = (message: string, status: number) => new SourceError(message, { retryable: false, status });

/** Requested page sizes for issues and comments. Jira may return fewer. */
const ISSUES = 500;
const COMMENTS = 100;
/**
 * Maximum number of comments read per issue, because they are all kept in memory. The oldest are read first.
 */
const MOST_COMMENTS = 5_000;

export interface Server {
  /** Whether the server is Jira Cloud. Jira Data Center has other search and attachment endpoints. */
  isCloud: boolean;
  version: ApiVersion;
  /** Base URL for links that open in a browser, without a trailing slash. */
  site: string;
}

interface Asking {
  /** JSON body of a POST request. If missing, a GET request is sent. */
  body?: object | undefined;
  by?: UpstreamHttp;
  /** Whether the request downloads a file, which may legitimately be HTML. */
  isFile?: boolean;
}

/**
 * Client for the Jira requests that list and read issues. The constructor throws a SourceError for invalid
 * settings.
 */
export class JiraApi {
  readonly #settings: JiraSettings;
  readonly #connection: Connection;
  readonly #http: UpstreamHttp;
  /** HTTP client for attachments. Jira redirects to another host, which must not receive the credentials. */
  readonly #files: UpstreamHttp;
  readonly #waitForTurn: () => Promise<void>;
  #server: Server | undefined;

  constructor(settings: JiraSettings, { http }: SourceDeps) {
    this.#settings = settings;
    this.#connection = connectionOf(settings);
    this.#http = http({ name: 'Jira', redirects: 'manual' });
    this.#files = http({ name: 'Jira', redirects: 'follow' });
    this.#waitForTurn = paceOf(settings.requestsPerMinute);
  }

  async #ask(path: string, { body, by = this.#http, isFile = false }: Asking = {}): Promise<Response> {
    await this.#waitForTurn();
    const { base, authorization } = this.#connection;
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    const response = await by.fetch(`${base}${path}`, init);
    const refusal = refusalOf(response, this.#connection, isFile);
    if (refusal) await response.body?.cancel();
    if (refusal) throw refusal;
    return response;
  }

  async #answer<T>(path: string, what: string, schema: z.ZodType<T>, body?: object): Promise<T> {
    const response = await this.#ask(path, { body });
    if (!response.ok) throw await this.#http.failure(response, what);
    return this.#http.json(response, schema);
  }

  /** Returns `undefined` if the resource does not exist or these credentials may not see it. */
  async #orGone(response: Response, what: string): Promise<Response | undefined> {
    if (response.ok) return response;
    if (response.status !== 404) throw await this.#http.failure(response, what);
    await response.body?.cancel();
    return undefined;
  }

  /** Detects the kind of server and caches the result. */
  async server(): Promise<Server> {
    if (this.#server) return this.#server;
    const { place, site } = this.#connection;
    const isCloud = place === 'cloud_id';
    const told =
      isCloud && site !== null
        ? null
        : await this.#answer('/rest/api/2/serverInfo', `what it is, see ${place}`, server);
    const isCloudServer = told?.deploymentType === 'Cloud' || isCloud;
    this.#server = serverOf(this.#settings, isCloudServer, site ?? told?.baseUrl);
    return this.#server;
  }

  async #path(rest: string): Promise<string> {
    return `/rest/api/${(await this.server()).version}${rest}`;
  }

  async search(position: object, fields: string[], maxResults = ISSUES) {
    const { isCloud } = await this.server();
    const body = { jql: inStableOrder(this.#settings.query), maxResults, fields, ...position };
    const what = `the issues of this query (with ${this.#connection.credentials} at ${this.#connection.place})`;
    return this.#answer(await this.#path(isCloud ? '/search/jql' : '/search'), what, page, body);
  }

  async myself(): Promise<void> {
    await this.#answer(
      await this.#path('/myself'),
      `whom ${this.#connection.credentials} belong to, at ${this.#connection.place}`,
      z.looseObject({}),
    );
  }

  async issue(id: string, query: URLSearchParams): Promise<Issue | undefined> {
    const at = await this.#path(`/issue/${encodeURIComponent(id)}?${query}`);
    const response = await this.#orGone(await this.#ask(at), `issue ${id}`);
    return response && this.#http.json(response, issue);
  }

  async comments(id: string): Promise<Comment[]> {
    const all: Comment[] = [];
    for (let startAt = 0; startAt < MOST_COMMENTS; ) {
      const query = new URLSearchParams({
        startAt: `${startAt}`,
        maxResults: `${COMMENTS}`,
        orderBy: 'created',
      });
      const at = await this.#path(`/issue/${encodeURIComponent(id)}/comment?${query}`);
      const found = await this.#answer(at, `the comments of issue ${id}`, comments);
      all.push(...each(comment).parse(found.comments));
      startAt += found.comments.length;
      if (found.comments.length === 0 || startAt >= (found.total ?? Number.POSITIVE_INFINITY)) break;
    }
    return all;
  }

  async attachment(id: string): Promise<SourceContent | undefined> {
    const { isCloud } = await this.server();
    const own = encodeURIComponent(id);
    // Jira Data Center redirects unauthenticated downloads to a login page, so redirects are not followed
    // there.
    const response = isCloud
      ? await this.#ask(await this.#path(`/attachment/content/${own}`), { by: this.#files, isFile: true })
      : await this.#ask(`/secure/attachment/${own}/${own}`, { isFile: true });
    const found = await this.#orGone(response, `attachment ${id}`);
    return found && { body: this.#http.body(found), version: null, contentType: null };
  }
}

function serverOf({ apiVersion }: JiraSettings, isCloud: boolean, site: string | null | undefined): Server {
  if (!isCloud && apiVersion === '3') {
    const message = 'api_version 3 is of Jira Cloud; the server of server_url knows 2.';
    throw new SourceError(message, { retryable: false });
  }
  return {
    isCloud,
    version: apiVersion ?? (isCloud ? '3' : '2'),
    site: baseUrl(site ?? ''),
  };
}

/**
 * Returns the error for wrong credentials or a wrong address. Returns `undefined` for a usable response.
 * Jira treats a wrong token as an anonymous request and may answer it with an empty list and status 200. Only
 * a header reveals the failure.
 */
function refusalOf(
  { status, headers }: Response,
  { credentials, place }: Connection,
  isFile: boolean,
): SourceError | undefined {
  const login = headers.get('x-seraph-loginreason') ?? '';
  if (status === 401 || /AUTHENTICATED_FAILED|AUTHENTICATION_DENIED/.test(login)) {
    const denied = /AUTHENTICATION_DENIED/.test(login) ? ' until somebody has logged in in a browser' : '';
    return refused(`Jira does not take these credentials${denied}, see ${credentials}.`, 401);
  }
  if (status >= 300 && status < 400) {
    return refused(`Jira's address leads elsewhere, perhaps to a page to log in, see ${place}.`, status);
  }
  const isPage = /html/i.test(headers.get('content-type') ?? '');
  if (isPage && !isFile && (status < 300 || status === 404)) {
    return refused(`A page for people answers, not the API of Jira, see ${place}.`, status);
  }
  return undefined;
}
