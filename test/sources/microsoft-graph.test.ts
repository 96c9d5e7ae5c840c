import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { entriesOf, type SourceEntry } from '#src/ports/source.ts';
import { oneDrive } from '#src/sources/onedrive/onedrive.ts';
import { checkDefined, openDefined } from '#src/sources/shared/open.ts';
import { sharePoint } from '#src/sources/sharepoint/sharepoint.ts';
import { memoryTokens } from '#src/upstream/tokens.ts';
import { useVendors } from '#test/vendors/client.ts';
import { MARKETING, siteOf } from '#test/vendors/microsoft-graph.ts';
import { IDENTITY, ONEDRIVE_SETTINGS, SHAREPOINT_SETTINGS } from './fixtures/microsoft-graph.ts';

const itemOf = (path: string, permissions?: Record<string, unknown>) => ({
  ...{ id: path, path, base64: btoa(path), size: path.length, modifiedAt: '2026-03-04T05:06:07Z' },
  ...(permissions && { permissions }),
});
const PATHS = ['a.txt', 'Reports/b.PDF', 'Reports/2024 Q1/c.txt', 'other/d.tar.gz'];
const holds = { items: PATHS.map((path) => itemOf(path)), tokens: ['t'] };

const vendors = useVendors(
  { vendor: 'microsoft-graph', settings: holds },
  { vendor: 'microsoft-token', settings: { ...IDENTITY, gives: 't' } },
  { vendor: 'microsoft-downloads' },
);
const deps = () => ({
  tokens: memoryTokens(),
  log: createLogger(),
  limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
});
const sharePointOf = (more: object = {}) =>
  openDefined(sharePoint, { ...SHAREPOINT_SETTINGS, ...more }, deps()).source;
const oneDriveOf = (more: object = {}) =>
  openDefined(oneDrive, { ...ONEDRIVE_SETTINGS, ...more }, deps()).source;
const entriesIn = async (source: ReturnType<typeof oneDriveOf>) => {
  const entries: SourceEntry[] = [];
  for await (const entry of entriesOf(source)) entries.push(entry);
  return entries;
};
const pathsIn = async (source: ReturnType<typeof oneDriveOf>) =>
  (await entriesIn(source)).map(({ path }) => path).sort();
const hold = (more: object) => vendors.current.hold({ 'microsoft-graph': { ...more } });
const requested = async () => (await vendors.current.state()).seen.map(({ operation }) => operation);
const checkOf = (more: object) => checkDefined(sharePoint, { ...SHAREPOINT_SETTINGS, ...more }, deps());
const CHILDREN = 'GET /drives/{drive-id}/items/{driveItem-id}/children';

describe('a drive of Microsoft Graph', () => {
  it('is the user’s', async () => {
    expect(await pathsIn(oneDriveOf())).toEqual([...PATHS].sort());
  });

  it('is asked for once a folder, besides the token and where to start', async () => {
    await entriesIn(sharePointOf({ get_permissions: false }));
    expect(await requested()).toEqual([
      ...['POST /{tenant}/oauth2/v2.0/token', 'GET /sites', 'GET /sites/{site-id}/drive'],
      ...['GET /drives/{drive-id}/root', CHILDREN, CHILDREN, CHILDREN, CHILDREN],
    ]);
  });

  it.each(['Reports', '/Reports/', 'reports'])(
    'is read below folder_path %j, with whole paths',
    async (path) => {
      const below = ['Reports/2024 Q1/c.txt', 'Reports/b.PDF'];
      expect(await pathsIn(oneDriveOf({ folder_path: path }))).toEqual(below);
      expect(await pathsIn(sharePointOf({ folder_path: `${path}/2024 Q1` }))).toEqual([below[0]]);
    },
  );

  it('shows names as they are where its own paths are escaped', async () => {
    await hold({ items: [itemOf('My 50% files/2024 Q1/e.txt')] });
    const folder_path = 'My 50% files/2024 Q1';
    expect(await pathsIn(oneDriveOf({ folder_path }))).toEqual([`${folder_path}/e.txt`]);
  });

  it('is read below folder_id, which folder_path may name too', async () => {
    await pathsIn(oneDriveOf());
    const { seen } = await vendors.current.state();
    const ids = seen.flatMap(({ url }) => /items\/(\w+)\/children/.exec(url)?.[1] ?? []).slice(1);
    const found = await Promise.all(ids.map((folder_id) => pathsIn(oneDriveOf({ folder_id }))));
    const expected = [
      ['Reports/2024 Q1/c.txt'],
      ['Reports/2024 Q1/c.txt', 'Reports/b.PDF'],
      ['other/d.tar.gz'],
    ];
    expect(found.sort()).toEqual(expected);
    const withPath = (index: number) => oneDriveOf({ folder_id: ids[index], folder_path: '/OTHER' });
    const outcomes = await Promise.allSettled(ids.map((_, index) => pathsIn(withPath(index))));
    const told = outcomes.map((each) => (each.status === 'rejected' ? String(each.reason) : each.value));
    expect(told).toContainEqual(['other/d.tar.gz']);
    const different = expect.stringContaining('folder_id and folder_path name different folders');
    expect(told.filter((each) => typeof each === 'string')).toEqual([different, different]);
  });

  it.each([
    ['folder_path', { folder_path: 'a.txt' }],
    ['folder_path', { folder_path: 'Reports/../other' }],
    ['folder_id', { folder_id: '..' }],
    ['tenant_id cannot be', { tenant_id: '..' }],
    ['user_principal_name', { user_principal_name: '..' }],
  ])('is not read where %s is none: %j', async (named, more) => {
    const wanted = { retryable: false, message: expect.stringContaining(named) };
    await expect(checkDefined(oneDrive, { ...ONEDRIVE_SETTINGS, ...more }, deps())).rejects.toMatchObject(
      wanted,
    );
    await expect(oneDriveOf(more).list(null)).rejects.toMatchObject(wanted);
  });

  it.each([
    [
      ['.pdf', 'TXT'],
      ['Reports/2024 Q1/c.txt', 'Reports/b.PDF', 'a.txt'],
    ],
    [['tar.gz'], ['other/d.tar.gz']],
    [['df'], []],
    [['', '.'], [...PATHS].sort()],
  ])('gives files that end in one of required_exts %j', async (required_exts, expected) => {
    expect(await pathsIn(oneDriveOf({ required_exts }))).toEqual(expected);
  });

  it('keeps a file’s version under another name, though its eTag is another', async () => {
    const before = (await entriesIn(oneDriveOf())).find(({ path }) => path === 'a.txt')!;
    await hold({ items: [{ ...itemOf('a.txt'), path: 'Reports/z.txt' }] });
    const [after] = await entriesIn(oneDriveOf());
    expect(after).toMatchObject({ id: before.id, version: before.version, path: 'Reports/z.txt' });
    // The cTag, and not the hash that stands in for it.
    expect(before.version).toMatch(/^"c:/);
  });

  it('tells who made and changed a file, and what it is', async () => {
    const [entry] = await entriesIn(oneDriveOf({ required_exts: ['gz'] }));
    expect(entry!.metadata).toEqual({
      ...{ created_by: 'ann@contoso.com', modified_by: 'Ben Kay', created_at: '2025-01-02T03:04:05Z' },
      ...{ drive_id: 'b!of-ann', mime_type: 'text/plain' },
    });
  });

  it('has no notebooks, links to other drives, deleted or infected files, and no more than can be read', async () => {
    const file = { name: 'x.one', file: { mimeType: 'text/plain' } };
    const strange = [
      { ...file, id: '1', package: { type: 'oneNote' } },
      { id: '2', name: 'Shared', remoteItem: { id: '9', folder: { childCount: 3 } }, folder: {} },
      { ...file, id: '3', deleted: { state: 'deleted' } },
      { ...file, id: '4', malware: { description: 'worm' } },
      { id: '5', name: 'neither' },
    ];
    await hold({ strange });
    expect(await pathsIn(oneDriveOf())).toEqual([...PATHS].sort());
    const { seen } = await vendors.current.state();
    expect(seen.filter(({ url }) => /items\/\d\//.test(url))).toEqual([]);
  });

  it('goes on beside a folder that is closed, and beside members that make no sense', async () => {
    await hold({
      closed: 'Reports',
      nonsense: true,
      strange: [null, 7, { name: 'no id', file: {} }, { id: '' }],
    });
    expect(await pathsIn(oneDriveOf())).toEqual(['a.txt', 'other/d.tar.gz']);
    await hold({ closed: '' });
    await expect(oneDriveOf().list(null)).rejects.toMatchObject({ status: 403, retryable: false });
  });

  it('is not taken for empty when nothing of an answer makes sense', async () => {
    await hold({ items: [], nonsense: true, strange: [{ name: 'a', file: {} }] });
    await expect(oneDriveOf().list(null)).rejects.toMatchObject({ retryable: false });
  });

  it('is read on only at its own address', async () => {
    await hold({ pageSize: 1, nextHost: 'graph.microsoft.com.evil.test' });
    const message = 'Microsoft Graph names a next page that is not its own.';
    await expect(oneDriveOf().list(null)).rejects.toMatchObject({ retryable: false, message });
    const { seen } = await vendors.current.state();
    expect(seen.filter(({ url }) => url.includes('evil'))).toEqual([]);
  });
});

describe('permissions', () => {
  const grant = (grantedToV2: object) => ({ id: '1', roles: ['read'], grantedToV2 });
  const GRANTS = [
    grant({ user: { displayName: 'Ben', id: '3' } }),
    grant({ group: { displayName: 'Team', id: '4' }, siteUser: { loginName: 'c:0o.c|x|y@contoso.com' } }),
    grant({ siteGroup: { displayName: 'Site Members' } }),
    grant({ siteUser: { loginName: 'i:0#.f|membership|cy@contoso.com', displayName: 'Cy' } }),
    grant({ siteUser: { loginName: 'c:0-.f|rolemanager|spo-grid-all-users/1', displayName: 'Everyone' } }),
    {
      id: '2',
      link: { scope: 'organization', type: 'view', webUrl: 'https://contoso.sharepoint.com/:t:/secret' },
    },
    { id: '3', link: { scope: 'users' }, grantedToIdentitiesV2: [{ user: { email: 'di@contoso.com' } }] },
    { id: '4', grantedTo: { user: { email: 'ed@contoso.com' } } },
  ];

  it('are people, groups and open links, in an order of their own', async () => {
    await hold({ items: [itemOf('a.txt', { users: ['ann@contoso.com'], more: GRANTS })] });
    const [{ permissions } = { permissions: null }] = await entriesIn(sharePointOf());
    expect(permissions).toEqual({
      users: ['Ben', 'ann@contoso.com', 'cy@contoso.com', 'di@contoso.com', 'ed@contoso.com'],
      groups: ['Everyone', 'Site Members', 'Team'],
      links: ['organization'],
    });
    await hold({ items: [itemOf('a.txt', { more: [...GRANTS].reverse(), users: ['ann@contoso.com'] })] });
    expect((await entriesIn(sharePointOf()))[0]!.permissions).toEqual(permissions);
  });

  it('are asked for of twenty files at once, and go to their own file', async () => {
    const items = Array.from({ length: 45 }, (_, index) =>
      itemOf(`${index}.txt`, { users: [`u${index}@contoso.com`] }),
    );
    await hold({ items });
    const entries = await entriesIn(sharePointOf());
    for (const { path, permissions } of entries) {
      expect(permissions).toMatchObject({ users: [`u${path.replace('.txt', '')}@contoso.com`] });
    }
    const { seen } = await vendors.current.state();
    expect(
      seen
        .flatMap(({ note }) => note ?? [])
        .map((note) => (note as { permissionsOf: number }).permissionsOf)
        .sort(),
    ).toEqual([20, 20, 5]);
  });

  it('are of so few files in a page that a small tenant lets it pass', async () => {
    await hold({
      items: Array.from({ length: 450 }, (_, index) => itemOf(`${index % 3}/${index}.txt`)),
      pageSize: 999,
    });
    const pages = async (source: ReturnType<typeof oneDriveOf>) => {
      const sizes: number[] = [];
      for (let cursor: string | null = null; ; ) {
        const page = await source.list(cursor);
        sizes.push(page.entries.length);
        cursor = page.cursor;
        if (cursor === null) return sizes;
      }
    };
    const sizes = await pages(sharePointOf());
    expect(sizes.reduce((sum, size) => sum + size)).toBe(450);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
  });

  it('are not asked for without get_permissions, nor of files that are not wanted', async () => {
    const [entry] = await entriesIn(sharePointOf({ get_permissions: false }));
    expect(entry!.permissions).toBeNull();
    await entriesIn(sharePointOf({ required_exts: ['exe'] }));
    expect(await requested()).not.toContain('POST /$batch');
  });

  it('that may not be known are unknown, and no reason to stop', async () => {
    await hold({
      items: [itemOf('a.txt', { refused: true }), itemOf('b.txt', { users: ['ann@contoso.com'] })],
    });
    const entries = await entriesIn(sharePointOf());
    expect(entries.map(({ permissions }) => permissions)).toEqual([
      null,
      { users: ['ann@contoso.com'], groups: [], links: [] },
    ]);
  });

  it('that Microsoft wants to give later are asked for later', async () => {
    await vendors.current.fail({ on: 'POST /$batch', kind: 'own', name: 'throttled' });
    await expect(sharePointOf().list(null)).rejects.toMatchObject({
      retryable: true,
      retryAfter: 9,
      status: 429,
    });
    expect(await pathsIn(sharePointOf())).toEqual([...PATHS].sort());
  });
});

describe('a site', () => {
  const others = [
    siteOf('/sites/hr', 'People'),
    siteOf('/sites/hr-archive', 'People'),
    siteOf('/teams/marketing', 'Marketing team'),
    siteOf('/sites/marketing-2019', 'Marketing, old'),
  ];

  it.each([
    { site_name: 'marketing & sales' },
    { site_name: '/sites/marketing/' },
    { site_name: 'https://contoso.sharepoint.com/sites/marketing' },
    { site_name: null, site_id: MARKETING.id },
    { site_id: MARKETING.id },
  ])('is found by its name, path, address or id: %j', async (more) => {
    await hold({ sites: [...others, MARKETING] });
    expect(await pathsIn(sharePointOf(more))).toHaveLength(PATHS.length);
  });

  it.each([
    ['site_id or site_name', { site_name: null }],
    ['site_name names no site', { site_name: 'Market' }],
    ['site_name names several sites', { site_name: 'People' }],
    ['https://contoso.sharepoint.com/sites/hr-archive', { site_name: 'people' }],
    ['site_name names several sites', { site_name: 'marketing' }],
    ['site_id and site_name name different sites', { site_id: siteOf('/sites/hr', '').id }],
    ['site_id', { site_name: null, site_id: 'contoso.sharepoint.com,1,2', drive_name: 'Archive' }],
    ['Documents, Archive', { drive_name: 'Archives' }],
  ])('is not guessed: %s', async (said, more) => {
    await hold({ sites: [...others, MARKETING] });
    await expect(checkOf(more)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining(said),
    });
  });

  it('has libraries, of which drive_name names one', async () => {
    expect(await pathsIn(sharePointOf({ drive_name: 'documents' }))).toHaveLength(PATHS.length);
    expect(await pathsIn(sharePointOf({ drive_name: 'Archive' }))).toEqual([]);
  });

  it.each([
    [{ include_path_patterns: ['^/Reports/'] }, ['Reports/2024 Q1/c.txt', 'Reports/b.PDF']],
    [{ include_path_patterns: ['^Reports/[^/]+$', 'gz$'] }, ['Reports/b.PDF', 'other/d.tar.gz']],
    [{ exclude_path_patterns: ['/Reports/', '(?i)\\.TXT$'] }, ['other/d.tar.gz']],
    [{ include_path_patterns: ['Reports'], exclude_path_patterns: ['Q1'] }, ['Reports/b.PDF']],
    [{ include_path_patterns: ['/b'], folder_path: 'Reports' }, ['Reports/b.PDF']],
    [{ include_path_patterns: [], exclude_path_patterns: [] }, [...PATHS].sort()],
  ])('gives files whose whole path fits %j', async (more, expected) => {
    expect(await pathsIn(sharePointOf(more))).toEqual(expected);
  });

  it('gives files of any path within any pattern, however long it is', async () => {
    const long = `${'x'.repeat(30_000)}.txt`;
    await hold({ items: [itemOf(long)] });
    const include_path_patterns = [`(?:a|b|${'[a-y]{1,30}'.repeat(60)})`];
    expect(await pathsIn(sharePointOf({ include_path_patterns }))).toHaveLength(1);
  });
});

describe('an application that Microsoft refuses', () => {
  it.each([
    ['client_secret', { client_secret: 'another-secret' }],
    ['client_id', { client_id: 'another' }],
    ['tenant_id', { tenant_id: 'fabrikam.com' }],
  ])('is told that it is because of %s', async (field, more) => {
    await expect(checkOf(more)).rejects.toMatchObject({
      ...{ retryable: false, message: expect.stringMatching(new RegExp(`See ${field}\\b`)) },
    });
  });

  it('is told why, and all three where Microsoft says nothing known', async () => {
    const body = JSON.stringify({ error: 'invalid_client', error_description: 'AADSTS53003: Blocked.' });
    await vendors.current.fail({ on: 'POST /{tenant}/oauth2/v2.0/token', kind: 'status', status: 400, body });
    const message = expect.stringMatching(/AADSTS53003: Blocked.*tenant_id, client_id and client_secret/);
    await expect(checkOf({})).rejects.toMatchObject({ message });
  });
});
