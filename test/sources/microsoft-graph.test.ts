import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { listEntries, type SourceEntry } from '#src/ports/source.ts';
import { oneDrive } from '#src/sources/onedrive/onedrive.ts';
import { checkWithDriver, openWithDriver } from '#src/sources/shared/open.ts';
import { sharePoint } from '#src/sources/sharepoint/sharepoint.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';
import { useVendors } from '#test/vendors/client.ts';
import { buildSite, MARKETING } from '#test/vendors/microsoft-graph.ts';
import { IDENTITY, ONEDRIVE_SETTINGS, SHAREPOINT_SETTINGS } from './fixtures/microsoft-graph.ts';

const buildItem = (path: string, permissions?: Record<string, unknown>) => ({
  ...{ id: path, path, base64: btoa(path), size: path.length, modifiedAt: '2026-03-04T05:06:07Z' },
  ...(permissions && { permissions }),
});
const PATHS = ['a.txt', 'Reports/b.PDF', 'Reports/2024 Q1/c.txt', 'other/d.tar.gz'];
const holds = { items: PATHS.map((path) => buildItem(path)), tokens: ['t'] };

const vendors = useVendors(
  { vendor: 'microsoft-graph', settings: holds },
  { vendor: 'microsoft-token', settings: { ...IDENTITY, gives: 't' } },
  { vendor: 'microsoft-downloads' },
);
const deps = () => ({
  tokens: createMemoryTokens(),
  log: createLogger(),
  limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
});
const openSharePoint = (more: object = {}) =>
  openWithDriver(sharePoint, { ...SHAREPOINT_SETTINGS, ...more }, deps()).source;
const openOneDrive = (more: object = {}) =>
  openWithDriver(oneDrive, { ...ONEDRIVE_SETTINGS, ...more }, deps()).source;
const entriesIn = async (source: ReturnType<typeof openOneDrive>) => {
  const entries: SourceEntry[] = [];
  for await (const entry of listEntries(source)) entries.push(entry);
  return entries;
};
const pathsIn = async (source: ReturnType<typeof openOneDrive>) =>
  (await entriesIn(source)).map(({ path }) => path).sort();
const hold = (more: object) => vendors.current.hold({ 'microsoft-graph': { ...more } });
const requested = async () => (await vendors.current.state()).seen.map(({ operation }) => operation);
const checkSharePoint = (more: object) =>
  checkWithDriver(sharePoint, { ...SHAREPOINT_SETTINGS, ...more }, deps());
const CHILDREN = 'GET /drives/{drive-id}/items/{driveItem-id}/children';

describe('Microsoft Graph drive', () => {
  it('lists the files of the user', async () => {
    expect(await pathsIn(openOneDrive())).toEqual([...PATHS].sort());
  });

  it('needs one request per folder besides the setup requests', async () => {
    await entriesIn(openSharePoint({ get_permissions: false }));
    expect(await requested()).toEqual([
      ...['POST /{tenant}/oauth2/v2.0/token', 'GET /sites', 'GET /sites/{site-id}/drive'],
      ...['GET /drives/{drive-id}/root', CHILDREN, CHILDREN, CHILDREN, CHILDREN],
    ]);
  });

  it.each(['Reports', '/Reports/', 'reports'])(
    'is limited to folder_path %j, with full paths',
    async (path) => {
      const below = ['Reports/2024 Q1/c.txt', 'Reports/b.PDF'];
      expect(await pathsIn(openOneDrive({ folder_path: path }))).toEqual(below);
      expect(await pathsIn(openSharePoint({ folder_path: `${path}/2024 Q1` }))).toEqual([below[0]]);
    },
  );

  it('unescapes folder names', async () => {
    await hold({ items: [buildItem('My 50% files/2024 Q1/e.txt')] });
    const folder_path = 'My 50% files/2024 Q1';
    expect(await pathsIn(openOneDrive({ folder_path }))).toEqual([`${folder_path}/e.txt`]);
  });

  it('is limited to folder_id, optionally with folder_path', async () => {
    await pathsIn(openOneDrive());
    const { seen } = await vendors.current.state();
    const ids = seen.flatMap(({ url }) => /items\/(\w+)\/children/.exec(url)?.[1] ?? []).slice(1);
    const found = await Promise.all(ids.map((folder_id) => pathsIn(openOneDrive({ folder_id }))));
    const expected = [
      ['Reports/2024 Q1/c.txt'],
      ['Reports/2024 Q1/c.txt', 'Reports/b.PDF'],
      ['other/d.tar.gz'],
    ];
    expect(found.sort()).toEqual(expected);
    const withPath = (index: number) => openOneDrive({ folder_id: ids[index], folder_path: '/OTHER' });
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
    ['tenant_id must be', { tenant_id: '..' }],
    ['user_principal_name', { user_principal_name: '..' }],
  ])('rejects an invalid %s: %j', async (named, more) => {
    const wanted = { retryable: false, message: expect.stringContaining(named) };
    await expect(checkWithDriver(oneDrive, { ...ONEDRIVE_SETTINGS, ...more }, deps())).rejects.toMatchObject(
      wanted,
    );
    await expect(openOneDrive(more).list(null)).rejects.toMatchObject(wanted);
  });

  it.each([
    [
      ['.pdf', 'TXT'],
      ['Reports/2024 Q1/c.txt', 'Reports/b.PDF', 'a.txt'],
    ],
    [['tar.gz'], ['other/d.tar.gz']],
    [['df'], []],
    [['', '.'], [...PATHS].sort()],
  ])('is limited to files with required_exts %j', async (required_exts, expected) => {
    expect(await pathsIn(openOneDrive({ required_exts }))).toEqual(expected);
  });

  it('keeps the version of a renamed file although its eTag changes', async () => {
    const before = (await entriesIn(openOneDrive())).find(({ path }) => path === 'a.txt')!;
    await hold({ items: [{ ...buildItem('a.txt'), path: 'Reports/z.txt' }] });
    const [after] = await entriesIn(openOneDrive());
    expect(after).toMatchObject({ id: before.id, version: before.version, path: 'Reports/z.txt' });
    // The version is the cTag rather than the fallback hash.
    expect(before.version).toMatch(/^"c:/);
  });

  it('returns author, editor and type of a file', async () => {
    const [entry] = await entriesIn(openOneDrive({ required_exts: ['gz'] }));
    expect(entry!.metadata).toEqual({
      ...{ created_by: 'ann@contoso.com', modified_by: 'Ben Kay', created_at: '2025-01-02T03:04:05Z' },
      ...{ drive_id: 'b!of-ann', mime_type: 'text/plain' },
    });
  });

  it('omits notebooks, remote links, and deleted or infected files', async () => {
    const file = { name: 'x.one', file: { mimeType: 'text/plain' } };
    const strange = [
      { ...file, id: '1', package: { type: 'oneNote' } },
      { id: '2', name: 'Shared', remoteItem: { id: '9', folder: { childCount: 3 } }, folder: {} },
      { ...file, id: '3', deleted: { state: 'deleted' } },
      { ...file, id: '4', malware: { description: 'worm' } },
      { id: '5', name: 'neither' },
    ];
    await hold({ strange });
    expect(await pathsIn(openOneDrive())).toEqual([...PATHS].sort());
    const { seen } = await vendors.current.state();
    expect(seen.filter(({ url }) => /items\/\d\//.test(url))).toEqual([]);
  });

  it('skips a closed folder and invalid members', async () => {
    await hold({
      closed: 'Reports',
      nonsense: true,
      strange: [null, 7, { name: 'no id', file: {} }, { id: '' }],
    });
    expect(await pathsIn(openOneDrive())).toEqual(['a.txt', 'other/d.tar.gz']);
    await hold({ closed: '' });
    await expect(openOneDrive().list(null)).rejects.toMatchObject({ status: 403, retryable: false });
  });

  it('fails if no part of an answer is valid', async () => {
    await hold({ items: [], nonsense: true, strange: [{ name: 'a', file: {} }] });
    await expect(openOneDrive().list(null)).rejects.toMatchObject({ retryable: false });
  });

  it('follows next links only to its own host', async () => {
    await hold({ pageSize: 1, nextHost: 'graph.microsoft.com.evil.test' });
    const message = 'Microsoft Graph returned a link to a next page on another host.';
    await expect(openOneDrive().list(null)).rejects.toMatchObject({ retryable: false, message });
    const { seen } = await vendors.current.state();
    expect(seen.filter(({ url }) => url.includes('evil'))).toEqual([]);
  });
});

describe('Microsoft Graph permissions', () => {
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

  it('list users, groups and links in a stable order', async () => {
    await hold({ items: [buildItem('a.txt', { users: ['ann@contoso.com'], more: GRANTS })] });
    const [{ permissions } = { permissions: null }] = await entriesIn(openSharePoint());
    expect(permissions).toEqual({
      users: ['Ben', 'ann@contoso.com', 'cy@contoso.com', 'di@contoso.com', 'ed@contoso.com'],
      groups: ['Everyone', 'Site Members', 'Team'],
      links: ['organization'],
    });
    await hold({ items: [buildItem('a.txt', { more: [...GRANTS].reverse(), users: ['ann@contoso.com'] })] });
    expect((await entriesIn(openSharePoint()))[0]!.permissions).toEqual(permissions);
  });

  it('are requested for twenty files at a time and assigned to their file', async () => {
    const items = Array.from({ length: 45 }, (_, index) =>
      buildItem(`${index}.txt`, { users: [`u${index}@contoso.com`] }),
    );
    await hold({ items });
    const entries = await entriesIn(openSharePoint());
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

  it('are requested in pages of at most 200 files', async () => {
    await hold({
      items: Array.from({ length: 450 }, (_, index) => buildItem(`${index % 3}/${index}.txt`)),
      pageSize: 999,
    });
    const pages = async (source: ReturnType<typeof openOneDrive>) => {
      const sizes: number[] = [];
      for (let cursor: string | null = null; ; ) {
        const page = await source.list(cursor);
        sizes.push(page.entries.length);
        cursor = page.cursor;
        if (cursor === null) return sizes;
      }
    };
    const sizes = await pages(openSharePoint());
    expect(sizes.reduce((sum, size) => sum + size)).toBe(450);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
  });

  it('are not requested without get_permissions or for unwanted files', async () => {
    const [entry] = await entriesIn(openSharePoint({ get_permissions: false }));
    expect(entry!.permissions).toBeNull();
    await entriesIn(openSharePoint({ required_exts: ['exe'] }));
    expect(await requested()).not.toContain('POST /$batch');
  });

  it('are null if access is refused, and the listing continues', async () => {
    await hold({
      items: [buildItem('a.txt', { refused: true }), buildItem('b.txt', { users: ['ann@contoso.com'] })],
    });
    const entries = await entriesIn(openSharePoint());
    expect(entries.map(({ permissions }) => permissions)).toEqual([
      null,
      { users: ['ann@contoso.com'], groups: [], links: [] },
    ]);
  });

  it('are retried later if throttled', async () => {
    await vendors.current.fail({ on: 'POST /$batch', kind: 'own', name: 'throttled' });
    await expect(openSharePoint().list(null)).rejects.toMatchObject({
      retryable: true,
      retryAfter: 9,
      status: 429,
    });
    expect(await pathsIn(openSharePoint())).toEqual([...PATHS].sort());
  });
});

describe('SharePoint site', () => {
  const others = [
    buildSite('/sites/hr', 'People'),
    buildSite('/sites/hr-archive', 'People'),
    buildSite('/teams/marketing', 'Marketing team'),
    buildSite('/sites/marketing-2019', 'Marketing, old'),
  ];

  it.each([
    { site_name: 'marketing & sales' },
    { site_name: '/sites/marketing/' },
    { site_name: 'https://contoso.sharepoint.com/sites/marketing' },
    { site_name: null, site_id: MARKETING.id },
    { site_id: MARKETING.id },
  ])('is found by name, path, URL or id: %j', async (more) => {
    await hold({ sites: [...others, MARKETING] });
    expect(await pathsIn(openSharePoint(more))).toHaveLength(PATHS.length);
  });

  it.each([
    ['site_id or site_name', { site_name: null }],
    ['site_name does not match a site', { site_name: 'Market' }],
    ['site_name matches several sites', { site_name: 'People' }],
    ['https://contoso.sharepoint.com/sites/hr-archive', { site_name: 'people' }],
    ['site_name matches several sites', { site_name: 'marketing' }],
    ['site_id and site_name name different sites', { site_id: buildSite('/sites/hr', '').id }],
    ['site_id', { site_name: null, site_id: 'contoso.sharepoint.com,1,2', drive_name: 'Archive' }],
    ['Documents, Archive', { drive_name: 'Archives' }],
  ])('is not guessed: %s', async (said, more) => {
    await hold({ sites: [...others, MARKETING] });
    await expect(checkSharePoint(more)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining(said),
    });
  });

  it('has document libraries that drive_name selects', async () => {
    expect(await pathsIn(openSharePoint({ drive_name: 'documents' }))).toHaveLength(PATHS.length);
    expect(await pathsIn(openSharePoint({ drive_name: 'Archive' }))).toEqual([]);
  });

  it.each([
    [{ include_path_patterns: ['^/Reports/'] }, ['Reports/2024 Q1/c.txt', 'Reports/b.PDF']],
    [{ include_path_patterns: ['^Reports/[^/]+$', 'gz$'] }, ['Reports/b.PDF', 'other/d.tar.gz']],
    [{ exclude_path_patterns: ['/Reports/', '(?i)\\.TXT$'] }, ['other/d.tar.gz']],
    [{ include_path_patterns: ['Reports'], exclude_path_patterns: ['Q1'] }, ['Reports/b.PDF']],
    [{ include_path_patterns: ['/b'], folder_path: 'Reports' }, ['Reports/b.PDF']],
    [{ include_path_patterns: [], exclude_path_patterns: [] }, [...PATHS].sort()],
  ])('lists files whose full path matches %j', async (more, expected) => {
    expect(await pathsIn(openSharePoint(more))).toEqual(expected);
  });

  it('matches long paths with large patterns', async () => {
    const long = `${'x'.repeat(30_000)}.txt`;
    await hold({ items: [buildItem(long)] });
    const include_path_patterns = [`(?:a|b|${'[a-y]{1,30}'.repeat(60)})`];
    expect(await pathsIn(openSharePoint({ include_path_patterns }))).toHaveLength(1);
  });
});

describe('application credentials rejected by Microsoft', () => {
  it.each([
    ['client_secret', { client_secret: 'another-secret' }],
    ['client_id', { client_id: 'another' }],
    ['tenant_id', { tenant_id: 'fabrikam.com' }],
  ])('report the wrong field %s', async (field, more) => {
    await expect(checkSharePoint(more)).rejects.toMatchObject({
      ...{ retryable: false, message: expect.stringMatching(new RegExp(`Check ${field}\\b`)) },
    });
  });

  it('report the reason, and all three fields for an unknown error', async () => {
    const body = JSON.stringify({ error: 'invalid_client', error_description: 'AADSTS53003: Blocked.' });
    await vendors.current.fail({ on: 'POST /{tenant}/oauth2/v2.0/token', kind: 'status', status: 400, body });
    const message = expect.stringMatching(/AADSTS53003: Blocked.*tenant_id, client_id and client_secret/);
    await expect(checkSharePoint({})).rejects.toMatchObject({ message });
  });
});
