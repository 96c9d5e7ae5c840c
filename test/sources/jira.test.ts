import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { collectWarnings } from '#src/lib/schema/effect.ts';
import { listEntries, type Source } from '#src/ports/source.ts';
import { jira } from '#src/sources/jira/jira.ts';
import { jiraV2 } from '#src/sources/jira/jira-v2.ts';
import { checkWithDriver, openWithDriver } from '#src/sources/shared/open.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';
import { useVendors } from '#test/vendors/client.ts';
import { JIRA_HELD, JIRA_SETTINGS } from './fixtures/jira.ts';

const ANN = { accountId: 'a1', displayName: 'Ann Lee' };
const BEN = { accountId: 'b1', displayName: 'Ben' };
const paragraph = (text: string) => ({ type: 'paragraph', content: [{ type: 'text', text }] });
const doc = (...content: object[]) => ({ type: 'doc', version: 1, content });
const HEADING = { type: 'heading', attrs: { level: 1 }, content: [{ type: 'text', text: 'Steps' }] };

const BUG = {
  ...{ id: '10001', key: 'ABC-1' },
  fields: {
    ...{ summary: 'It breaks', project: { id: '7', key: 'ABC', name: 'Alphabet' } },
    ...{ updated: '2026-03-04T05:06:07.000+0000', created: '2026-03-01T00:00:00.000+0000' },
    ...{ issuetype: { name: 'Bug' }, status: { name: 'Open' }, priority: { name: 'High' } },
    ...{ assignee: ANN, reporter: BEN, labels: ['red', 'blue'], security: { id: '3', name: 'Staff' } },
    description: doc(HEADING, paragraph('Press it.')),
    customfield_10010: 5,
    customfield_10011: { value: 'Europe', child: { value: 'Rome' } },
    customfield_10012: doc(paragraph('Long words')),
    customfield_10013: '0|i0001:',
    customfield_10014: null,
    issuelinks: [
      { id: '1', type: { inward: 'is blocked by', outward: 'blocks' }, outwardIssue: { key: 'ABC-9' } },
    ],
    attachment: [
      {
        ...{ id: '55', filename: 'a/b log.txt', size: 9, created: '2026-03-02T00:00:00.000+0000' },
        ...{ mimeType: 'text/plain', author: ANN },
      },
      { id: '../evil', filename: 'x' },
    ],
  },
  comments: [
    { id: '1', body: doc(HEADING), author: BEN, created: '2026-03-03T10:00:00.000+0000' },
    {
      ...{ id: '2', body: doc(paragraph('for us')), author: ANN, created: '2026-03-03T11:00:00.000+0000' },
      visibility: { type: 'role', value: 'Developers' },
    },
    { id: '3', body: null, created: 'never' },
  ],
  changelog: {
    histories: [
      {
        ...{ id: '1', author: ANN, created: '2026-03-04T05:06:07.000+0000' },
        items: [{ field: 'status', fromString: 'New', toString: 'Open' }],
      },
    ],
  },
};
const OTHERS = Array.from({ length: 5 }, (_, index) => ({
  ...{ id: `${10_002 + index}`, key: `ABC-${2 + index}` },
  fields: { summary: `Other ${index}`, updated: '2026-03-04T05:06:07.000+0000' },
}));
const NAMES = {
  ...{ customfield_10010: 'Story points', customfield_10011: 'Place', customfield_10012: 'Background' },
  customfield_10013: 'Rank',
};
const SCHEMA = {
  customfield_10013: { type: 'any', custom: 'com.pyxis.greenhopper.jira:gh-lexo-rank' },
  customfield_10020: { type: 'string', custom: 'com.atlassian.jira.plugin.system.customfieldtypes:textarea' },
};
const HELD = { ...JIRA_HELD, issues: [BUG], names: NAMES, schema: SCHEMA, files: { 55: 'the bytes' } };

const deps = {
  tokens: createMemoryTokens(),
  log: createLogger(),
  limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
};
const openV1 = (more: object = {}) => openWithDriver(jira, { ...JIRA_SETTINGS, ...more }, deps).source;
const V2 = { ...JIRA_SETTINGS, api_version: '3', get_permissions: true };
const openV2 = (more: object = {}) => openWithDriver(jiraV2, { ...V2, ...more }, deps).source;
const all = (source: Source) => Array.fromAsync(listEntries(source));
const readEntryText = async (source: Source, id: string) => {
  const pieces = await Array.fromAsync((await source.read(id))!.body);
  return new TextDecoder().decode(pieces[0]);
};

describe('Jira issues', () => {
  const vendors = useVendors(
    { vendor: 'jira', base: JIRA_SETTINGS.server_url, settings: HELD },
    { vendor: 'jira', base: 'https://api.atlassian.com/ex/jira/cloud-1', settings: HELD },
    { vendor: 'jira-media' },
  );
  const hold = (held: object) => vendors.current.hold({ jira: { ...HELD, ...held } });
  const changed = (fields: object) => hold({ issues: [{ ...BUG, fields: { ...BUG.fields, ...fields } }] });

  it('are listed with metadata and attachments', async () => {
    const permissions = { project: 'ABC', project_id: '7', security_level: 'Staff', security_level_id: '3' };
    expect(await all(openV2())).toMatchObject([
      {
        ...{ id: '10001', name: 'ABC-1 It breaks.md', path: 'ABC/ABC-1 It breaks.md', permissions },
        webUrl: 'https://suite.atlassian.net/browse/ABC-1',
        metadata: {
          ...{ key: 'ABC-1', project: 'ABC', project_name: 'Alphabet', issue_type: 'Bug', status: 'Open' },
          ...{ priority: 'High', assignee: 'Ann Lee', reporter: 'Ben', labels: ['red', 'blue'] },
        },
      },
      {
        ...{ id: 'attachment/55', name: 'a-b log.txt', path: 'ABC/ABC-1/a-b log.txt', size: 9, permissions },
        webUrl: 'https://suite.atlassian.net/secure/attachment/55/a-b%20log.txt',
        metadata: { attached_to: 'ABC-1', mimetype: 'text/plain', author: 'Ann Lee' },
      },
    ]);
  });

  it('are read as Markdown with named fields, links and comments', async () => {
    expect(await readEntryText(openV1(), '10001')).toBe(
      [
        '# ABC-1 It breaks\n',
        '- **Project:** Alphabet',
        '- **Type:** Bug',
        '- **Status:** Open',
        '- **Priority:** High',
        '- **Assignee:** Ann Lee',
        '- **Reporter:** Ben',
        '- **Labels:** red, blue',
        '- **Story points:** 5',
        '- **Place:** Europe / Rome\n',
        '## Description\n',
        '### Steps\n',
        'Press it.\n',
        '## Background\n',
        'Long words\n',
        '## Links\n',
        '- blocks ABC-9\n',
        '## Comments\n',
        '### Ben, 2026-03-03 10:00\n',
        '#### Steps\n',
        '### Ann Lee, 2026-03-03 11:00 (only for Developers)\n',
        'for us\n',
        '### Somebody\n',
      ].join('\n'),
    );
  });

  it('include all comments, even if Jira returns only the first', async () => {
    const comments = Array.from({ length: 7 }, (_, index) => ({ body: doc(paragraph(`comment ${index}.`)) }));
    await hold({ issues: [{ ...BUG, comments }], commentsWithIssue: 2, pageSize: 3 });
    const text = await readEntryText(openV2(), '10001');
    for (let index = 0; index < 7; index++) expect(text.split(`comment ${index}.`)).toHaveLength(2);
  });

  it('return attachments from another host without sending credentials to it', async () => {
    const source = openV2();
    expect(await readEntryText(source, 'attachment/55')).toBe('the bytes');
    expect(await source.read('attachment/56')).toBeUndefined();
    const { seen } = await vendors.current.state();
    const away = seen.find(({ url }) => url.startsWith('https://api.media.atlassian.com/'));
    expect(away).toMatchObject({ status: 200 });
    expect(away!.headers.authorization).toBeUndefined();
  });

  it('in API version 2 convert wiki markup, including multi-line fields', async () => {
    await changed({ description: 'h2. See\n* [a|https://a.test]', customfield_10020: '*bold*' });
    const text = await readEntryText(openV2({ api_version: '2' }), '10001');
    expect(text).toContain('## Description\n\n#### See\n- [a](https://a.test)\n');
    expect(text).toContain('## customfield_10020\n\n**bold**\n');
  });

  it('show and request only the selected fields', async () => {
    const source = openV2({ fields: ['status', 'customfield_10010'], get_permissions: false });
    const [issue, ...files] = await all(source);
    expect(files).toEqual([]);
    expect(issue).toMatchObject({ permissions: null, metadata: { status: 'Open' } });
    expect(issue!.metadata).not.toHaveProperty('assignee');
    expect(await readEntryText(source, '10001')).toBe(
      '# ABC-1 It breaks\n\n- **Project:** Alphabet\n- **Status:** Open\n- **Story points:** 5\n',
    );
    const without = await readEntryText(openV2({ fields: ['-comment'] }), '10001');
    expect(without).toContain('Press it.');
    expect(without).not.toContain('for us');
  });

  it('show the history if expand includes the changelog', async () => {
    const line = '## History\n\n- 2026-03-04 05:06, Ann Lee: status: New → Open\n';
    expect(await readEntryText(openV2({ expand: 'names, changelog' }), '10001')).toContain(line);
    expect(await readEntryText(openV2(), '10001')).not.toContain('History');
  });

  it('have permissions only if requested', async () => {
    expect((await all(openV1()))[0]!.permissions).toBeNull();
    const [issue] = await all(openV1({ supports_access_control: true }));
    expect(issue!.permissions).toMatchObject({ security_level: 'Staff' });
  });

  it.each<[string, object, boolean]>([
    ['a field', { updated: '2026-03-05T00:00:00.000+0000' }, true],
    ['the name of its status', { status: { name: 'Started' } }, true],
    ['the name of who works on it', { assignee: { ...ANN, displayName: 'Ann Ray' } }, true],
    ['the picture of who works on it', { assignee: { ...ANN, avatarUrls: {} } }, false],
    ['the name of its security level', { security: { id: '3', name: 'Crew' } }, false],
  ])('change their version with %s', async (_, fields, differs) => {
    const [before] = await all(openV2());
    await changed(fields);
    const [after] = await all(openV2());
    expect(after!.version !== before!.version).toBe(differs);
  });

  it('change their version with the selected content', async () => {
    const versions = await Promise.all(
      [{}, { fields: ['status'] }, { expand: 'changelog' }, { api_version: '2' }].map(
        async (more) => (await all(openV2(more)))[0]!.version,
      ),
    );
    expect(new Set(versions).size).toBe(4);
  });

  it.each<[string, object]>([
    ['OAuth2', { authentication_mechanism: 'oauth2', cloud_id: 'cloud-1', server_url: null, email: null }],
    ['OAuth', { authentication_mechanism: 'oauth', cloud_id: 'cloud-1', server_url: null, email: null }],
    ['API tokens with scopes', { cloud_id: 'cloud-1' }],
  ])('are requested from the gateway with %s', async (_, more) => {
    const [issue] = await all(openV1(more));
    expect(issue!.webUrl).toBe('https://suite.atlassian.net/browse/ABC-1');
    expect(await readEntryText(openV1(more), '10001')).toContain('Press it.');
    const { seen } = await vendors.current.state();
    expect(new Set(seen.map(({ url }) => new URL(url).host))).toEqual(new Set(['api.atlassian.com']));
  });

  it('fail for an expired token instead of returning an empty list', async () => {
    await hold({ strangers: true, issues: [] });
    const refused = { retryable: false, message: expect.stringContaining('email and api_token') };
    await expect(openV1().list(null)).rejects.toMatchObject(refused);
  });

  it('report the error of Jira for an invalid query', async () => {
    await expect(openV1({ query: 'project = nonsense' }).list(null)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/query.*'nonsense' does not exist/),
    });
  });

  it.each<[string, { status: number; headers?: Record<string, string>; body?: string }]>([
    ['a page to log in', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
    ['a page of another kind', { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>' }],
    ['a way to log in', { status: 302, headers: { location: 'https://id.atlassian.com/login' } }],
  ])('name server_url if %s answers', async (_, answer) => {
    await vendors.current.fail({ kind: 'status', ...answer });
    await expect(checkWithDriver(jira, JIRA_SETTINGS, deps)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('server_url'),
    });
  });

  it('are skipped if invalid, and the listing fails if all are invalid', async () => {
    await hold({ issues: [{ ...BUG, fields: 7 }, ...OTHERS], pageSize: 100 });
    const broken = { kind: 'body', on: 'POST /rest/api/3/search/jql' } as const;
    const issues = [
      { id: 5 },
      null,
      { id: '10002', key: 'ABC-2', fields: { summary: { a: 1 }, updated: 4 } },
    ];
    await vendors.current.fail({ ...broken, body: JSON.stringify({ issues }) });
    expect((await openV1().list(null)).entries).toMatchObject([{ name: 'ABC-2.md', modifiedAt: null }]);
    await vendors.current.fail({ ...broken, body: JSON.stringify({ issues: [{ id: 5 }] }) });
    await expect(openV1().list(null)).rejects.toMatchObject({ retryable: false });
  });

  it('are requested no faster than requests_per_minute', async () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
    onTestFinished(() => {
      setTimer.mockRestore();
      now.mockRestore();
    });
    const source = openV2({ requests_per_minute: 300 });
    await all(source);
    await readEntryText(source, '10001');
    await readEntryText(source, '10001');
    const { seen } = await vendors.current.state();
    expect(seen).toHaveLength(4);
    // The clock stands still, so each request waits for all requests before it, 200 ms each.
    const waits = setTimer.mock.calls.map(([, milliseconds]) => milliseconds);
    expect(waits.filter((wait) => [200, 400, 600].includes(wait!))).toEqual([200, 400, 600]);
  });

  it.each([
    [{ email: null }, 'email'],
    [{ api_token: null }, 'api_token'],
    [{ server_url: null }, 'server_url'],
    [{ server_url: 'ftp://a' }, 'server_url'],
    [{ server_url: 'https://ann:secret@suite.atlassian.net' }, 'server_url'],
    [{ authentication_mechanism: 'OAuth2' }, 'cloud_id'],
    [{ authentication_mechanism: 'PAT', api_token: '' }, 'api_token'],
    [{ query: ' ' }, 'query'],
  ])('require the settings of their mechanism: %j', async (more, named) => {
    const wanted = { retryable: false, message: expect.stringContaining(named) };
    await expect(checkWithDriver(jira, { ...JIRA_SETTINGS, ...more }, deps)).rejects.toMatchObject(wanted);
    await expect(openV1(more).list(null)).rejects.toMatchObject(wanted);
  });
});

describe('Jira Data Center issues', () => {
  const server_url = 'https://issues.test/jira/';
  const pat = { authentication_mechanism: 'PAT', email: null, server_url };
  const held = { ...HELD, deployment: 'Server', issues: [BUG, ...OTHERS], pageSize: 2 };
  const vendors = useVendors({ vendor: 'jira', base: 'https://issues.test/jira', settings: held });
  const ids = (entries: { id: string }[]) => entries.map(({ id }) => id).filter((id) => !id.includes('/'));
  const everyId = ids(held.issues);

  it('fail if the server reports more issues than it lists', async () => {
    const body = JSON.stringify({ issues: [], total: 3, startAt: 0, maxResults: 2 });
    await vendors.current.fail({ kind: 'body', on: 'POST /rest/api/2/search', body });
    await expect(all(openV1(pat))).rejects.toThrow('Jira reported 3 matching issues');
  });

  it('are read with a personal access token from API version 2', async () => {
    const source = openV1(pat);
    const entries = await all(source);
    expect(ids(entries)).toEqual(everyId);
    expect(entries[0]!.webUrl).toBe('https://issues.test/jira/browse/ABC-1');
    expect(await readEntryText(source, '10001')).toContain('# ABC-1 It breaks');
    expect(await readEntryText(source, 'attachment/55')).toBe('the bytes');
    const { seen } = await vendors.current.state();
    expect(seen.every(({ url }) => !url.includes('/rest/api/3/'))).toBe(true);
    expect(seen.every(({ status }) => status === 200)).toBe(true);
  });

  it.each([
    ['one before it', ['10001']],
    ['all before it', ['10001', '10002']],
    ['the last before it', ['10002']],
  ])('are all listed although %s vanishes during the listing', async (_, gone) => {
    const source = openV1(pat);
    const first = await source.list(null);
    await vendors.current.hold({ jira: { issues: held.issues.filter(({ id }) => !gone.includes(id)) } });
    const found = ids(first.entries);
    for (let { cursor } = first; cursor !== null; ) {
      const page = await source.list(cursor);
      found.push(...ids(page.entries));
      cursor = page.cursor;
    }
    expect([...new Set(found)].sort()).toEqual(everyId);
  });

  it('are all listed although most listed issues vanish meanwhile', async () => {
    const issues = Array.from({ length: 260 }, (_, index) => ({
      ...{ id: `${20_000 + index}`, key: `ABC-${index}` },
      fields: { summary: `Issue ${index}`, updated: '2026-03-04T05:06:07.000+0000' },
    }));
    await vendors.current.hold({ jira: { issues, pageSize: 250 } });
    const source = openV1(pat);
    const { cursor } = await source.list(null);
    await vendors.current.hold({ jira: { issues: issues.slice(200).filter(({ id }) => id !== '20249') } });
    const { entries } = await source.list(cursor);
    expect(ids(entries)).toEqual(expect.arrayContaining(ids(issues.slice(250))));
  });

  it('cannot be read with API version 3', async () => {
    const check = checkWithDriver(jiraV2, { ...V2, ...pat }, deps);
    await expect(check).rejects.toMatchObject({ message: expect.stringContaining('api_version') });
    await checkWithDriver(jiraV2, { ...V2, ...pat, api_version: '2' }, deps);
  });
});

it.each<[object, string[]]>([
  [{ authentication_mechanism: 'basic', email: 'a' }, []],
  [{ authentication_mechanism: 'PAT', email: 'a' }, ['email']],
  [{ expand: 'names,changelog' }, []],
  [{ expand: 'changelog,renderedFields' }, ['expand']],
  [{ supports_access_control: true }, []],
  [{ supports_access_control: true, get_permissions: false }, ['supports_access_control']],
])('warns about settings without effect: %j', (component, fields) => {
  expect(collectWarnings(jiraV2.settings, component).map(({ field }) => field)).toEqual(fields);
});
