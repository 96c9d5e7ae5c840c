import { describe, expect, it, vi } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { listEntries, type SourceEntry } from '#src/ports/source.ts';
import { googleDrive } from '#src/sources/google-drive/google-drive.ts';
import { checkWithDriver, openWithDriver } from '#src/sources/shared/open.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';
import { sourceSuite } from '#test/suites/source.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import { DRIVE_SETTINGS, DRIVE_TOKENS, googleDriveFixture, ROOT, withKey } from './fixtures/google-drive.ts';

sourceSuite(googleDriveFixture);

const TOKEN = 'ya29.token';
const APPS = 'application/vnd.google-apps.';
const AT = '2026-03-04T05:06:07.000Z';
const itemsAt = (...paths: string[]) =>
  paths.map((path) => ({ id: path, path, base64: btoa(path), size: path.length, modifiedAt: AT }));
/** Returns a file in the root unless `more` sets another parent. */
const file = (id: string, mimeType: string, more: object = {}) => ({
  ...{ id, name: id, mimeType, parents: [ROOT], modifiedTime: AT, text: id },
  ...more,
});

describe('Google Drive', () => {
  const vendors = useVendors(
    { vendor: 'google-drive', settings: { tokens: [TOKEN], pageSize: 1000, more: [] } },
    { ...DRIVE_TOKENS, settings: { ...DRIVE_TOKENS.settings, token: TOKEN } },
  );
  const deps = () => ({
    tokens: createMemoryTokens(),
    log: createLogger(),
    limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
  });
  const holds = (held: object) => vendors.current.hold({ 'google-drive': { ...held } });
  const open = (more: object = {}) =>
    openWithDriver(googleDrive, { ...DRIVE_SETTINGS, ...more }, deps()).source;
  const check = (more: object = {}) => checkWithDriver(googleDrive, { ...DRIVE_SETTINGS, ...more }, deps());
  const all = async (more: object = {}) => {
    const entries: SourceEntry[] = [];
    for await (const entry of listEntries(open(more))) entries.push(entry);
    return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  };
  const paths = async (more: object = {}) => (await all(more)).map(({ path }) => path);
  const readEntryText = async (id: string) => {
    const content = await open().read(id);
    if (!content) return undefined;
    const decoder = new TextDecoder();
    let text = '';
    for await (const piece of content.body) text += decoder.decode(piece, { stream: true });
    return text;
  };
  const listings = async () =>
    (await vendors.current.state()).seen.filter(({ operation }) => operation === 'GET /files');

  describe('listing', () => {
    const wide = Array.from({ length: 120 }, (_, n) => `a/${n}/in/b.txt`);

    it('needs one request for fifty folders', async () => {
      await holds({ items: itemsAt(...wide) });
      expect(await paths()).toEqual(wide.toSorted());
      // Requests for the root, "a", 120 folders, and 120 folders within them.
      expect(await listings()).toHaveLength(1 + 1 + 3 + 3);
    });

    it('repeats requests for folders that the vendor omits from a group', async () => {
      await holds({ items: itemsAt('a/1.txt', 'b/2.txt', 'c/3.txt') });
      expect(await paths()).toHaveLength(3);
      const [, group] = await listings();
      const ids = [...group!.url.matchAll(/folder-\d+/g)].map(([id]) => id);
      expect(ids).toHaveLength(3);
      await holds({ forgets: ids.slice(0, 2) });
      expect(await paths()).toEqual(['a/1.txt', 'b/2.txt', 'c/3.txt']);
      expect(await listings()).toHaveLength(2 + 2 + 2);
    });

    it('requests folders one by one if one of a group is missing', async () => {
      await holds({ items: itemsAt('a/1.txt', 'b/2.txt') });
      const on = 'GET /files';
      await vendors.current.fail({ kind: 'slow', milliseconds: 1, on }, { kind: 'status', status: 404, on });
      expect(await paths()).toEqual(['a/1.txt', 'b/2.txt']);
      expect(await listings()).toHaveLength(1 + 1 + 2);
    });

    it('omits trashed files', async () => {
      await holds({ more: [file('a', 'text/plain'), file('b', 'text/plain', { trashed: true })] });
      expect(await paths()).toEqual(['a']);
      expect(await open().read('b')).toBeUndefined();
    });

    it('ends for folders that contain each other', async () => {
      const inEachOther = [
        file('x', `${APPS}folder`, { parents: [ROOT, 'y'] }),
        file('y', `${APPS}folder`, { parents: ['x'] }),
        file('z', 'text/plain', { parents: ['y'] }),
      ];
      await holds({ more: inEachOther });
      expect(await paths()).toEqual(['x/y/z']);
    });

    it('covers a shared drive if the folder is in one', async () => {
      await holds({ driveId: 'drive-1', items: itemsAt('a/1.txt', '2.txt') });
      const [entry] = await all();
      expect(await paths()).toEqual(['2.txt', 'a/1.txt']);
      expect(entry!.metadata).toMatchObject({ drive_id: 'drive-1' });
      expect(await readEntryText(entry!.id)).toBe('2.txt');
    });

    it('skips an invalid item, and fails if all are invalid', async () => {
      const body = (files: unknown[]) => JSON.stringify({ files });
      const [good] = [file('good', 'text/plain')];
      const answer = (files: unknown[]) =>
        vendors.current.fail({ kind: 'body', on: 'GET /files', body: body(files) });
      const odd = [
        null,
        7,
        {},
        { id: '../x', mimeType: 'a' },
        { id: 'a', mimeType: 'b', size: {}, owners: 3 },
      ];
      await answer([...odd, good]);
      expect(await paths()).toEqual(['a', 'good']);
      await answer([null, { id: "a' or 'b", mimeType: 'text/plain' }]);
      await expect(all()).rejects.toMatchObject({ name: 'SourceError' });
    });

    it('is retryable if the vendor did not search everything', async () => {
      await holds({ incomplete: true });
      await expect(all()).rejects.toMatchObject({ retryable: true });
    });

    it.each(['userRateLimitExceeded', 'rateLimitExceeded'])('is retried later after %s', async (reason) => {
      const error = { code: 403, message: 'Rate Limit Exceeded', errors: [{ reason }] };
      const fault = { kind: 'status', status: 403, body: JSON.stringify({ error }) } as const;
      await vendors.current.fail({ ...fault, on: 'GET /files' });
      await expect(all()).rejects.toMatchObject({ retryable: true, retryAfter: 30, status: 403 });
      await vendors.current.fail({ ...fault, on: 'GET /files', headers: { 'retry-after': '5' } });
      await expect(all()).rejects.toMatchObject({ retryable: true, retryAfter: 5 });
    });

    it('returns the metadata of a file', async () => {
      const facts = {
        ...{ name: 'Plan.pdf', size: '12', md5Checksum: 'd41d8', createdTime: '2026-01-02T03:04:05.000Z' },
        owners: [{ emailAddress: 'ann@example.com' }],
        lastModifyingUser: { displayName: 'Bob' },
        webViewLink: 'https://drive.google.com/file/d/p/view',
      };
      await holds({ more: [file('p', 'application/pdf', facts)] });
      expect(await all()).toEqual([
        {
          ...{ id: 'p', name: 'Plan.pdf', path: 'Plan.pdf', size: 12, version: 'd41d8' },
          ...{
            modifiedAt: new Date(AT),
            webUrl: 'https://drive.google.com/file/d/p/view',
            permissions: null,
          },
          metadata: {
            ...{ mime_type: 'application/pdf', owned_by: 'ann@example.com', last_modified_by: 'Bob' },
            created_at: '2026-01-02T03:04:05.000Z',
          },
        },
      ]);
    });
  });

  describe('Google editor documents', () => {
    const office = 'application/vnd.openxmlformats-officedocument';
    it.each([
      ['document', '.docx', `${office}.wordprocessingml.document`],
      ['spreadsheet', '.xlsx', `${office}.spreadsheetml.sheet`],
      ['presentation', '.pptx', `${office}.presentationml.presentation`],
      ['drawing', '.pdf', 'application/pdf'],
    ])('are exported in an Office format: %s', async (kind, extension, type) => {
      await holds({ more: [file('d', APPS + kind, { size: '5', name: 'Über uns' })] });
      const [entry] = await all();
      const name = `Über uns${extension}`;
      expect(entry).toMatchObject({ id: 'd', name, path: name, size: null, version: `d@${AT}` });
      const content = await open().read('d');
      expect(content).toMatchObject({ contentType: type, version: entry!.version });
      expect(await readEntryText('d')).toBe(`${APPS}${kind} as ${type}: d`);
    });

    it('keep an existing extension and change version with each edit', async () => {
      const of = async (more: object) => {
        await holds({ more: [file('d', `${APPS}document`, more)] });
        return (await all())[0]!;
      };
      expect((await of({ name: 'Letter.DOCX' })).name).toBe('Letter.DOCX');
      const changed = await of({ name: 'Other', modifiedTime: '2026-03-04T05:06:08.000Z' });
      expect(changed.version).toBe('d@2026-03-04T05:06:08.000Z');
    });

    it('that cannot be exported are omitted', async () => {
      const kinds = ['form', 'map', 'site', 'script', 'drive-sdk.7'];
      await holds({ more: kinds.map((kind) => file(kind, APPS + kind)) });
      expect(await all()).toEqual([]);
      expect(await open().read('form')).toBeUndefined();
    });
  });

  it.each([
    ['exportSizeLimitExceeded', '10 MB'],
    ['cannotExportFile', 'does not allow downloads'],
    ['cannotDownloadFile', 'does not allow downloads'],
    ['cannotDownloadAbusiveFile', 'malware'],
    ['insufficientFilePermissions', 'own sentence'],
  ])('explains why one file cannot be read and still reads the others: %s', async (reason, words) => {
    await holds({
      more: [file('bad', `${APPS}document`), file('good', 'text/plain')],
      refuses: { bad: reason },
    });
    await expect(open().read('bad')).rejects.toMatchObject({
      ...{ name: 'SourceError', retryable: false, status: 403 },
      message: expect.stringMatching(new RegExp(`document bad.*${words}`)),
    });
    expect(await readEntryText('good')).toBe('good');
  });

  describe('shortcut', () => {
    const to = (targetId: string, targetMimeType = 'text/plain', more: object = {}) =>
      file(`to-${targetId}`, `${APPS}shortcut`, { shortcutDetails: { targetId, targetMimeType }, ...more });
    const elsewhere = { parents: ['elsewhere'] };

    it('is listed as its target at its own path', async () => {
      const target = file('t', 'text/plain', { ...elsewhere, md5Checksum: 'd41d8', size: '1' });
      const doc = file('doc', `${APPS}document`, elsewhere);
      await holds({ more: [target, doc, to('t', 'text/plain', { name: 'Link.txt' }), to('doc')] });
      expect(await all()).toMatchObject([
        { id: 'to-t', name: 'Link.txt', path: 'Link.txt', size: 1, version: 'd41d8' },
        { id: 'to-doc', name: 'to-doc.docx', version: `doc@${AT}` },
      ]);
      expect(await readEntryText('to-t')).toBe('t');
      expect(await readEntryText('to-doc')).toContain('wordprocessingml.document: doc');
    });

    it('is skipped if it leads nowhere, to a folder or to itself', async () => {
      const folder = file('f', `${APPS}folder`, elsewhere);
      const secret = file('hidden', 'text/plain', { ...elsewhere, trashed: true });
      await holds({
        more: [
          ...[folder, secret, to('f', `${APPS}folder`), to('f2', `${APPS}folder`), to('gone'), to('to-x')],
          ...[to('x'), to('hidden'), file('odd', `${APPS}shortcut`, { shortcutDetails: {} })],
          file('x', `${APPS}shortcut`, { ...elsewhere, shortcutDetails: { targetId: 'x' } }),
        ],
      });
      expect(await all()).toEqual([]);
      for (const id of ['to-f', 'to-gone', 'to-x', 'to-hidden', 'odd']) {
        expect(await open().read(id)).toBeUndefined();
      }
    });
  });

  describe('permissions', () => {
    const permissions = [
      { type: 'user', role: 'writer', emailAddress: 'ann@example.com' },
      { type: 'user', role: 'reader', emailAddress: 'left@example.com', deleted: true },
      { type: 'domain', role: 'reader', domain: 'example.com' },
      { type: 'anyone', role: 'reader' },
    ];

    it('are read if supports_access_control is set', async () => {
      await holds({ more: [file('a', 'text/plain', { permissions })] });
      expect((await all())[0]!.permissions).toEqual({
        permissions: [
          { type: 'user', role: 'writer', email: 'ann@example.com' },
          { type: 'domain', role: 'reader', domain: 'example.com' },
          { type: 'anyone', role: 'reader' },
        ],
      });
      expect((await all({ supports_access_control: false }))[0]!.permissions).toBeNull();
      expect(decodeURIComponent((await listings()).at(-1)!.url)).not.toContain('permissions');
    });

    it('are null if the vendor does not return them, as in shared drives', async () => {
      await holds({ driveId: 'drive-1', more: [file('a', 'text/plain')] });
      expect((await all())[0]!.permissions).toBeNull();
    });
  });

  describe('folder_id', () => {
    it.each([
      'https://drive.google.com/drive/folders/inner?usp=sharing',
      'https://drive.google.com/drive/u/1/folders/inner',
      'https://drive.google.com/open?id=inner',
      ' inner\n',
    ])('accepts a browser URL: %j', async (folder_id) => {
      const more = [file('inner', `${APPS}folder`), file('a', 'text/plain', { parents: ['inner'] })];
      await holds({ more });
      expect(await paths({ folder_id })).toEqual(['a']);
    });

    it.each([
      ['https://evil.example/drive/folders/inner', 'must be the id'],
      ['..', 'must be the id'],
      ['', 'must be the id'],
      ['binned', 'in the trash'],
      ['text', 'must be the id'],
      ['nobody-knows-it', 'not shared'],
    ])('is rejected if it is not a folder: %j', async (folder_id, words) => {
      const more = [file('binned', `${APPS}folder`, { trashed: true }), file('text', 'text/plain')];
      await holds({ more });
      const wanted = {
        name: 'SourceError',
        retryable: false,
        message: expect.stringMatching(`folder_id.*${words}`),
      };
      await expect(check({ folder_id })).rejects.toMatchObject(wanted);
      await expect(open({ folder_id }).list(null)).rejects.toMatchObject(wanted);
    });
  });

  describe('service account key', () => {
    it('and assertion are not revealed if the endpoint repeats them', async () => {
      let sent = '';
      vi.stubGlobal('fetch', async (input: string, init: RequestInit) => {
        sent = await new Request(input, init).text();
        return Response.json({ error_description: `refused ${sent}` }, { status: 400 });
      });
      const error = await check().catch((thrown: Error) => thrown);
      const assertion = new URLSearchParams(sent).get('assertion')!;
      expect(assertion.length).toBeGreaterThan(300);
      const [head, claims] = assertion.split('.');
      expect((error as Error).message).toMatch(/service_account_key.*refused/);
      for (const part of [assertion, head!, claims!]) expect((error as Error).message).not.toContain(part);
    });

    it('cannot point to a private address', async () => {
      const settings = { ...DRIVE_SETTINGS, ...withKey({ token_uri: 'https://127.0.0.1/token' }) };
      const limits = { ALLOW_PRIVATE_ADDRESSES: false, SILENCE_SECONDS: 5 };
      await expect(checkWithDriver(googleDrive, settings, { ...deps(), limits })).rejects.toMatchObject({
        ...{ name: 'SourceError', retryable: false },
        message: expect.stringContaining('service_account_key.token_uri'),
      });
      expect((await vendors.current.state()).seen).toEqual([]);
    });

    it('works without token_uri', async () => {
      const { token_uri, ...rest } = DRIVE_SETTINGS.service_account_key;
      await check({ service_account_key: rest });
      const { seen } = await vendors.current.state();
      expect(seen[0]!.url).toBe(token_uri);
    });
  });
});
