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

// Folders with files and marker-based pages. File content is at another host, with URLs that need no
// credentials.

const ROOT = '0';
const folderId = (path: string) => hashToId(`folder ${path}`);
const fileId = ({ id }: HeldItem) => hashToId(`file ${id}`);

const boxError = (status: number, message: string) => ({
  ...{ type: 'error', status, message, code: status === 401 ? 'unauthorized' : 'bad_request' },
  ...{ request_id: 'abcdef123456', help_url: 'https://developer.box.com' },
});
const notFound: Answer = { status: 404, body: { ...boxError(404, 'Not Found'), code: 'not_found' } };

function token({ body, settings }: VendorRequest): Answer {
  const form = body as Record<string, string>;
  const wrong = (error: string, error_description: string): Answer => ({
    status: 400,
    body: { error, error_description },
  });
  if (form.grant_type !== 'client_credentials') return wrong('unsupported_grant_type', 'not this grant');
  if (form.client_id !== settings.clientId || form.client_secret !== settings.clientSecret) {
    return wrong('invalid_client', 'The client credentials are invalid');
  }
  if (settings.subject !== `${form.box_subject_type} ${form.box_subject_id}`) {
    return wrong('unauthorized_client', 'Grant credentials are invalid');
  }
  const access_token = String(settings.gives ?? `box-token-${crypto.randomUUID()}`);
  return { body: { access_token, expires_in: 3600, token_type: 'bearer', restricted_to: [] } };
}

function describeFile(item: HeldItem) {
  return {
    ...{ type: 'file', id: fileId(item), name: getItemName(item), size: item.size, etag: '0' },
    sha1: createHash('sha1').update(decodeItemBytes(item)).digest('hex'),
    content_modified_at: item.modifiedAt,
    modified_at: item.modifiedAt,
  };
}

function listItems({ settings, params, query }: VendorRequest): Answer {
  const { items, pageSize } = heldIn(settings);
  const folder = listParentFolders(items, folderId).get(params.folder_id === ROOT ? '' : params.folder_id!);
  if (!folder) return notFound;
  const entries = [
    ...folder.folders.map(({ id, name }) => ({ type: 'folder', id, name, etag: '0' })),
    ...folder.files.map(describeFile),
  ];
  const { page, next } = takePage(
    entries,
    Number(query.marker ?? 0),
    Math.min(pageSize, Number(query.limit)),
  );
  return { body: { entries: page, limit: pageSize, next_marker: next === null ? '' : String(next) } };
}

function content({ settings, params, memory, query }: VendorRequest): Answer {
  if (params.file_id === 'sample') return { raw: { contentType: 'application/octet-stream', bytes: 'x' } };
  if (params.file_id === 'slow') return { status: 202, headers: { 'retry-after': '7' } };
  const item = heldIn(settings).items.find((each) => fileId(each) === params.file_id);
  if (!item || query.version) return notFound;
  const ticket = crypto.randomUUID();
  memory.set(ticket, decodeItemBytes(item));
  return { status: 302, headers: { location: `https://dl.boxcloud.com/d/1/${ticket}/download` } };
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export const box: Behaviour = {
  name: 'box',
  error: boxError,
  authenticate({ headers, settings }) {
    const given = headers.authorization?.replace('Bearer ', '') ?? '';
    const isGood = given === settings.developerToken || heldIn(settings).tokens.includes(given);
    return isGood ? undefined : { status: 401, message: 'Unauthorized' };
  },
  sign: (_, { developerToken }) => ({ authorization: `Bearer ${developerToken}` }),
  settings: { developerToken: 'd' },
  operations: {
    'GET /folders/{folder_id}/items': {
      sample: { params: { folder_id: ROOT }, query: { fields: 'id,name', usemarker: 'true', limit: '1000' } },
      answer: listItems,
    },
    'GET /files/{file_id}/content': { sample: { params: { file_id: 'sample' } }, answer: content },
  },
};

export const boxToken: Behaviour = {
  name: 'box-token',
  error: (_, error_description) => ({ error: 'invalid_request', error_description }),
  authenticate: () => undefined,
  sign: () => ({}),
  settings: { clientId: 'c', clientSecret: 's', subject: 'enterprise 1' },
  operations: {
    'POST /oauth2/token': {
      sample: {
        headers: FORM,
        body: {
          ...{ grant_type: 'client_credentials', client_id: 'c', client_secret: 's' },
          ...{ box_subject_type: 'enterprise', box_subject_id: '1' },
        },
      },
      answer: token,
    },
  },
};

/** Rejects credentials, because sending them would leak them to another host. */
export const boxDownloads: Behaviour = {
  name: 'box-downloads',
  error: boxError,
  authenticate: ({ headers }) =>
    headers.authorization ? { status: 400, message: 'credentials at a download' } : undefined,
  sign: () => ({}),
  settings: {},
  operations: {
    'GET /d/1/{ticket}/download': {
      sample: { params: { ticket: 'sample' } },
      answer({ params, memory }) {
        const bytes = params.ticket === 'sample' ? Buffer.from('x') : (memory.get(params.ticket!) as Buffer);
        if (!bytes) return { status: 404 };
        return { raw: { contentType: 'application/octet-stream', bytes } };
      },
    },
  },
};
