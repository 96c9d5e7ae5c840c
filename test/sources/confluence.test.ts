import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '#src/lib/log.ts';
import { listEntries, type Source } from '#src/ports/source.ts';
import { confluence } from '#src/sources/confluence/confluence.ts';
import { checkWithDriver, openWithDriver } from '#src/sources/shared/open.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';
import { sourceSuite } from '#test/suites/source.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import {
  CONFLUENCE_HELD,
  CONFLUENCE_SETTINGS,
  CONFLUENCE_TOKEN,
  confluenceFixture,
} from './fixtures/confluence.ts';

sourceSuite(confluenceFixture);

const SECRET = { users: ['ann@example.com'], groups: ['board'] };
const FILES = Array.from({ length: 30 }, (_, at) => ({
  ...{ id: `att9${at}`, title: `${at}.txt`, text: `file ${at}` },
}));
const PAGES = [
  { id: '1', title: 'Home', labels: ['start'] },
  { id: '2', title: 'Plan "B"', above: ['1'], labels: ['start', 'plan'], storage: '<p>plan</p>', number: 7 },
  { id: '3', title: 'Board', above: ['1'], readers: SECRET },
  { id: '4', title: 'Minutes', above: ['1', '3'], files: [{ id: 'att80', title: 'a.txt', text: 'a' }] },
  { id: '5', title: 'News', type: 'blogpost', space: 'OPS', storage: '<p>news</p>' },
  { id: '6', title: 'Files', space: 'OPS', files: FILES },
  { id: '7', title: 'Said', type: 'comment', space: 'OPS' },
];
const SPACES = [{ id: '77', key: 'OPS', name: 'Operations', grants: [{ type: 'group', id: 'ops' }] }];

const logged: string[] = [];
afterEach(() => void logged.splice(0));
const note = (event: string, facts?: unknown) => void logged.push(`${event} ${JSON.stringify(facts)}`);
const log: Logger = { info: note, warn: note, error: note };
const deps = {
  tokens: createMemoryTokens(),
  log,
  limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
};
const SETTINGS = { ...CONFLUENCE_SETTINGS, index_restricted_pages: false };
const open = (more: object = {}) => openWithDriver(confluence, { ...SETTINGS, ...more }, deps).source;
const check = (more: object = {}) => checkWithDriver(confluence, { ...SETTINGS, ...more }, deps);
const all = (source: Source) => Array.fromAsync(listEntries(source));
const idsIn = async (more: object = {}) => (await all(open(more))).map(({ id }) => id).sort();
const readEntryText = async (source: Source, id: string) => {
  const content = await source.read(id);
  return content && new Response(content.body as unknown as BodyInit).text();
};
const SKIPPING = { failure_handling: { skip_list_failures: true } };

describe('Confluence pages', () => {
  const vendors = useVendors(
    { vendor: 'confluence', settings: { ...CONFLUENCE_HELD, pages: PAGES, spaces: SPACES, pageSize: 3 } },
    { vendor: 'confluence-media' },
  );
  const hold = (settings: object) => vendors.current.hold({ confluence: { ...settings } });
  const seenAs = async (operation: string) => {
    const { seen } = await vendors.current.state();
    return seen.filter((each) => each.operation === operation);
  };
  const files = FILES.map(({ id }) => `attachment/${id}`);
  const OPS = ['blogpost/5', 'page/6', ...files].sort();
  const OPEN = ['page/1', 'page/2'];

  it('are listed with attachments, except restricted pages and pages below them', async () => {
    const entries = await all(open());
    expect(entries.map(({ id }) => id).sort()).toEqual([...OPS, ...OPEN].sort());
    expect(entries.find(({ id }) => id === 'page/2')).toMatchObject({
      ...{ name: 'Plan "B".html', path: 'Suite/Home/Plan "B".html', version: '7 html' },
      webUrl: 'https://suite.atlassian.net/wiki/spaces/SUITE/pages/2/x',
      modifiedAt: new Date('2026-03-04T05:06:07.000Z'),
      metadata: {
        ...{ type: 'page', space_key: 'SUITE', space_name: 'Suite', labels: ['start', 'plan'] },
        ...{ author: 'Ben', last_modified_by: 'Ann Lee', status: 'current', version: 7 },
      },
    });
    expect(entries.find(({ id }) => id === 'attachment/att97')).toMatchObject({
      ...{ name: '7.txt', path: 'Operations/Files/7.txt', size: 6, version: '1' },
      webUrl: 'https://suite.atlassian.net/wiki/pages/viewpageattachments.action?preview=att97',
      metadata: { page_id: '6', space_key: 'OPS', media_type: 'text/plain' },
    });
  });

  it('are all listed with index_restricted_pages, with their permissions', async () => {
    const entries = await all(open({ index_restricted_pages: true }));
    const findPermissions = (id: string) => entries.find((each) => each.id === id)!.permissions;
    const suite = { users: ['account-1'], groups: ['group-of-all'], roles: [] };
    expect(findPermissions('page/2')).toEqual({ space: suite, restrictions: [] });
    const restrictions = [{ content_id: '3', users: ['ann@example.com'], groups: ['board'] }];
    expect(findPermissions('page/4')).toEqual({ space: suite, restrictions });
    expect(findPermissions('attachment/att91')).toEqual({
      ...{ space: { users: [], groups: ['ops'], roles: [] }, restrictions: [] },
    });
    expect(await seenAs('GET /wiki/api/v2/spaces/{id}/permissions')).toHaveLength(2);
  });

  it('have no permissions and need no permission requests if sync_permissions is false', async () => {
    const settings = { sync_permissions: false, index_restricted_pages: true };
    const entries = await all(open(settings));
    expect(entries.every(({ permissions }) => permissions === null)).toBe(true);
    const { seen } = await vendors.current.state();
    const operations = new Set(seen.map(({ operation }) => operation));
    expect([...operations].sort()).toEqual([
      'GET /wiki/api/v2/pages/{id}/attachments',
      'GET /wiki/rest/api/content/search',
    ]);
    expect(await idsIn({ sync_permissions: false })).not.toContain('page/4');
  });

  it('suggest to disable sync_permissions if permissions cannot be read', async () => {
    await hold({ hidesPermissions: true });
    const wanted = { retryable: false, message: expect.stringContaining('set sync_permissions to false') };
    await expect(all(open())).rejects.toMatchObject(wanted);
    await expect(all(open(SKIPPING))).rejects.toMatchObject(wanted);
    await expect(check()).rejects.toMatchObject(wanted);
    await check({ sync_permissions: false });
    await hold({ hidesPermissions: false });
    const operation = 'GET /wiki/api/v2/spaces/{id}/permissions';
    for (const status of [401, 403]) {
      await vendors.current.fail({ kind: 'status', status, on: operation });
      await expect(all(open({ ...SKIPPING, space_key: 'OPS,SUITE' }))).rejects.toMatchObject(wanted);
    }
    await vendors.current.fail({ kind: 'status', status: 503, on: operation });
    await expect(all(open())).rejects.toMatchObject({ retryable: true });
  });

  it.each<[object, string[]]>([
    [{ space_key: 'OPS' }, OPS],
    [{ space_key: 'OPS, SUITE', label: 'start' }, OPEN],
    [{ label: 'plan,none' }, ['page/2']],
    [{ page_ids: ' 2 ,1,2' }, OPEN],
    [{ page_ids: '1,2,5', label: 'plan' }, ['page/2']],
    [{ cql: 'title = "Plan \\"B\\"" order by lastmodified desc' }, ['page/2']],
    [{ cql: `title = 'order by "' or title ~ 'home' ORDER  BY title` }, ['page/1']],
    [{ cql: 'label = plan or space = OPS', space_key: 'SUITE' }, ['page/2']],
  ])('are selected by the settings: %j', async (more, ids) => {
    expect(await idsIn(more)).toEqual(ids);
  });

  it.each([
    [{ space_key: 'GONE" or space = "OPS' }, 'space_key'],
    [{ label: 'x", "y' }, undefined],
  ])('are not affected by query injection in settings: %j', async (more, field) => {
    if (field) await expect(idsIn(more)).rejects.toMatchObject({ message: expect.stringContaining(field) });
    else expect(await idsIn(more)).toEqual([]);
  });

  it('fail the sync if a list cannot be read, or are skipped if configured', async () => {
    const gone = { page_ids: '1,404,2' };
    const reason = 'no page 404 (page_ids)';
    await expect(idsIn(gone)).rejects.toMatchObject({ message: expect.stringContaining(reason) });
    expect(await idsIn({ ...gone, ...SKIPPING })).toEqual(OPEN);
    expect(logged.join()).toContain(reason);
    const noSpace = { space_key: 'OPS,NONE' };
    await expect(check(noSpace)).rejects.toMatchObject({
      message: expect.stringContaining('NONE (space_key)'),
    });
    await expect(idsIn(noSpace)).rejects.toMatchObject({
      message: expect.stringContaining('NONE (space_key)'),
    });
    expect(await idsIn({ ...noSpace, ...SKIPPING })).toEqual(OPS);
    expect(logged.join()).toContain('NONE (space_key)');
    // An empty listing would delete all files, so it must fail.
    await expect(idsIn({ space_key: 'NONE,NADA', ...SKIPPING })).rejects.toMatchObject({ status: 404 });
    const refused = { kind: 'status', status: 401, on: 'GET /wiki/rest/api/content/search' } as const;
    await vendors.current.fail(refused);
    await expect(idsIn({ space_key: 'OPS,SUITE', ...SKIPPING })).rejects.toMatchObject({ status: 401 });
  });

  it('fail the sync if attachments cannot be listed, unless they are missing or skipped', async () => {
    const on = 'GET /wiki/api/v2/pages/{id}/attachments';
    await vendors.current.fail({ kind: 'status', status: 403, on });
    await expect(idsIn({ space_key: 'OPS' })).rejects.toMatchObject({ status: 403 });
    await vendors.current.fail({ kind: 'status', status: 403, on });
    expect(await idsIn({ space_key: 'OPS', ...SKIPPING })).toEqual(['blogpost/5', 'page/6']);
    await vendors.current.fail({ kind: 'status', status: 404, on });
    expect(await idsIn({ space_key: 'OPS' })).toEqual(['blogpost/5', 'page/6']);
  });

  it('are read as HTML or plain text, and attachments are read from the vendor URL', async () => {
    const source = open();
    expect(await readEntryText(source, 'blogpost/5')).toBe('<h1>News</h1>\n<p>news</p>\n');
    expect(await readEntryText(source, 'attachment/att93')).toBe('file 3');
    expect(await source.read('attachment/att404')).toBeUndefined();
    const plain = open({ keep_markdown_format: false });
    const entry = (await all(plain)).find(({ id }) => id === 'page/2')!;
    expect(entry).toMatchObject({ name: 'Plan "B".txt', version: '7 text' });
    const content = (await plain.read(entry.id))!;
    expect(content.version).toBe(entry.version);
    expect(await readEntryText(plain, 'page/2')).toBe('Plan "B"\nplan\n');
    const { seen } = await vendors.current.state();
    const away = seen.filter(({ url }) => url.includes('media.atlassian.com'));
    expect(away.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it('in the trash are treated as deleted', async () => {
    const pages = [{ ...PAGES[0], status: 'trashed', files: [{ ...FILES[0], status: 'trashed' }] }];
    await hold({ pages });
    expect(await open().read('page/1')).toBeUndefined();
    expect(await open().read('attachment/att90')).toBeUndefined();
  });

  it('show the names of mentioned users, or ids if names are unavailable', async () => {
    const mention = (id: string) => `<ac:link><ri:user ri:account-id="${id}" /></ac:link>`;
    const storage = `<p>${mention('account-1')} and ${mention('account-2')}</p>`;
    await hold({ pages: [{ id: '1', title: 'T', storage }], people: { 'account-2': 'Ben & Co' } });
    const source = open();
    const text = '<h1>T</h1>\n<p>@Ann Lee and @Ben &amp; Co</p>\n';
    expect(await readEntryText(source, 'page/1')).toBe(text);
    expect(await readEntryText(source, 'page/1')).toBe(text);
    const on = 'POST /wiki/api/v2/users-bulk';
    expect(await seenAs(on)).toHaveLength(1);
    await vendors.current.fail({ kind: 'status', status: 403, on });
    expect(await readEntryText(open(), 'page/1')).toContain('@account-1 and @account-2');
    await vendors.current.fail({ kind: 'status', status: 429, headers: { 'retry-after': '9' }, on });
    await expect(open().read('page/1')).rejects.toMatchObject({ retryable: true, retryAfter: 9 });
  });

  it.each([
    { authentication_mechanism: 'token', user_name: null },
    { authentication_mechanism: 'OAuth', user_name: null },
    { authentication_mechanism: 'oauth2', user_name: null },
    { authentication_mechanism: 'OAuth 2.0', user_name: null },
    { server_url: 'https://suite.atlassian.net/wiki/' },
    { server_url: 'https://someone:secret@suite.atlassian.net/wiki?x=1#y' },
    { authentication_mechanism: 'token', server_url: 'https://api.atlassian.com/ex/confluence/11-22' },
  ])('are read with %j', async (more) => {
    await check(more);
    expect(await idsIn({ ...more, page_ids: '1' })).toEqual(['page/1']);
    const { seen } = await vendors.current.state();
    const wanted = more.authentication_mechanism
      ? `Bearer ${CONFLUENCE_TOKEN}`
      : `Basic ${btoa(`ann@example.com:${CONFLUENCE_TOKEN}`)}`;
    expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set([wanted]));
    const site = /^https:\/\/(?:suite\.atlassian\.net|api\.atlassian\.com\/ex\/confluence\/11-22)\/wiki\//;
    expect(seen.every(({ url }) => site.test(url))).toBe(true);
  });

  it.each([
    [{ user_name: null }, 'user_name'],
    [{ api_token: null }, 'api_token'],
    [{ authentication_mechanism: 'oauth', api_token: '' }, 'api_token'],
    [{ page_ids: '1,b' }, 'page_ids'],
    [{ server_url: 'ftp://suite.atlassian.net' }, 'server_url'],
  ])('require usable settings: %j', async (more, named) => {
    const wanted = { retryable: false, message: expect.stringContaining(named) };
    await expect(check(more)).rejects.toMatchObject(wanted);
    await expect(open(more).list(null)).rejects.toMatchObject(wanted);
  });

  it('fail instead of returning an empty list for anonymous access', async () => {
    await hold({ anonymous: true });
    await expect(all(open())).rejects.toMatchObject({
      ...{ retryable: false, message: expect.stringContaining('api_token') },
    });
  });

  it('need one request per 200 pages', async () => {
    const pages = Array.from({ length: 401 }, (_, at) => ({ id: `${1000 + at}`, title: `${at}` }));
    await hold({ pages, pageSize: 1000 });
    expect(await idsIn()).toHaveLength(401);
    expect(await seenAs('GET /wiki/rest/api/content/search')).toHaveLength(3);
  });
});

describe('Confluence listing', () => {
  const listed = (id: string, more: object = {}) => ({
    ...{ id, type: 'page', status: 'current', title: `T${id}`, version: { number: 1 } },
    ...more,
  });
  const answering = (...answers: object[]) => {
    const asked: URL[] = [];
    vi.stubGlobal('fetch', async (input: Request | URL | string) => {
      asked.push(new URL(input instanceof Request ? input.url : input));
      return Response.json(answers.shift() ?? { results: [], _links: {} });
    });
    return asked;
  };
  afterEach(() => void vi.unstubAllGlobals());
  const TO_ALL = { sync_permissions: false, server_url: 'https://8.8.8.8/' };

  it('skips invalid results and pages with invalid restrictions', async () => {
    const results = [
      null,
      { id: 7 },
      listed('1', { ancestors: null, version: 'x', space: [], _links: 3, metadata: { labels: 1 } }),
      listed('2', { restrictions: { read: 'everybody' } }),
      listed('3', { ancestors: [{ id: '50' }] }),
      JSON.parse('{"id":"__proto__","type":"page","__proto__":{"type":"x"},"ancestors":[null]}'),
    ];
    const above = { results: [listed('50', { restrictions: { read: 7 } })], _links: {} };
    answering({ results, _links: {} }, above);
    expect(await idsIn(TO_ALL)).toEqual(['page/1', 'page/__proto__']);
    expect(logged.join()).toContain('source.passed_over');
  });

  it('stays on the site for next pages and rejects a next page without cursor', async () => {
    const first = { results: [listed('1')], _links: { next: 'https://evil.test/x?cursor=a%2Bb&cql=all' } };
    const asked = answering(first, { results: [], _links: {} });
    expect(await idsIn(TO_ALL)).toEqual(['page/1']);
    expect(asked.map(({ host }) => host)).toEqual(['8.8.8.8', '8.8.8.8']);
    expect(asked[1]!.searchParams.get('cursor')).toBe('a+b');
    expect(asked[1]!.searchParams.get('cql')).toBe(asked[0]!.searchParams.get('cql'));
    answering({ results: [], _links: { next: '/rest/api/content/search?start=25' } });
    await expect(idsIn(TO_ALL)).rejects.toMatchObject({ retryable: false });
  });

  it('stops if permissions never end', async () => {
    const page = listed('1', { space: { id: 7, key: 'OPS' } });
    const endless = { results: [], _links: { next: '/wiki/api/v2/x?cursor=again' } };
    const asked = answering({ results: [page], _links: {} }, ...Array(100).fill(endless));
    await expect(idsIn({ server_url: TO_ALL.server_url })).rejects.toMatchObject({
      ...{ retryable: false, message: expect.stringContaining('sync_permissions') },
    });
    expect(asked.length).toBeLessThan(50);
  });
});
