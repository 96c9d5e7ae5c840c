import { issueKey } from '#test/suites/jira-words.ts';
import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';
import { decodeItemText, type HeldItem, hashToId, heldIn, takePage } from './held-items.ts';

// Issues with comments and attachments. Each item of the source suite is an issue with its path as summary
// and its text as description: a document in API version 3, wiki markup in version 2.

interface HeldIssue {
  id: string;
  key: string;
  fields: Record<string, unknown>;
  comments?: unknown[];
  changelog?: { histories: unknown[] };
}

const SAMPLE: HeldIssue = { id: '10000', key: 'SUITE-1', fields: { summary: 'Sample' } };
const PROJECT = { id: '1', key: 'SUITE', name: 'Suite' };
const MEDIA = 'https://api.media.atlassian.com';

const buildParagraph = (text: string) => ({ type: 'paragraph', content: [{ type: 'text', text }] });

function buildIssue(item: HeldItem, isDocument: boolean): HeldIssue {
  const text = decodeItemText(item);
  const description = isDocument ? { type: 'doc', version: 1, content: [buildParagraph(text)] } : text;
  const fields = {
    ...{ summary: item.path, project: PROJECT, updated: item.modifiedAt },
    ...{ created: '2026-01-02T03:04:05.000+0000', description: text === '' ? null : description },
    ...(item.permissions && { security: { id: '10100', name: JSON.stringify(item.permissions) } }),
  };
  return { id: hashToId(item.id), key: issueKey(item.path), fields };
}

function issuesIn({ settings, url }: VendorRequest): HeldIssue[] {
  const isDocument = url.pathname.includes('/rest/api/3/');
  const ofItems = heldIn(settings).items.map((item) => buildIssue(item, isDocument));
  const all = [...((settings.issues ?? []) as HeldIssue[]), ...ofItems];
  return all.sort((a, b) => Number(a.id) - Number(b.id));
}

const jiraError = (message: string) => ({ errorMessages: [message], errors: {} });
const wrong = (message: string): Answer => ({ status: 400, body: jiraError(message) });
const notFound: Answer = {
  status: 404,
  body: jiraError('Issue does not exist or you do not have permission to see it.'),
};

function shown({ id, key, fields }: HeldIssue, wanted: string[]) {
  const isAll = wanted.includes('*all');
  const given = Object.entries(fields).filter(([name]) => isAll || wanted.includes(name));
  return {
    id,
    key,
    self: `https://suite.atlassian.net/rest/api/3/issue/${id}`,
    fields: Object.fromEntries(given),
  };
}

interface Search {
  jql?: string;
  fields?: string[];
  maxResults?: number;
  nextPageToken?: string;
  startAt?: number;
}

/** Answer for anonymous users: an empty list, and a header that reports the failed login. */
const nothing: Answer = {
  headers: { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' },
  body: { issues: [], isLast: true },
};

function found(request: VendorRequest): HeldIssue[] | Answer {
  const { jql = '' } = request.body as Search;
  if (!/(^|\s)ORDER BY created ASC, key ASC$/.test(jql)) return wrong(`no order that lasts: ${jql}`);
  if (jql.startsWith('ORDER')) return wrong('Unbounded JQL queries are not allowed here.');
  if (/nonsense/.test(jql)) return wrong("The value 'nonsense' does not exist for the field 'project'.");
  return issuesIn(request);
}

/** Continues after the id in the token, so that deleted items do not shift pages. */
function searchCloud(request: VendorRequest): Answer {
  if (request.settings.strangers) return nothing;
  const { nextPageToken, fields = ['id'], maxResults = 50 } = request.body as Search;
  const all = found(request);
  if (!Array.isArray(all)) return all;
  const rest = all.filter(({ id }) => !nextPageToken || Number(id) > Number(atob(nextPageToken)));
  const { page, next } = takePage(rest, 0, Math.min(heldIn(request.settings).pageSize, maxResults));
  const token = next === null ? {} : { nextPageToken: btoa(page.at(-1)!.id) };
  return { body: { issues: page.map((each) => shown(each, fields)), isLast: next === null, ...token } };
}

function searchDataCenter(request: VendorRequest): Answer {
  const { startAt = 0, fields = ['*all'], maxResults = 50 } = request.body as Search;
  const all = found(request);
  if (!Array.isArray(all)) return all;
  const size = Math.min(heldIn(request.settings).pageSize, maxResults);
  const { page } = takePage(all, startAt, size);
  const issues = page.map((each) => shown(each, fields));
  return { body: { startAt, maxResults: size, total: all.length, issues } };
}

const issueAt = (request: VendorRequest) => {
  const id = request.params.issueIdOrKey;
  return issuesIn(request).find((each) => each.id === id) ?? (id === SAMPLE.id ? SAMPLE : undefined);
};

/** Returns an issue with its first comments. Settings define how many. */
function oneIssue(request: VendorRequest): Answer {
  const { settings, query } = request;
  const held = issueAt(request);
  if (!held) return notFound;
  const wanted = (query.fields ?? '*all').split(',');
  const { fields, ...issue } = shown(held, wanted);
  const all = held.comments ?? [];
  const some = all.slice(0, Number(settings.commentsWithIssue ?? all.length));
  const comment = { comments: some, total: all.length, maxResults: some.length, startAt: 0 };
  const expand = (query.expand ?? '').split(',');
  const isWanted = wanted.includes('*all') || wanted.includes('comment');
  return {
    body: {
      ...issue,
      fields: { ...fields, ...(all.length > 0 && isWanted && { comment }) },
      ...(expand.includes('names') && { names: settings.names ?? {} }),
      ...(expand.includes('schema') && { schema: settings.schema ?? {} }),
      ...(expand.includes('changelog') && held.changelog && { changelog: held.changelog }),
    },
  };
}

function listComments(request: VendorRequest): Answer {
  const held = issueAt(request);
  if (!held) return notFound;
  const { pageSize } = heldIn(request.settings);
  const { startAt = '0', maxResults = '100' } = request.query;
  const all = held.comments ?? [];
  const { page } = takePage(all, Number(startAt), Math.min(pageSize, Number(maxResults)));
  return { body: { comments: page, total: all.length, startAt: Number(startAt), maxResults: pageSize } };
}

/** A Data Center returns the file directly, and Jira Cloud redirects. */
function attachment({ params, settings, memory }: VendorRequest): Answer {
  if (params.id === 'sample') return { raw: { contentType: 'application/octet-stream', bytes: 'x' } };
  const bytes = ((settings.files ?? {}) as Record<string, string>)[params.id!];
  if (bytes === undefined) return { status: 404, body: jiraError('The attachment does not exist.') };
  if (params.name) return { raw: { contentType: 'text/html', bytes } };
  const ticket = crypto.randomUUID();
  memory.set(ticket, bytes);
  return { status: 303, headers: { location: `${MEDIA}/file/${ticket}/binary` } };
}

const ISSUE = { params: { issueIdOrKey: SAMPLE.id } };
const JQL = 'project = SUITE ORDER BY created ASC, key ASC';
const FIELDS = ['summary', 'updated'];

const ofVersion = (version: 2 | 3): Behaviour['operations'] => ({
  [`GET /rest/api/${version}/myself`]: {
    sample: {},
    answer: () => ({ body: { accountId: '5b10ac8d82e05b22cc7d4ef5', displayName: 'Ann Lee' } }),
  },
  [`POST /rest/api/${version}/search/jql`]: {
    sample: { body: { jql: JQL, maxResults: 100, fields: FIELDS } },
    answer: searchCloud,
  },
  [`GET /rest/api/${version}/issue/{issueIdOrKey}`]: {
    sample: { ...ISSUE, query: { fields: '*all', expand: 'names' } },
    answer: oneIssue,
  },
  [`GET /rest/api/${version}/issue/{issueIdOrKey}/comment`]: {
    sample: { ...ISSUE, query: { startAt: '0', maxResults: '100', orderBy: 'created' } },
    answer: listComments,
  },
  [`GET /rest/api/${version}/attachment/content/{id}`]: {
    sample: { params: { id: 'sample' } },
    answer: attachment,
  },
});

const basicAuthorization = ({ email, key }: Record<string, unknown>) => `Basic ${btoa(`${email}:${key}`)}`;

export const jira: Behaviour = {
  name: 'jira',
  error: (_, message) => jiraError(message),
  authenticate({ headers: { authorization }, settings }) {
    const isGood = [basicAuthorization(settings), `Bearer ${settings.key}`].includes(authorization ?? '');
    if (isGood || settings.strangers) return undefined;
    return { status: 401, message: 'Client must be authenticated to access this resource.' };
  },
  sign: (_, settings) => ({ authorization: basicAuthorization(settings) }),
  settings: { email: 'ann@example.com', key: 'token-of-the-vendor' },
  operations: {
    'GET /rest/api/2/serverInfo': {
      sample: {},
      answer({ settings: { deployment = 'Cloud', baseUrl = 'https://suite.atlassian.net' } }) {
        return { body: { baseUrl, deploymentType: deployment, version: '1001.0.0-SNAPSHOT' } };
      },
    },
    'POST /rest/api/2/search': {
      sample: { body: { jql: JQL, startAt: 0, maxResults: 100, fields: FIELDS } },
      answer: searchDataCenter,
    },
    'GET /secure/attachment/{id}/{name}': {
      sample: { params: { id: 'sample', name: 'x' } },
      answer: attachment,
    },
    ...ofVersion(2),
    ...ofVersion(3),
  },
};
/** Rejects credentials, because sending them would leak them to another host. */
export const jiraMedia: Behaviour = {
  name: 'jira-media',
  error: (_, message) => jiraError(message),
  authenticate: ({ headers }) =>
    headers.authorization ? { status: 400, message: 'credentials at another host' } : undefined,
  sign: () => ({}),
  settings: {},
  operations: {
    'GET /file/{ticket}/binary': {
      sample: { params: { ticket: 'sample' } },
      answer({ params, memory }) {
        const bytes = params.ticket === 'sample' ? 'x' : (memory.get(params.ticket!) as string | undefined);
        if (bytes === undefined) return { status: 404 };
        return { raw: { contentType: 'application/octet-stream', bytes } };
      },
    },
  },
};
