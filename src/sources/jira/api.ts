import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/define.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { type Comment, comment, comments, each, type Issue, issue, page, server } from './answers.ts';
import { inStableOrder } from './jql.ts';
import { paceOf } from './pace.ts';
import { refusalOf } from './refusal.ts';
import { type ApiVersion, connectionOf, type JiraSettings } from './settings.ts';

/** Issues and comments that a page may hold; Jira gives fewer where it finds that too many. */
const ISSUES = 500;
const COMMENTS = 100;
/** An issue with more is cut off there: what is read at once is kept in memory. */
const MOST_COMMENTS = 5_000;

export interface Server {
  /** A Data Center has another search and other addresses of attachments. */
  isCloud: boolean;
  version: ApiVersion;
  /** What paths for browsers follow, without a slash. */
  site: string;
}

interface Asking {
  /** What is posted; absent: it is a GET. */
  body?: object | undefined;
  by?: UpstreamHttp;
  /** A file may be a page for people. */
  isFile?: boolean;
}

/** The requests that reading issues takes. Throws the SourceError of settings that cannot work. */
export function jiraApi(settings: JiraSettings, { http: httpFor }: SourceDeps) {
  const connection = connectionOf(settings);
  const { base, authorization, place } = connection;
  const http = httpFor({ name: 'Jira', redirects: 'manual' });
  /** Attachments are at another host, which no credentials go to. */
  const files = httpFor({ name: 'Jira', redirects: 'follow' });
  const turn = paceOf(settings.requestsPerMinute);
  let known: Server | undefined;

  async function ask(path: string, { body, by = http, isFile = false }: Asking = {}): Promise<Response> {
    await turn();
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }) };
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    const response = await by.fetch(`${base}${path}`, init);
    const refusal = refusalOf(response, connection, isFile);
    if (refusal) await response.body?.cancel();
    if (refusal) throw refusal;
    return response;
  }

  async function answer<T>(path: string, what: string, schema: z.ZodType<T>, body?: object): Promise<T> {
    const response = await ask(path, { body });
    if (!response.ok) throw await http.failure(response, what);
    return http.json(response, schema);
  }

  /** Undefined: Jira shows these credentials nothing there. */
  async function orGone(response: Response, what: string): Promise<Response | undefined> {
    if (response.ok) return response;
    if (response.status !== 404) throw await http.failure(response, what);
    await response.body?.cancel();
    return undefined;
  }

  /** Asked once: what kind of server it is stays as it is. */
  async function theServer(): Promise<Server> {
    if (known) return known;
    const isCloud = place === 'cloud_id';
    const told =
      isCloud && connection.site !== null
        ? null
        : await answer('/rest/api/2/serverInfo', `what it is, see ${place}`, server);
    known = serverOf(settings, told?.deploymentType === 'Cloud' || isCloud, connection.site ?? told?.baseUrl);
    return known;
  }

  async function path(rest: string): Promise<string> {
    return `/rest/api/${(await theServer()).version}${rest}`;
  }

  async function search(position: object, fields: string[], maxResults = ISSUES) {
    const { isCloud } = await theServer();
    const body = { jql: inStableOrder(settings.query), maxResults, fields, ...position };
    const what = `the issues of this query (with ${connection.credentials} at ${place})`;
    return answer(await path(isCloud ? '/search/jql' : '/search'), what, page, body);
  }

  return {
    server: theServer,
    search,
    async myself(): Promise<void> {
      await answer(
        await path('/myself'),
        `whom ${connection.credentials} belong to, at ${place}`,
        z.looseObject({}),
      );
    },
    async issue(id: string, query: URLSearchParams): Promise<Issue | undefined> {
      const at = await path(`/issue/${encodeURIComponent(id)}?${query}`);
      const response = await orGone(await ask(at), `issue ${id}`);
      return response && http.json(response, issue);
    },
    /** All of them, the oldest first. */
    async comments(id: string): Promise<Comment[]> {
      const all: Comment[] = [];
      for (let startAt = 0; startAt < MOST_COMMENTS; ) {
        const query = new URLSearchParams({
          startAt: `${startAt}`,
          maxResults: `${COMMENTS}`,
          orderBy: 'created',
        });
        const at = await path(`/issue/${encodeURIComponent(id)}/comment?${query}`);
        const found = await answer(at, `the comments of issue ${id}`, comments);
        all.push(...each(comment).parse(found.comments));
        startAt += found.comments.length;
        if (found.comments.length === 0 || startAt >= (found.total ?? Number.POSITIVE_INFINITY)) break;
      }
      return all;
    },
    async attachment(id: string): Promise<SourceContent | undefined> {
      const { isCloud } = await theServer();
      const own = encodeURIComponent(id);
      // Of a Data Center a redirect leads to where people log in.
      const response = isCloud
        ? await ask(await path(`/attachment/content/${own}`), { by: files, isFile: true })
        : await ask(`/secure/attachment/${own}/${own}`, { isFile: true });
      const found = await orGone(response, `attachment ${id}`);
      return found && { body: http.body(found), version: null, contentType: null };
    },
  };
}
export type JiraApi = ReturnType<typeof jiraApi>;

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
