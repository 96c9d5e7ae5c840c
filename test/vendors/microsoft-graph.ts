import { createHash } from 'node:crypto';
import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';
import {
  decodeItemBytes,
  getItemName,
  type HeldFolder,
  type HeldItem,
  hashToId,
  heldIn,
  listParentFolders,
  takePage,
} from './held-items.ts';
import type { Settings } from './protocol.ts';

// Drives of users and sites. File content is at another host, with URLs that need no credentials. The drives
// of `USER` and of the first site libraries contain the items. Other libraries are empty.

export const USER = 'ann@contoso.com';
const DRIVE = 'b!of-ann';
const LIBRARY = 'b!documents';
const LIBRARIES = [
  { id: LIBRARY, name: 'Documents' },
  { id: 'b!archive', name: 'Archive' },
];

export const buildSite = (path: string, displayName: string) => ({
  id: `contoso.sharepoint.com,${hashToId(path)},1`,
  name: path.slice(path.lastIndexOf('/') + 1),
  displayName,
  webUrl: `https://contoso.sharepoint.com${path}`,
});
export const MARKETING = buildSite('/sites/marketing', 'Marketing & Sales');
type Site = typeof MARKETING;

const graphError = (status: number, message: string) => ({
  error: { code: status === 401 ? 'InvalidAuthenticationToken' : 'invalidRequest', message },
});
const failure = (status: number, code: string): Answer => ({
  status,
  body: { error: { code, message: `The answer is ${code}.` } },
});
const notFound = failure(404, 'itemNotFound');

const itemId = (text: string) => `01${hashToId(text)}`;
const folderId = (path: string) => itemId(`folder ${path}`);
const computeHash = (text: string | Buffer, name = 'sha256') =>
  createHash(name).update(text).digest('base64');

/** Removes all members that were not selected. */
function selected(item: object, { query }: VendorRequest): object {
  const names = ['id', ...(query.$select?.split(',') ?? Object.keys(item))];
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}

const buildParent = (driveId: string, path: string) => {
  const above = path.split('/').slice(0, -1).map(encodeURIComponent);
  return { driveId, path: [`/drives/${driveId}/root:`, ...above].join('/') };
};

function describeFile(driveId: string, item: HeldItem) {
  const bytes = decodeItemBytes(item);
  return {
    ...{ id: itemId(`file ${item.id}`), name: getItemName(item), size: item.size },
    // The eTag changes with name and content, the cTag only with content.
    ...{
      eTag: `"{${computeHash(item.path + computeHash(bytes))}},1"`,
      cTag: `"c:{${computeHash(bytes)}},1"`,
    },
    file: { mimeType: 'text/plain', hashes: { quickXorHash: computeHash(bytes, 'sha1') } },
    webUrl: `https://contoso.sharepoint.com/${encodeURIComponent(item.path)}`,
    createdDateTime: '2025-01-02T03:04:05Z',
    lastModifiedDateTime: '2030-01-01T00:00:00Z',
    fileSystemInfo: { lastModifiedDateTime: item.modifiedAt },
    createdBy: { user: { displayName: 'Ann Lee', email: USER } },
    lastModifiedBy: { user: { displayName: 'Ben Kay' } },
    parentReference: buildParent(driveId, item.path),
  };
}

const describeFolder = (driveId: string, { id, name, path }: HeldFolder) => ({
  ...{ id: id || folderId(''), name: name || 'root', folder: { childCount: 1 } },
  ...(path ? { parentReference: buildParent(driveId, path) } : { root: {}, parentReference: { driveId } }),
});

function buildDriveTree({ settings, params }: VendorRequest): Map<string, HeldFolder> | undefined {
  const driveId = params['drive-id']!;
  const isHeld = [DRIVE, LIBRARY].includes(driveId);
  if (!isHeld && !LIBRARIES.some(({ id }) => id === driveId)) return undefined;
  const tree = listParentFolders(isHeld ? heldIn(settings).items : [], folderId);
  return new Map([...tree.values()].map((folder) => [folder.id || folderId(''), folder]));
}

function itemAnswer(request: VendorRequest, id: string): Answer {
  const driveId = request.params['drive-id']!;
  const folder = buildDriveTree(request)?.get(id);
  const file = heldIn(request.settings).items.find((each) => itemId(`file ${each.id}`) === id);
  if (!folder && !file) return notFound;
  return { body: selected(folder ? describeFolder(driveId, folder) : describeFile(driveId, file!), request) };
}

function children(request: VendorRequest): Answer {
  const { settings, params, query, url } = request;
  const driveId = params['drive-id']!;
  const folder = buildDriveTree(request)?.get(params['driveItem-id']!);
  if (!folder) return notFound;
  if (settings.closed === folder.path) return failure(403, 'accessDenied');
  const strange = folder.path === '' ? ((settings.strange as object[]) ?? []) : [];
  const all = [
    ...folder.folders.map((each) => describeFolder(driveId, each)),
    ...folder.files.map((each) => describeFile(driveId, each)),
  ];
  const size = Math.min(heldIn(settings).pageSize, Number(query.$top ?? 200));
  const { page, next } = takePage(all, Number(query.$skiptoken ?? 0), size);
  const value = [...page.map((item) => selected(item, request)), ...(next === null ? strange : [])];
  return { body: { value, ...nextLink(url, next, settings) } };
}

function nextLink(url: URL, next: number | null, { nextHost }: Settings) {
  if (next === null) return {};
  const link = new URL(url);
  link.searchParams.set('$skiptoken', String(next));
  if (nextHost) link.hostname = String(nextHost);
  return { '@odata.nextLink': link.href };
}

function content({ settings, params, memory }: VendorRequest): Answer {
  const item = heldIn(settings).items.find((each) => itemId(`file ${each.id}`) === params['driveItem-id']);
  if (params['driveItem-id'] === 'sample')
    return { raw: { contentType: 'application/octet-stream', bytes: 'x' } };
  if (!item) return notFound;
  const ticket = crypto.randomUUID();
  memory.set(ticket, decodeItemBytes(item));
  const query = new URLSearchParams({ UniqueId: String(params['driveItem-id']), tempauth: ticket });
  const location = `https://contoso.sharepoint.com/_layouts/15/download.aspx?${query}`;
  return { status: 302, headers: { location } };
}

interface BatchBody {
  requests: { id: string; url: string }[];
}

/** Returns batch answers in reverse order, because Graph guarantees no order. */
function batch(request: VendorRequest): Answer {
  const { requests } = request.body as BatchBody;
  request.note({ permissionsOf: requests.length });
  const throttled = request.trouble === 'throttled';
  const responses = requests.map(({ id, url }) => {
    if (throttled && id === '0') {
      const { body } = failure(429, 'activityLimitReached');
      return { id, status: 429, headers: { 'Retry-After': '9' }, body };
    }
    const asked = decodeURIComponent(url.split('/')[4]!);
    const item = heldIn(request.settings).items.find((each) => itemId(`file ${each.id}`) === asked);
    const {
      users = [],
      refused,
      more = [],
    } = (item?.permissions ?? {}) as Record<string, never[] | undefined>;
    if (!item || refused) return { id, status: 403, body: failure(403, 'accessDenied').body };
    const granted = users.map((email, index) => ({
      ...{ id: String(index), roles: ['read'] },
      grantedToV2: { user: { id: '1', displayName: email, email }, siteUser: { id: '2', loginName: 'x' } },
    }));
    return { id, status: 200, headers: {}, body: { value: [...granted, ...more] } };
  });
  return { body: { responses: responses.reverse() } };
}

const sitesIn = (settings: Settings) => (settings.sites as Site[] | undefined) ?? [MARKETING];
const siteIn = ({ settings, params }: VendorRequest) =>
  sitesIn(settings).find(({ id }) => id === params['site-id']);

const D = { 'drive-id': LIBRARY };
const I = { ...D, 'driveItem-id': folderId('') };
const S = { 'site-id': MARKETING.id };

export const microsoftGraph: Behaviour = {
  name: 'microsoft-graph',
  error: graphError,
  authenticate({ headers, settings }) {
    const given = headers.authorization?.replace('Bearer ', '') ?? '';
    const isGood = given === settings.token || heldIn(settings).tokens.includes(given);
    return isGood ? undefined : { status: 401, message: 'Access token validation failure.' };
  },
  sign: (_, { token }) => ({ authorization: `Bearer ${token}` }),
  settings: { token: 't' },
  operations: {
    'GET /users/{user-id}/drive': {
      sample: { params: { 'user-id': USER }, query: { $select: 'id' } },
      answer: (request) =>
        request.params['user-id'] === USER
          ? { body: selected({ id: DRIVE, name: 'OneDrive' }, request) }
          : failure(404, 'ResourceNotFound'),
    },
    'GET /sites': {
      sample: { query: { search: 'Marketing', $select: 'id,name,displayName,webUrl' } },
      answer(request) {
        const { settings, query, url } = request;
        const words = (query.search ?? '').toLowerCase();
        const found = sitesIn(settings).filter((site) =>
          `${site.name} ${site.displayName}`.toLowerCase().includes(words),
        );
        const { page, next } = takePage(found, Number(query.$skiptoken ?? 0), 2);
        return {
          body: { value: page.map((site) => selected(site, request)), ...nextLink(url, next, settings) },
        };
      },
    },
    'GET /sites/{site-id}/drive': {
      sample: { params: S, query: { $select: 'id' } },
      answer: (request) => (siteIn(request) ? { body: selected(LIBRARIES[0]!, request) } : notFound),
    },
    'GET /sites/{site-id}/drives': {
      sample: { params: S, query: { $select: 'id,name' } },
      answer: (request) =>
        siteIn(request) ? { body: { value: LIBRARIES.map((each) => selected(each, request)) } } : notFound,
    },
    'GET /drives/{drive-id}/root': {
      sample: { params: D, query: { $select: 'id,name' } },
      answer: (request) => itemAnswer(request, folderId('')),
    },
    'GET /drives/{drive-id}/root:/{+path}:': {
      sample: { params: { ...D, '+path': 'none' }, query: { $select: 'id' } },
      answer(request) {
        const path = request.params['+path']!;
        if (path === 'none') return { body: { id: '1' } };
        const wanted = path.toLowerCase();
        const folder = [...(buildDriveTree(request)?.values() ?? [])].find(
          (each) => each.path.toLowerCase() === wanted,
        );
        const file = heldIn(request.settings).items.find((each) => each.path.toLowerCase() === wanted);
        return itemAnswer(request, folder?.id ?? itemId(`file ${file?.id}`));
      },
    },
    'GET /drives/{drive-id}/items/{driveItem-id}': {
      sample: { params: I, query: { $select: 'id,name' } },
      answer: (request) => itemAnswer(request, request.params['driveItem-id']!),
    },
    'GET /drives/{drive-id}/items/{driveItem-id}/children': {
      sample: { params: I, query: { $top: '10', $select: 'id,name' } },
      answer: children,
    },
    'GET /drives/{drive-id}/items/{driveItem-id}/content': {
      sample: { params: { ...D, 'driveItem-id': 'sample' } },
      answer: content,
    },
    'POST /$batch': {
      sample: { body: { requests: [{ id: '0', method: 'GET', url: '/drives/1/items/2/permissions' }] } },
      answer: batch,
    },
  },
};

/** Rejects credentials, because sending them would leak them to another host. */
export const microsoftDownloads: Behaviour = {
  name: 'microsoft-downloads',
  error: graphError,
  authenticate: ({ headers }) =>
    headers.authorization ? { status: 400, message: 'credentials at a download' } : undefined,
  sign: () => ({}),
  settings: {},
  operations: {
    'GET /_layouts/15/download.aspx': {
      sample: { query: { UniqueId: '1', tempauth: 'sample' } },
      answer({ query, memory }) {
        const bytes =
          query.tempauth === 'sample' ? Buffer.from('x') : (memory.get(query.tempauth!) as Buffer);
        if (!bytes) return { status: 404 };
        return { raw: { contentType: 'application/octet-stream', bytes } };
      },
    },
  },
};
