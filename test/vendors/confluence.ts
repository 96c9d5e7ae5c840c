import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';
import { parsedQuery, WrongQuery } from './confluence-cql.ts';
import { decodeItemText, getItemName, hashToId, heldIn } from './held-items.ts';

// Spaces with page trees and attachments. Each item of the source suite is a page below pages named after its
// folders.

export interface HeldFile {
  id: string;
  title: string;
  text: string;
  number?: number;
  status?: string;
}
export interface HeldPage {
  id: string;
  type?: string;
  title: string;
  /** Key of the space. */
  space?: string;
  /** Ids of the ancestors, outermost first. */
  above?: string[];
  labels?: string[];
  storage?: string;
  number?: number;
  when?: string;
  readers?: { users?: string[]; groups?: string[] };
  files?: HeldFile[];
  status?: string;
}
interface HeldSpace {
  id: string;
  key: string;
  name: string;
  grants: { type: string; id: string }[];
}

const WHEN = '2026-03-04T05:06:07.000Z';
const SUITE: HeldSpace = {
  ...{ id: '98304', key: 'SUITE', name: 'Suite' },
  grants: [
    { type: 'group', id: 'group-of-all' },
    { type: 'user', id: 'account-1' },
  ],
};
const SAMPLE: HeldPage = {
  ...{ id: '100000000001', title: 'Sample', labels: ['sample'] },
  files: [{ id: 'att100000000002', title: 'x.txt', text: 'x' }],
};
const BASE = 'https://suite.atlassian.net/wiki';
const SHOWN_FILES = 25;

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const folderId = (path: string) => hashToId(`folder ${path}`);

const spacesIn = ({ settings }: VendorRequest) => [SUITE, ...((settings.spaces ?? []) as HeldSpace[])];

function pagesIn({ settings }: VendorRequest): HeldPage[] {
  const folders = new Map<string, HeldPage>();
  const ofItems = heldIn(settings).items.map((item): HeldPage => {
    const parts = item.path.split('/').slice(0, -1);
    const paths = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
    for (const [at, path] of paths.entries()) {
      folders.set(path, { id: folderId(path), type: 'folder', title: parts[at]! });
    }
    const { users } = (item.permissions ?? {}) as { users?: string[] };
    return {
      ...{
        id: hashToId(item.id),
        title: getItemName(item),
        above: paths.map(folderId),
        when: item.modifiedAt,
      },
      number: (Number(hashToId(`${item.modifiedAt} ${item.base64}`)) % 1e9) + 1,
      storage: `<p>${escaped(decodeItemText(item))}</p>`,
      ...(users && { readers: { users } }),
    };
  });
  const given = (settings.pages ?? []) as HeldPage[];
  return [...(settings.sample ? [SAMPLE] : []), ...given, ...folders.values(), ...ofItems];
}

const buildError = (statusCode: number, message: string) => ({
  statusCode,
  message,
  data: { authorized: true },
});
const notFound: Answer = { status: 404, body: buildError(404, 'Not found') };

/** Continues after the id in the cursor, so that deleted items do not shift pages. */
function cutPage<T>(all: T[], key: (each: T) => string, { query, settings }: VendorRequest) {
  const sorted = [...all].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const rest = query.cursor ? sorted.filter((each) => key(each) > atob(query.cursor!)) : sorted;
  const shown = rest.slice(0, Math.min(heldIn(settings).pageSize, Number(query.limit ?? 25)));
  const last = rest.length > shown.length ? shown.at(-1) : undefined;
  const next = last && { next: `/elsewhere?limit=1&cursor=${encodeURIComponent(btoa(key(last)))}` };
  return { shown, links: { ...next, base: BASE } };
}

const person = (name: string) => ({
  ...{ type: 'known', accountId: `account-of-${name}`, accountType: 'atlassian' },
  ...(name.includes('@') ? { email: name } : { displayName: name }),
});
const buildVersion = (number = 1, when = WHEN) => ({ number, when, minorEdit: false, by: person('Ann Lee') });
const buildList = <T>(results: T[]) => ({ results, start: 0, limit: 25, size: results.length });

const listedFile = ({ id, title, text, number, status = 'current' }: HeldFile) => ({
  ...{ id, type: 'attachment', status, title, version: buildVersion(number) },
  extensions: { mediaType: 'text/plain', fileSize: text.length },
  _links: { webui: `/pages/viewpageattachments.action?preview=${id}` },
});

function listedPage(page: HeldPage, expand: Set<string>, request: VendorRequest) {
  const {
    id,
    type = 'page',
    title,
    number,
    when,
    readers,
    labels = [],
    files = [],
    status = 'current',
  } = page;
  const space = spacesIn(request).find(({ key }) => key === (page.space ?? 'SUITE'))!;
  const pages = new Map(pagesIn(request).map((each) => [each.id, each]));
  const expanded: Record<string, object> = {
    version: { version: buildVersion(number, when) },
    space: {
      space: {
        ...{ id: Number(space.id), key: space.key, name: space.name, type: 'global', status: 'current' },
        ...{ _expandable: {}, _links: {} },
      },
    },
    ancestors: {
      ancestors: (page.above ?? []).map((each) => ({
        ...{ id: each, type: 'page', status: 'current', title: pages.get(each)?.title ?? each },
      })),
    },
    history: { history: { latest: true, createdBy: person('Ben'), createdDate: WHEN } },
    'metadata.labels': {
      metadata: {
        labels: buildList(labels.map((name) => ({ prefix: 'global', name, id: name, label: name }))),
      },
    },
    'children.attachment.version': {
      children: {
        attachment: {
          ...buildList(files.slice(0, SHOWN_FILES).map(listedFile)),
          _links: files.length > SHOWN_FILES ? { next: `/rest/api/content/${id}/child/attachment` } : {},
        },
      },
    },
    'restrictions.read.restrictions.user': {
      restrictions: {
        read: {
          operation: 'read',
          restrictions: {
            user: buildList((readers?.users ?? []).map(person)),
            group: buildList((readers?.groups ?? []).map((name) => ({ type: 'group', name, id: name }))),
          },
          ...{ _expandable: {}, _links: {} },
        },
      },
    },
  };
  return {
    ...{ id, type, status, title, extensions: {}, _links: { webui: buildWebPath(page) } },
    ...Object.fromEntries([...expand].flatMap((name) => Object.entries(expanded[name] ?? {}))),
  };
}

const buildWebPath = ({ id, space = 'SUITE' }: HeldPage) => `/spaces/${space}/pages/${id}/x`;

function search(request: VendorRequest): Answer {
  const { query, settings } = request;
  if (settings.anonymous) {
    const body = { results: [], size: 0, _links: { base: BASE } };
    return { headers: { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' }, body };
  }
  const known = ['type', 'space', 'label', 'id', 'title'];
  try {
    const fits = parsedQuery(query.cql!, known);
    const found = pagesIn(request).filter(({ id, type = 'page', space = 'SUITE', labels = [], title }) =>
      fits({ id: [id], type: [type], space: [space], label: labels, title: [title] }),
    );
    const { shown, links } = cutPage(found, ({ id }) => id, request);
    const expand = new Set((query.expand ?? '').split(','));
    const results: unknown[] = shown.map((each) => listedPage(each, expand, request));
    return { body: { results, size: results.length, _links: links } };
  } catch (error) {
    if (!(error instanceof WrongQuery)) throw error;
    return { status: 400, body: buildError(400, `Could not parse cql: ${error.message}`) };
  }
}

const stored =
  (wanted: string) =>
  (request: VendorRequest): Answer => {
    const page = pagesIn(request).find(
      ({ id, type = 'page' }) => id === request.params.id && type === wanted,
    );
    if (!page) return notFound;
    const { id, title, number = 1, status = 'current', storage = '' } = page;
    const body = { storage: { representation: 'storage', value: storage } };
    const links = { webui: buildWebPath(page), base: BASE };
    return { body: { id, title, status, version: { number, createdAt: WHEN }, body, _links: links } };
  };

const buildFile = ({ id, title, text, number = 1, status = 'current' }: HeldFile, page: HeldPage) => ({
  ...{ id, title, status, mediaType: 'text/plain', fileSize: text.length },
  ...(page.type === 'blogpost' ? { blogPostId: page.id } : { pageId: page.id }),
  ...{ version: { number, createdAt: WHEN }, webuiLink: `/pages/viewpageattachments.action?preview=${id}` },
});

function listAttachments(request: VendorRequest): Answer {
  const page = pagesIn(request).find(({ id }) => id === request.params.id);
  if (!page) return notFound;
  const { shown, links } = cutPage(page.files ?? [], ({ id }) => id, request);
  return { body: { results: shown.map((file) => buildFile(file, page)), _links: links } };
}

const withFile =
  (name: string, answer: (file: HeldFile, page: HeldPage, request: VendorRequest) => Answer) =>
  (request: VendorRequest): Answer => {
    const holds = ({ files = [] }: HeldPage) => files.find(({ id }) => id === request.params[name]);
    const page = pagesIn(request).find(holds);
    return page ? answer(holds(page)!, page, request) : notFound;
  };

const download = withFile('attachmentId', ({ text }, page, { params, memory }) => {
  if (page.id !== params.id) return notFound;
  // The self-test of the server follows no redirects.
  if (page === SAMPLE) {
    return { raw: { contentType: 'application/octet-stream', bytes: text } };
  }
  const ticket = crypto.randomUUID();
  memory.set(ticket, text);
  return { status: 302, headers: { location: `https://api.media.atlassian.com/file/${ticket}/binary` } };
});

const ID = { params: { id: SAMPLE.id } };
const FILE = { attachmentId: SAMPLE.files![0]!.id };

export const confluence: Behaviour = {
  name: 'confluence',
  error: buildError,
  authenticate({ headers, settings }) {
    const basic = `Basic ${btoa(`${settings.user}:${settings.token}`)}`;
    const isGood = [basic, `Bearer ${settings.token}`].includes(headers.authorization ?? '');
    return isGood ? undefined : { status: 401, message: 'Unauthorized' };
  },
  sign: (_, { user, token }) => ({ authorization: `Basic ${btoa(`${user}:${token}`)}` }),
  settings: { user: 'ann@example.com', token: 't', sample: true },
  operations: {
    'GET /wiki/rest/api/content/search': {
      sample: { query: { cql: 'type = page', expand: 'version,space', limit: '200' } },
      answer: search,
    },
    'GET /wiki/rest/api/content/{id}/child/attachment/{attachmentId}/download': {
      sample: { params: { ...ID.params, ...FILE } },
      answer: download,
    },
    'GET /wiki/api/v2/spaces': {
      sample: { query: { keys: 'SUITE' } },
      answer(request) {
        const keys = (request.query.keys ?? '').split(',');
        const found = spacesIn(request).filter(({ key }) => keys.includes(key));
        return { body: { results: found.map(({ id, key, name }) => ({ id, key, name })), _links: {} } };
      },
    },
    'GET /wiki/api/v2/spaces/{id}/permissions': {
      sample: { params: { id: SUITE.id }, query: { limit: '250' } },
      answer(request) {
        if (request.settings.hidesPermissions) return notFound;
        const space = spacesIn(request).find(({ id }) => id === request.params.id);
        if (!space) return notFound;
        const { shown, links } = cutPage(space.grants, ({ id }) => id, request);
        const results = shown.flatMap((principal) =>
          ['read', 'delete'].map((key) => ({
            ...{ id: `${principal.id} ${key}`, principal },
            operation: { key, targetType: 'space' },
          })),
        );
        return { body: { results, _links: links } };
      },
    },
    'GET /wiki/api/v2/pages/{id}': {
      sample: { ...ID, query: { 'body-format': 'storage' } },
      answer: stored('page'),
    },
    'GET /wiki/api/v2/blogposts/{id}': {
      sample: { params: { id: '100000000009' }, query: { 'body-format': 'storage' } },
      answer: (request) =>
        request.params.id === '100000000009' && request.settings.sample
          ? { body: { id: '100000000009', title: 'Sample' } }
          : stored('blogpost')(request),
    },
    'GET /wiki/api/v2/pages/{id}/attachments': {
      sample: { ...ID, query: { limit: '250', status: 'current' } },
      answer: listAttachments,
    },
    'GET /wiki/api/v2/blogposts/{id}/attachments': {
      sample: { ...ID, query: { limit: '250', status: 'current' } },
      answer: listAttachments,
    },
    'GET /wiki/api/v2/attachments/{id}': {
      sample: { params: { id: FILE.attachmentId } },
      answer: withFile('id', (file, page) => ({ body: buildFile(file, page) })),
    },
    'POST /wiki/api/v2/users-bulk': {
      sample: { body: { accountIds: ['account-1'] } },
      answer({ body, settings }) {
        const names = { 'account-1': 'Ann Lee', ...(settings.people as Record<string, string> | undefined) };
        const { accountIds } = body as { accountIds: string[] };
        const known = accountIds.filter((id) => Object.hasOwn(names, id));
        const results = known.map((accountId) => ({
          ...{ accountId, displayName: (names as Record<string, string>)[accountId] },
        }));
        return { body: { results, _links: {} } };
      },
    },
  },
};

/** Rejects credentials, because sending them would leak them to another host. */
export const confluenceMedia: Behaviour = {
  name: 'confluence-media',
  error: buildError,
  authenticate: ({ headers }) =>
    headers.authorization ? { status: 400, message: 'credentials at a download' } : undefined,
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
