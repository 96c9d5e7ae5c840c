import { createHash } from 'node:crypto';
import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';
import {
  decodeItemBytes,
  getItemName,
  type HeldItem,
  hashToId,
  heldIn,
  listParentFolders,
  takePage,
} from './held-items.ts';

// Keeps files and folders in one list and finds them by queries for their parents. Answers contain only the
// members in `fields`.

const APPS = 'application/vnd.google-apps.';
const ROOT = 'folder-root';
const folderId = (path: string) => (path === '' ? ROOT : `folder-${hashToId(`folder ${path}`)}`);
const fileId = ({ id }: HeldItem) => `file-${hashToId(`file ${id}`)}`;

/** File in the vendor's format, with its content in `text`. */
interface HeldFile {
  id: string;
  mimeType: string;
  parents?: string[];
  trashed?: boolean;
  text?: string;
  [other: string]: unknown;
}

const driveError = (code: number, message: string, reason = 'badRequest') => ({
  error: { code, message, errors: [{ domain: 'global', reason, message }] },
});
const no = (status: number, message: string, reason?: string): Answer => ({
  status,
  body: driveError(status, message, reason),
});
const notFound = (id: string) => no(404, `File not found: ${id}.`, 'notFound');

function toHeldFile(item: HeldItem, parent: string): HeldFile {
  const users = (item.permissions?.users ?? []) as string[];
  return {
    ...{ id: fileId(item), name: getItemName(item), mimeType: 'text/plain', parents: [parent] },
    ...{ size: String(item.size), modifiedTime: item.modifiedAt },
    md5Checksum: createHash('md5').update(decodeItemBytes(item)).digest('hex'),
    webViewLink: `https://drive.google.com/file/d/${fileId(item)}/view`,
    permissions: users.map((emailAddress) => ({ type: 'user', role: 'reader', emailAddress })),
    text: decodeItemBytes(item).toString(),
  };
}

function filesIn({ settings }: VendorRequest): HeldFile[] {
  const { driveId, more = [] } = settings as { driveId?: string; more?: HeldFile[] };
  const folders = [...listParentFolders(heldIn(settings).items, (path) => folderId(path)).values()];
  const ofItems = folders.flatMap(({ path, folders: inner, files }): HeldFile[] => [
    ...inner.map(({ id, name }) => ({ id, name, mimeType: `${APPS}folder`, parents: [folderId(path)] })),
    ...files.map((item) => toHeldFile(item, folderId(path))),
  ]);
  const root = { id: ROOT, name: 'Root', mimeType: `${APPS}folder` };
  return [root, ...ofItems, ...more].map((file) => ({ ...file, ...(driveId && { driveId }) }));
}

type Mask = Map<string, Mask>;

/** Parses a field mask such as "a,b(c,d)" as a tree. */
function parseMask(text: string): Mask {
  const root: Mask = new Map();
  const open = [root];
  for (const [, name, sign] of text.matchAll(/(\w*)([,()]|$)/g)) {
    const inner: Mask = new Map();
    if (name) open.at(-1)!.set(name, inner);
    if (sign === '(') open.push(inner);
    if (sign === ')') open.pop();
  }
  return root;
}

function masked(value: unknown, mask: Mask): unknown {
  if (mask.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => masked(each, mask));
  const kept = Object.entries(value).filter(([name]) => mask.has(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, masked(member, mask.get(name)!)]));
}

/** Returns whether a request includes shared drives, if the files are in one. */
function isSeen({ query, settings }: VendorRequest): boolean {
  return settings.driveId === undefined || query.supportsAllDrives === 'true';
}

function list(request: VendorRequest): Answer {
  const { query, settings } = request;
  const { driveId, forgets = [] } = settings as { driveId?: string; forgets?: string[] };
  const q = query.q ?? `('${ROOT}' in parents)`;
  const [, wanted, withoutBin] = /^\((.+)\)( and trashed = false)?$/.exec(q) ?? [];
  const parents = wanted?.split(' or ').map((part) => /^'([^']*)' in parents$/.exec(part)?.[1]);
  if (!parents?.every((id) => id !== undefined)) return no(400, 'Invalid Value', 'invalid');
  const isRightCorpus = driveId
    ? query.corpora === 'drive' && query.driveId === driveId && query.includeItemsFromAllDrives === 'true'
    : (query.corpora ?? 'user') === 'user';
  const files = filesIn(request);
  const missing = parents.find((id) => !files.some((file) => file.id === id));
  if (missing !== undefined || !isSeen(request)) return notFound(missing ?? '.');
  const isShown = (file: HeldFile) =>
    file.parents?.some((id) => parents.includes(id) && (parents.length === 1 || !forgets.includes(id)));
  const found = isRightCorpus ? files.filter((file) => isShown(file) && !(withoutBin && file.trashed)) : [];
  const size = Math.min(heldIn(settings).pageSize, Number(query.pageSize ?? 100));
  const { page, next } = takePage(found, Number(query.pageToken ?? 0), size);
  const body = {
    files: page.map(({ text, ...file }) => file),
    incompleteSearch: settings.incomplete === true,
    ...(next !== null && { nextPageToken: String(next) }),
  };
  return { body: masked(body, parseMask(query.fields ?? '')) };
}

const withFile =
  (answer: (file: HeldFile, request: VendorRequest) => Answer) =>
  (request: VendorRequest): Answer => {
    const id = request.params.fileId!;
    const file = filesIn(request).find((each) => each.id === id);
    if (!file) return notFound(id);
    const { [id]: reason } = (request.settings.refuses ?? {}) as Record<string, string>;
    const isBytes = request.query.alt === 'media' || request.operation.endsWith('/export');
    return reason && isBytes ? no(403, 'The vendor’s own sentence.', reason) : answer(file, request);
  };

const get = withFile(({ text = '', ...file }, request) => {
  if (!isSeen(request)) return notFound(file.id);
  if (request.query.alt !== 'media') return { body: masked(file, parseMask(request.query.fields ?? '')) };
  if (file.mimeType.startsWith(APPS)) {
    return no(403, 'Only files with binary content can be downloaded.', 'fileNotDownloadable');
  }
  return { raw: { contentType: file.mimeType, bytes: text } };
});

const exported = withFile(({ text = '', mimeType }, { query }) => {
  const isDocument = mimeType.startsWith(APPS) && !mimeType.endsWith('folder');
  if (!isDocument) return no(403, 'Export only supports Docs Editors files.', 'fileNotExportable');
  const contentType = query.mimeType!;
  return { raw: { contentType, bytes: `${mimeType} as ${contentType}: ${text}` } };
});

const SAMPLE = { id: 'sample', name: 'Sample', mimeType: `${APPS}document` };

export const googleDrive: Behaviour = {
  name: 'google-drive',
  error: driveError,
  authenticate({ headers, settings }) {
    const given = headers.authorization?.replace('Bearer ', '') ?? '';
    if (given === settings.key || heldIn(settings).tokens.includes(given)) return undefined;
    return { status: 401, message: 'Request had invalid authentication credentials.' };
  },
  sign: (_, { key }) => ({ authorization: `Bearer ${key}` }),
  settings: { key: 't', more: [SAMPLE] },
  operations: {
    'GET /files': {
      sample: {
        query: {
          ...{ q: `('${ROOT}' in parents) and trashed = false`, pageSize: '1000', corpora: 'user' },
          ...{ fields: 'nextPageToken,files(id,name)', supportsAllDrives: 'true' },
          includeItemsFromAllDrives: 'true',
        },
      },
      answer: list,
    },
    'GET /files/{fileId}': {
      sample: { params: { fileId: 'sample' }, query: { fields: 'id,name', supportsAllDrives: 'true' } },
      answer: get,
    },
    'GET /files/{fileId}/export': {
      sample: { params: { fileId: 'sample' }, query: { mimeType: 'application/pdf' } },
      answer: exported,
    },
  },
};
