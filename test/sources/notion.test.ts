import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { listEntries, type Source } from '#src/ports/source.ts';
import { notion } from '#src/sources/notion/notion.ts';
import { checkWithDriver, openWithDriver } from '#src/sources/shared/open.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';
import { sourceSuite } from '#test/suites/source.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import { NOTION_TOKEN, notionFixture } from './fixtures/notion.ts';

sourceSuite(notionFixture);

/** Returns a readable id for tests. */
const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const text = (plain_text: string, more: object = {}) => [{ type: 'text', plain_text, href: null, ...more }];
const block = (number: number, type: string, body: object = {}, more: object = {}) => ({
  ...{ id: uuid(number), type, [type]: body },
  ...more,
});
const words = (number: number, type: string, plain: string, more: object = {}) =>
  block(number, type, { rich_text: text(plain) }, more);
const title = (plain: string) => ({ Name: { type: 'title', title: text(plain) } });
const below = (parent: number) => ({ type: 'page_id', page_id: uuid(parent) });
const within = { has_children: true };
const SECRET_ADDRESS =
  'https://prod-files-secure.s3.us-west-2.amazonaws.com/w/u/My%20plan.pdf?X-Amz-Signature=abc';

const [HANDBOOK, CHILD, DEEP, ROW, OTHER, TRASHED, TASKS, SOURCE] = [1, 2, 3, 4, 5, 6, 7, 8] as const;
const row = { type: 'data_source_id', data_source_id: uuid(SOURCE), database_id: uuid(TASKS) };
const rowCosting = (cost: number) => ({
  parent: row,
  properties: {
    ...title('Buy\nflour'),
    Status: { type: 'status', status: { id: 'a', name: 'Done' } },
    Tags: { type: 'multi_select', multi_select: [{ name: 'a' }, { name: 'b' }] },
    Due: { type: 'date', date: { start: '2026-03-01', end: null } },
    Owner: { type: 'people', people: [{ object: 'user', id: 'u', name: 'Ann Lee' }] },
    Cost: { type: 'formula', formula: { type: 'number', number: cost } },
    Sum: { type: 'rollup', rollup: { type: 'array', array: [{ type: 'title', title: text('x') }] } },
    Urgent: { type: 'checkbox', checkbox: false },
    Empty: { type: 'select', select: null },
    ['__proto__']: { type: 'number', number: 1 },
    page_id: { type: 'rich_text', rich_text: text('mine') },
  },
});
const OBJECTS = {
  pages: {
    [uuid(CHILD)]: { properties: title('Child/1'), parent: below(HANDBOOK) },
    [uuid(DEEP)]: { properties: title('Deep'), parent: { type: 'block_id', block_id: uuid(21) } },
    [uuid(HANDBOOK)]: { properties: title('Handbook'), parent: { type: 'page_id', page_id: uuid(99) } },
    [uuid(ROW)]: rowCosting(7.5),
    [uuid(OTHER)]: { properties: title(''), parent: { type: 'workspace', workspace: true } },
    [uuid(TRASHED)]: { properties: title('Trashed'), parent: below(HANDBOOK), in_trash: true },
  },
  databases: {
    [uuid(TASKS)]: {
      ...{ title: text('Tasks'), parent: below(HANDBOOK) },
      data_sources: [{ id: uuid(SOURCE), name: 'Tasks' }],
    },
  },
  rows: { [uuid(SOURCE)]: [uuid(ROW)] },
  children: {
    [uuid(HANDBOOK)]: [
      block(CHILD, 'child_page', { title: 'Child/1' }, within),
      block(20, 'column_list', {}, { ...within, parent: below(HANDBOOK) }),
      block(TASKS, 'child_database', { title: 'Tasks' }),
      block(TRASHED, 'child_page', { title: 'Trashed' }, { in_trash: true }),
      block(22, 'pdf', { type: 'file', file: { url: SECRET_ADDRESS }, caption: [] }),
    ],
    [uuid(20)]: [block(21, 'column', {}, { ...within, parent: { type: 'block_id', block_id: uuid(20) } })],
    [uuid(21)]: [block(DEEP, 'child_page', { title: 'Deep' })],
    [uuid(DEEP)]: [words(30, 'paragraph', 'deep down')],
  },
};
const deps = {
  tokens: createMemoryTokens(),
  log: createLogger(),
  limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
};
const buildSettings = (more: object = {}) => ({ integration_token: NOTION_TOKEN, ...more });
const open = (more: object = {}) => openWithDriver(notion, buildSettings(more), deps).source;
const all = (source: Source) => Array.fromAsync(listEntries(source));
const pathsIn = async (more: object = {}) => (await all(open(more))).map(({ path }) => path).sort();
async function readEntryText(id: string, source = open()) {
  const pieces = await Array.fromAsync((await source.read(id))!.body);
  return Buffer.concat(pieces).toString();
}
const holdObjects = (objects: object) =>
  useVendors(
    { vendor: 'notion', settings: { key: NOTION_TOKEN, sample: false, objects, pageSize: 2 } },
    { vendor: 'notion-files' },
  );

describe('Notion pages', () => {
  const vendors = holdObjects(OBJECTS);
  const operations = async () => (await vendors.current.state()).seen.map(({ operation }) => operation);
  const FILES = ['Handbook/My plan.pdf'];
  const BELOW = ['Handbook.md', 'Handbook/Child-1.md', 'Handbook/Deep.md', 'Handbook/Tasks/Buy flour.md'];

  it('are found by search from shared roots', async () => {
    expect(await pathsIn()).toEqual([...BELOW, ...FILES, 'Untitled.md'].sort());
  });

  it('are found once each although search omits pages below', async () => {
    const { [uuid(HANDBOOK)]: handbook, [uuid(ROW)]: own } = OBJECTS.pages;
    const results = [
      { ...handbook, object: 'page', id: uuid(HANDBOOK), last_edited_time: '2026-03-04T05:06:00.000Z' },
      { ...own, object: 'page', id: uuid(ROW), last_edited_time: '2026-03-04T05:06:00.000Z' },
    ];
    const body = JSON.stringify({ results, has_more: false, next_cursor: null });
    await vendors.current.fail({ kind: 'body', on: 'POST /v1/search', body });
    expect((await all(open())).map(({ path }) => path).sort()).toEqual([...BELOW, ...FILES].sort());
  });

  it('include shared databases once, even with several data sources', async () => {
    const second = { id: uuid(9), name: 'More' };
    const tasks = OBJECTS.databases[uuid(TASKS)]!;
    const databases = {
      [uuid(TASKS)]: {
        ...{ ...tasks, parent: { type: 'workspace', workspace: true } },
        data_sources: [...tasks.data_sources, second],
      },
    };
    const rows = { ...OBJECTS.rows, [uuid(9)]: [uuid(OTHER)] };
    const pages = { [uuid(ROW)]: rowCosting(1), [uuid(OTHER)]: { properties: title('two'), parent: row } };
    await vendors.current.hold({ notion: { objects: { pages, databases, rows } } });
    expect((await all(open())).map(({ path }) => path).sort()).toEqual([
      'Tasks/Buy flour.md',
      'Tasks/two.md',
    ]);
  });

  it('include all rows of a database that needs several queries', async () => {
    const pages = (times: string[]) =>
      Object.fromEntries(
        times.map((created_time, at) => [
          uuid(500 + at),
          { properties: title(`r${at}`), parent: row, created_time },
        ]),
      );
    const hold = (times: string[]) => {
      const rows = { [uuid(SOURCE)]: times.map((_, at) => uuid(500 + at)) };
      return vendors.current.hold({
        notion: { objects: { ...OBJECTS, pages: pages(times), rows }, queryLimit: 3 },
      });
    };
    await hold(['01', '02', '03', '03', '04', '05', '06'].map((day) => `2026-01-${day}T00:00:00.000Z`));
    expect(new Set(await pathsIn({ database_ids: uuid(TASKS) })).size).toBe(7);
    await hold(Array(4).fill('2026-01-01T00:00:00.000Z'));
    await expect(pathsIn({ database_ids: uuid(TASKS) })).rejects.toMatchObject({ retryable: false });
  });

  it('fail if a search is incomplete', async () => {
    const request_status = { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' };
    const body = JSON.stringify({ results: [], has_more: false, next_cursor: null, request_status });
    await vendors.current.fail({ kind: 'body', on: 'POST /v1/search', body });
    await expect(all(open())).rejects.toThrow('page_ids or database_ids');
  });

  it('are listed from the given pages through blocks and databases', async () => {
    expect(await pathsIn({ page_ids: uuid(HANDBOOK) })).toEqual([...BELOW, ...FILES].sort());
    expect(await operations()).not.toContain('POST /v1/search');
  });

  it.each<[object, string[]]>([
    [
      { page_ids: `${uuid(OTHER).replaceAll('-', '')}, ${uuid(CHILD).toUpperCase()}` },
      ['Child-1.md', 'Untitled.md'],
    ],
    [
      { database_ids: `https://www.notion.so/ws/${uuid(TASKS).replaceAll('-', '')}?v=1` },
      ['Tasks/Buy flour.md'],
    ],
    [{ page_ids: `https://www.notion.so/ws/x?p=${uuid(ROW).replaceAll('-', '')}` }, ['Buy flour.md']],
    [
      {
        page_ids: `https://www.notion.so/A-b-${uuid(DEEP).replaceAll('-', '')}#x\n`,
        database_ids: uuid(TASKS),
      },
      ['Deep.md', 'Tasks/Buy flour.md'],
    ],
    [
      { page_ids: `${uuid(HANDBOOK)},${uuid(DEEP)}`, database_ids: uuid(TASKS) },
      ['Deep.md', 'Handbook.md', 'Handbook/Child-1.md', 'Handbook/My plan.pdf', 'Tasks/Buy flour.md'],
    ],
  ])('are listed once for %j', async (more, paths) => {
    expect(await pathsIn(more)).toEqual(paths);
  });

  it('have properties as metadata and above their text', async () => {
    const [entry] = await all(open({ database_ids: uuid(TASKS) }));
    const { Name: _, ...metadata } = entry!.metadata;
    expect(metadata).toEqual({
      ...{ Status: 'Done', Tags: ['a', 'b'], Due: '2026-03-01', Owner: ['Ann Lee'], Cost: 7.5, Sum: ['x'] },
      ...{ Urgent: false, page_id: uuid(ROW), title: 'Buy flour', created_time: '2026-01-02T03:04:00.000Z' },
    });
    expect(entry).toMatchObject({
      webUrl: `https://www.notion.so/${uuid(ROW).replaceAll('-', '')}`,
      modifiedAt: new Date('2026-03-04T05:06:00Z'),
    });
    expect(await readEntryText(uuid(ROW))).toBe(
      [
        '# Buy flour\n',
        ...['- **Status**: Done', '- **Tags**: a, b', '- **Due**: 2026-03-01', '- **Owner**: Ann Lee'],
        ...['- **Cost**: 7.5', '- **Sum**: x', '- **Urgent**: false', '- **page_id**: mine\n'],
      ].join('\n'),
    );
  });

  it('change version with computed values and while an edit may be followed by another', async () => {
    const versions = async () =>
      new Map((await all(open())).map(({ id, version }): [string, string] => [id, version]));
    const before = await versions();
    const edited = { ...OBJECTS.pages[uuid(OTHER)], last_edited_time: new Date().toISOString() };
    const pages = { ...OBJECTS.pages, [uuid(ROW)]: rowCosting(8), [uuid(OTHER)]: edited };
    await vendors.current.hold({ notion: { objects: { ...OBJECTS, pages } } });
    const after = await versions();
    const changed = [...after.keys()].filter((id) => after.get(id) !== before.get(id));
    expect(changed.sort()).toEqual([uuid(ROW), uuid(OTHER)]);
    expect(after.get(uuid(OTHER))).toContain('unsettled');
    const content = (await open().read(uuid(ROW)))!;
    expect(content.version).toBe(after.get(uuid(ROW)));
  });

  it('return uploaded files without sending credentials', async () => {
    const source = open({ page_ids: uuid(HANDBOOK) });
    const file = (await all(source)).find(({ id }) => id.startsWith('file/'))!;
    expect(file).toMatchObject({
      ...{ id: `file/${uuid(22)}`, name: 'My plan.pdf' },
      webUrl: `https://www.notion.so/${uuid(HANDBOOK).replaceAll('-', '')}#${uuid(22).replaceAll('-', '')}`,
    });
    expect(await readEntryText(file.id, source)).toBe('bytes of My plan.pdf');
    expect(await source.read(`file/${uuid(98)}`)).toBeUndefined();
    expect(await source.read(`file/${uuid(CHILD)}`)).toBeUndefined();
    expect(await readEntryText(uuid(HANDBOOK))).not.toContain('Signature');
  });

  it('are skipped without access, but inaccessible roots fail the listing', async () => {
    const { [uuid(CHILD)]: _, ...pages } = OBJECTS.pages;
    await vendors.current.hold({ notion: { objects: { ...OBJECTS, pages, databases: {} } } });
    expect(await pathsIn({ page_ids: uuid(HANDBOOK) })).toEqual([
      'Handbook.md',
      'Handbook/Deep.md',
      ...FILES,
    ]);
    const shared = { retryable: false, message: expect.stringMatching(/page_ids.*Share it/) };
    await expect(all(open({ page_ids: uuid(CHILD) }))).rejects.toMatchObject(shared);
    await expect(all(open({ database_ids: uuid(TASKS) }))).rejects.toThrow(/database_ids/);
  });

  it('fail if the middle of a list is refused or repeats', async () => {
    const blocks = 'GET /v1/blocks/{block_id}/children';
    const more = JSON.stringify({ results: [], has_more: true, next_cursor: uuid(20) });
    await vendors.current.fail({ kind: 'body', on: blocks, body: more });
    await vendors.current.fail({ kind: 'status', on: blocks, status: 400 });
    await expect(all(open({ page_ids: uuid(HANDBOOK) }))).rejects.toMatchObject({ retryable: false });
    const on = 'POST /v1/search';
    await vendors.current.fail({ kind: 'body', on, body: more });
    await vendors.current.fail({ kind: 'body', on, body: more });
    await expect(all(open())).rejects.toThrow('same page');
  });

  it('end at cycles and keep a short cursor', async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [uuid(1000 + at), { properties: title(`p${at}`) }]),
    );
    const children = {
      [uuid(1000)]: [block(1500, 'toggle', {}, within)],
      [uuid(1500)]: [block(1000, 'toggle', {}, within), block(1000, 'child_page', {}, within)],
    };
    await vendors.current.hold({ notion: { objects: { pages, children }, pageSize: 100 } });
    const source = open();
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<Source['list']>> = await source.list(cursor);
      ids.push(...page.entries.map(({ id }) => id));
      ({ cursor } = page);
      expect(cursor?.length ?? 0).toBeLessThan(100_000);
    } while (cursor !== null);
    expect(new Set(ids).size).toBe(300);
    expect(ids.length).toBeLessThan(310);
    expect((await operations()).filter((each) => each === 'POST /v1/search')).toHaveLength(3);
  });

  it('need one request per hundred pages and one per page for its blocks', async () => {
    const pages = Object.fromEntries(
      Array.from({ length: 120 }, (_, at) => [uuid(2000 + at), { properties: title(`p${at}`) }]),
    );
    await vendors.current.hold({ notion: { objects: { pages }, pageSize: 100 } });
    expect(await all(open())).toHaveLength(120);
    expect(await operations()).toHaveLength(2 + 120);
  });

  it('wait briefly in place and pass longer waits to the caller', async () => {
    const on = 'GET /v1/blocks/{block_id}/children';
    const slow = (after: string) =>
      ({ kind: 'status', on, status: 429, headers: { 'retry-after': after } }) as const;
    await vendors.current.fail(slow('0'));
    expect(await readEntryText(uuid(DEEP))).toBe('# Deep\n\ndeep down\n');
    await vendors.current.fail(slow('30'));
    await expect(readEntryText(uuid(DEEP))).rejects.toMatchObject({ retryable: true, retryAfter: 30 });
  });

  it.each([
    [{ page_ids: 'Handbook' }, 'page_ids'],
    [{ page_ids: `${uuid(1)}, https://www.notion.so/` }, 'page_ids'],
    [{ database_ids: `${uuid(1)}0` }, 'database_ids'],
  ])('reject invalid settings: %j', async (more, field) => {
    await expect(checkWithDriver(notion, buildSettings(more), deps)).rejects.toThrow(field);
    await expect(all(open(more))).rejects.toThrow(field);
  });

  it('name the token if access is refused', async () => {
    await vendors.current.fail({ kind: 'status', on: 'POST /v1/search', status: 403, body: '{}' });
    await expect(all(open())).rejects.toThrow('integration_token');
  });
});
