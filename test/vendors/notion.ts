import { createHash } from 'node:crypto';
import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';
import { bearer } from './behaviour.ts';
import { decodeItemText, heldIn } from './held-items.ts';

// Pages, databases with data sources, and blocks. Each item of the source suite is a page titled by its path,
// with one paragraph. Objects of other tests are in `objects`.

type Json = Record<string, unknown>;

interface HeldObjects {
  pages?: Record<string, Json>;
  databases?: Record<string, Json>;
  /** Row ids by data source id. */
  rows?: Record<string, string[]>;
  /** Blocks of a page or block. */
  children?: Record<string, Json[]>;
}

const UUID = '00000000-0000-4000-8000-000000000001';
const SAMPLE: HeldObjects = {
  pages: { [UUID]: { properties: {} } },
  databases: { [UUID]: { title: [], data_sources: [{ id: UUID, name: 'x' }] } },
  rows: { [UUID]: [UUID] },
  children: { [UUID]: [{ id: UUID, type: 'paragraph', paragraph: { rich_text: [] } }] },
};

const notionError = (
  status: number,
  message: string,
  code = status === 401 ? 'unauthorized' : 'validation_error',
) => ({
  ...{ object: 'error', status, code, message },
});
const notFound: Answer = {
  status: 404,
  body: notionError(404, 'Make sure it is shared with your integration.', 'object_not_found'),
};

function toUuid(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    hash.slice(12, 16),
    hash.slice(16, 20),
    hash.slice(20, 32),
  ];
  return parts.join('-');
}

const span = (text: string) => ({ type: 'text', plain_text: text, href: null });

function heldObjects({ settings }: Pick<VendorRequest, 'settings'>): Required<HeldObjects> {
  const given = (settings.objects ?? (settings.sample ? SAMPLE : {})) as HeldObjects;
  const items = heldIn(settings).items.map((item) => ({ item, id: toUuid(item.id) }));
  const pages = items.map(({ item, id }): [string, Json] => [
    id,
    {
      last_edited_time: item.modifiedAt,
      properties: { Name: { id: 'title', type: 'title', title: [span(item.path)] } },
    },
  ]);
  const children = items.map(({ item, id }): [string, Json[]] => {
    const paragraph = { rich_text: decodeItemText(item) === '' ? [] : [span(decodeItemText(item))] };
    return [id, [{ id: toUuid(`block ${id}`), type: 'paragraph', paragraph }]];
  });
  return {
    pages: { ...given.pages, ...Object.fromEntries(pages) },
    databases: given.databases ?? {},
    rows: given.rows ?? {},
    children: { ...given.children, ...Object.fromEntries(children) },
  };
}

const pageObject = (id: string, page: Json & { created_time?: string }) => ({
  ...{
    object: 'page',
    id,
    url: `https://www.notion.so/${id.replaceAll('-', '')}`,
    in_trash: false,
    archived: false,
  },
  ...{ created_time: '2026-01-02T03:04:00.000Z', last_edited_time: '2026-03-04T05:06:00.000Z' },
  ...{ parent: { type: 'workspace', workspace: true } },
  ...page,
});

/**
 * Returns a page of a list after the cursor. Items of the suite are ordered by id, so that deleted items do
 * not shift pages.
 */
function listed<T extends { id: string }>(all: T[], given: Json, { settings }: VendorRequest): Answer {
  const cursor = given.start_cursor as string | undefined;
  const isOrdered = settings.objects !== undefined;
  const order = isOrdered ? all : all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const start = isOrdered
    ? order.findIndex(({ id }) => id === cursor) + 1
    : order.findIndex(({ id }) => id > cursor!);
  const rest = cursor === undefined ? order : start < 0 ? [] : order.slice(start);
  const results = rest.slice(0, Math.min(heldIn(settings).pageSize, Number(given.page_size ?? 100)));
  const has_more = results.length < rest.length;
  return { body: { object: 'list', results, has_more, next_cursor: has_more ? results.at(-1)!.id : null } };
}

const blockObject = (block: Json) => ({
  ...{ object: 'block', has_children: false, in_trash: false, archived: false },
  last_edited_time: '2026-03-04T05:06:00.000Z',
  ...(block as { id: string }),
});

const pagesIn = (request: VendorRequest) =>
  Object.entries(heldObjects(request).pages).map(([id, page]) => pageObject(id, page));

const dataSourcesIn = (request: VendorRequest) =>
  Object.entries(heldObjects(request).databases).flatMap(([database_id, { data_sources, parent }]) =>
    (data_sources as { id: string }[]).map(({ id }) => ({
      ...{ object: 'data_source', id, in_trash: false, archived: false },
      parent: { type: 'database_id', database_id },
      database_parent: parent,
    })),
  );

/** Returns rows of a data source. One query returns at most `queryLimit` rows. */
function query(request: VendorRequest): Answer {
  const { settings, params, body } = request;
  const ids = heldObjects(request).rows[params.data_source_id!];
  if (!ids) return notFound;
  const { filter } = body as { filter?: { created_time: { on_or_after: string } } };
  const since = filter?.created_time.on_or_after ?? '';
  const rows = pagesIn(request).filter(({ id, created_time }) => ids.includes(id) && created_time >= since);
  const sorted = rows.toSorted((a, b) => (a.created_time < b.created_time ? -1 : 1));
  const limit = Number(settings.queryLimit ?? 10_000);
  const answer = listed(sorted.slice(0, limit), body as Json, request);
  const isCut = sorted.length > limit;
  const request_status = { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' };
  return isCut ? { body: { ...(answer.body as Json), request_status } } : answer;
}

const one = (found: Json | undefined): Answer => (found ? { body: found } : notFound);
const PARAMS = { block_id: UUID, page_id: UUID, database_id: UUID, data_source_id: UUID };
const HEADERS = { 'notion-version': '2025-09-03' };
const sample = { params: PARAMS, headers: HEADERS };

export const notion: Behaviour = {
  name: 'notion',
  ...bearer,
  error: (status, message) => notionError(status, message),
  settings: { key: 'token-of-the-vendor', sample: true },
  operations: {
    'GET /v1/users/me': {
      sample: { headers: HEADERS },
      answer: () => ({ body: { object: 'user', id: UUID, type: 'bot', name: 'Sluice', bot: {} } }),
    },
    'POST /v1/search': {
      sample: {
        headers: HEADERS,
        body: {
          ...{ query: 'x', filter: { property: 'object', value: 'page' }, page_size: 100 },
          ...{ sort: { timestamp: 'last_edited_time', direction: 'ascending' }, start_cursor: UUID },
        },
      },
      answer: (request) =>
        listed([...pagesIn(request), ...dataSourcesIn(request)], request.body as Json, request),
    },
    'GET /v1/blocks/{block_id}/children': {
      sample: { ...sample, query: { page_size: '100', start_cursor: UUID } },
      answer(request) {
        const { children, pages } = heldObjects(request);
        const id = request.params.block_id!;
        const found = children[id] ?? (pages[id] && []);
        return found ? listed(found.map(blockObject), request.query, request) : notFound;
      },
    },
    'GET /v1/blocks/{block_id}': {
      sample,
      answer(request) {
        const all = Object.values(heldObjects(request).children).flat();
        const found = all.find(({ id }) => id === request.params.block_id);
        return one(found && blockObject(found));
      },
    },
    'GET /v1/pages/{page_id}': {
      sample,
      answer: (request) => one(pagesIn(request).find(({ id }) => id === request.params.page_id)),
    },
    'GET /v1/databases/{database_id}': {
      sample,
      answer(request) {
        const found = heldObjects(request).databases[request.params.database_id!];
        return one(
          found && { object: 'database', id: request.params.database_id, in_trash: false, ...found },
        );
      },
    },
    'POST /v1/data_sources/{data_source_id}/query': {
      sample: {
        ...sample,
        body: {
          ...{ page_size: 100, start_cursor: UUID },
          sorts: [{ timestamp: 'created_time', direction: 'ascending' }],
          filter: { timestamp: 'created_time', created_time: { on_or_after: '2026-01-02T03:04:00.000Z' } },
        },
        freeForm: ['filter'],
      },
      answer: query,
    },
  },
};

/** Rejects credentials, because sending them would leak them to another host. */
export const notionFiles: Behaviour = {
  name: 'notion-files',
  error: (_, error) => ({ error }),
  authenticate: ({ headers }) =>
    headers.authorization ? { status: 400, message: 'credentials at a download' } : undefined,
  sign: () => ({}),
  settings: {},
  operations: {
    'GET /{workspace}/{upload}/{name}': {
      sample: { params: { workspace: 'w', upload: 'u', name: 'x.txt' }, query: { 'X-Amz-Signature': 's' } },
      answer: ({ params }) => ({
        raw: { contentType: 'application/octet-stream', bytes: `bytes of ${params.name}` },
      }),
    },
  },
};
