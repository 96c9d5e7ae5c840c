import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { withStableOrder } from './jql.ts';
import { createRateLimiter } from './rate-limiter.ts';
import {
  type Comment,
  comment,
  comments,
  type Issue,
  issue,
  lenientList,
  page,
  server,
} from './responses.ts';
import { type ApiVersion, buildConnection, type Connection, type JiraSettings } from './settings.ts';

const createPermanentError = (message: string, status: number) =>
  new SourceError(message, { retryable: false, status });

/** Page sizes that are requested for lists of issues and comments. Jira may return fewer per page. */
const ISSUES = 500;
const COMMENTS = 100;
/**
 * Maximum number of comments that are read per issue, beginning with the oldest. The limit exists because all
 * comments of an issue are kept in memory.
 */
const MAX_COMMENTS = 5_000;

export interface Server {
  /** True for Jira Cloud. Jira Data Center has other search and attachment endpoints. */
  isCloud: boolean;
  version: ApiVersion;
  site: string;
}

interface RequestOptions {
  /** JSON body of a POST request. If the body is missing, a GET request is sent. */
  body?: object | undefined;
  client?: UpstreamHttp;
  /** True if the request downloads a file. An HTML response to any other request is an error. */
  isFile?: boolean;
}

/**
 * Client of the Jira API that lists and reads issues. The constructor throws a SourceError if the settings
 * are invalid.
 */
export class JiraApi {
  readonly #settings: JiraSettings;
  readonly #connection: Connection;
  readonly #http: UpstreamHttp;
  /**
   * HTTP client for downloads of attachments. Jira redirects them to another host, which must not receive the
   * credentials.
   */
  readonly #files: UpstreamHttp;
  readonly #waitForTurn: () => Promise<void>;
  #server: Server | undefined;

  constructor(settings: JiraSettings, { http }: SourceDeps) {
    this.#settings = settings;
    this.#connection = buildConnection(settings);
    this.#http = http({ name: 'Jira', redirects: 'manual' });
    this.#files = http({ name: 'Jira', redirects: 'follow' });
    this.#waitForTurn = createRateLimiter(settings.requestsPerMinute);
  }

  async #sendRequest(
    path: string,
    { body, client = this.#http, isFile = false }: RequestOptions = {},
  ): Promise<Response> {
    await this.#waitForTurn();
    const { base, authorization } = this.#connection;
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    const response = await client.fetch(`${base}${path}`, init);
    const refusal = findRefusal(response, this.#connection, isFile);
    if (refusal) await response.body?.cancel();
    if (refusal) throw refusal;
    return response;
  }

  async #readJson<T>(path: string, what: string, schema: z.ZodType<T>, body?: object): Promise<T> {
    const response = await this.#sendRequest(path, { body });
    if (!response.ok) throw await this.#http.failure(response, what);
    return this.#http.json(response, schema);
  }

  /**
   * Returns the response if the request succeeded. Returns `undefined` if the resource does not exist or
   * these credentials may not see it. Rejects for any other status.
   */
  async #ignoreNotFound(response: Response, what: string): Promise<Response | undefined> {
    if (response.ok) return response;
    if (response.status !== 404) throw await this.#http.failure(response, what);
    await response.body?.cancel();
    return undefined;
  }

  /** Detects the kind of Jira server on the first call and caches the result. */
  async server(): Promise<Server> {
    if (this.#server) return this.#server;
    const { addressField, site } = this.#connection;
    const isCloud = addressField === 'cloud_id';
    const info =
      isCloud && site !== null
        ? null
        : await this.#readJson(
            '/rest/api/2/serverInfo',
            `its server information (check ${addressField})`,
            server,
          );
    const isCloudServer = info?.deploymentType === 'Cloud' || isCloud;
    this.#server = buildServer(this.#settings, isCloudServer, site ?? info?.baseUrl);
    return this.#server;
  }

  async #path(rest: string): Promise<string> {
    return `/rest/api/${(await this.server()).version}${rest}`;
  }

  async search(position: object, fields: string[], maxResults = ISSUES) {
    const { isCloud } = await this.server();
    const body = { jql: withStableOrder(this.#settings.query), maxResults, fields, ...position };
    const what = `the issues of this query (check ${this.#connection.credentials} and ${this.#connection.addressField})`;
    return this.#readJson(await this.#path(isCloud ? '/search/jql' : '/search'), what, page, body);
  }

  async myself(): Promise<void> {
    await this.#readJson(
      await this.#path('/myself'),
      `the current user (check ${this.#connection.credentials} and ${this.#connection.addressField})`,
      z.looseObject({}),
    );
  }

  async issue(id: string, query: URLSearchParams): Promise<Issue | undefined> {
    const at = await this.#path(`/issue/${encodeURIComponent(id)}?${query}`);
    const response = await this.#ignoreNotFound(await this.#sendRequest(at), `issue ${id}`);
    return response && this.#http.json(response, issue);
  }

  async comments(id: string): Promise<Comment[]> {
    const all: Comment[] = [];
    for (let startAt = 0; startAt < MAX_COMMENTS; ) {
      const query = new URLSearchParams({
        startAt: `${startAt}`,
        maxResults: `${COMMENTS}`,
        orderBy: 'created',
      });
      const at = await this.#path(`/issue/${encodeURIComponent(id)}/comment?${query}`);
      const found = await this.#readJson(at, `the comments of issue ${id}`, comments);
      all.push(...lenientList(comment).parse(found.comments));
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
      ? await this.#sendRequest(await this.#path(`/attachment/content/${own}`), {
          client: this.#files,
          isFile: true,
        })
      : await this.#sendRequest(`/secure/attachment/${own}/${own}`, { isFile: true });
    const found = await this.#ignoreNotFound(response, `attachment ${id}`);
    return found && { body: this.#http.body(found), version: null, contentType: null };
  }
}

function buildServer(
  { apiVersion }: JiraSettings,
  isCloud: boolean,
  site: string | null | undefined,
): Server {
  if (!isCloud && apiVersion === '3') {
    const message = 'api_version 3 requires Jira Cloud. Set api_version to 2 for the server at server_url.';
    throw new SourceError(message, { retryable: false });
  }
  return {
    isCloud,
    version: apiVersion ?? (isCloud ? '3' : '2'),
    site: baseUrl(site ?? ''),
  };
}

/**
 * Returns an error if the credentials or the address are wrong, or `undefined` if the response is usable.
 * Jira treats a wrong token as an anonymous request. The response may then be an empty list with status 200,
 * and only a header reveals the failure.
 */
function findRefusal(
  { status, headers }: Response,
  { credentials, addressField }: Connection,
  isFile: boolean,
): SourceError | undefined {
  const login = headers.get('x-seraph-loginreason') ?? '';
  if (status === 401 || /AUTHENTICATED_FAILED|AUTHENTICATION_DENIED/.test(login)) {
    const denied = /AUTHENTICATION_DENIED/.test(login) ? ' and requires a login in the browser first' : '';
    return createPermanentError(`Jira rejected the credentials${denied}. Check ${credentials}.`, 401);
  }
  if (status >= 300 && status < 400) {
    return createPermanentError(
      `Jira redirected the request, perhaps to a login page. Check ${addressField}.`,
      status,
    );
  }
  const isPage = /html/i.test(headers.get('content-type') ?? '');
  if (isPage && !isFile && (status < 300 || status === 404)) {
    return createPermanentError(
      `An HTML page answered instead of the API of Jira. Check ${addressField}.`,
      status,
    );
  }
  return undefined;
}
