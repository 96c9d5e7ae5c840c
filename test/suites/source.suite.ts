import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '#src/lib/log.ts';
import { listEntries, type Source, type SourceEntry, SourceError } from '#src/ports/source.ts';
import type { SourceDriver } from '#src/sources/shared/define.ts';
import { checkWithDriver, openWithDriver } from '#src/sources/shared/open.ts';
import { createMemoryTokens, type Tokens } from '#src/upstream/tokens.ts';
import type { Mount } from '#test/vendors/protocol.ts';
import { sourceLies } from './source-lies.ts';
import { type Fault, Vendor } from './source-vendor.ts';

export interface SourceFixture {
  definition: SourceDriver;
  /** Settings with plain secrets that can read all items of the vendor. */
  settings: Record<string, unknown>;
  /** Secrets that must not appear in errors or logs. */
  secrets: string[];
  /** Invalid settings by the field that `check` has to name. */
  wrong: Record<string, Record<string, unknown>>;
  classifyRequest: Parameters<Vendor['connect']>[0];
  /** Implements the vendor and rejects wrong credentials. */
  answer: Parameters<Vendor['connect']>[1];
  /** Whether renamed and moved items get another id. */
  idsArePaths: boolean;
  /** Whether the client has to fetch an access token. */
  givesTokens: boolean;
  /** Converts the path of an item to its path in the listing. Defaults to the same path. */
  toShownPath?: (path: string) => string;
  /** Returns the expected content of an item, for sources that write Markdown. */
  expectedText?: (text: string, path: string) => string;
  /** Whether listings include sizes. Defaults to true. */
  tellsSizes?: boolean;
  /** Vendors of test/vendors that answer requests, if used. */
  vendors?: { holder: string; mounts: Mount[] };
  /** Ends the vendor of a test and returns its mistakes, which fail the test. */
  end?: (vendor: Vendor) => Promise<string[]>;
}

const HOSTILE = [
  'plain.txt',
  'über/naïve – 文書 🗎.txt',
  `it's "quoted" & <tagged>.txt`,
  'a+b%20c %2F?#x=1&y.txt',
  'line\nbreak\ttab.txt',
  'back\\slash.txt',
  `${'long '.repeat(199)}.txt`,
  '__proto__',
];

/** Paths that would lead to other items if used as URLs. */
const MISLEADING = ['a/../other.txt', './other.txt', '..', '%2e%2e/other.txt', 'a/..%2Fother.txt'];

const text = async (body: AsyncIterable<Uint8Array>) => {
  const decoder = new TextDecoder();
  let all = '';
  for await (const piece of body) all += decoder.decode(piece, { stream: true });
  return all + decoder.decode();
};

/** Tests that every source must pass with any vendor. */
export function sourceSuite(fixture: SourceFixture): void {
  const { definition, settings, secrets, idsArePaths, tellsSizes = true } = fixture;
  const { toShownPath = (path: string) => path, expectedText = (text: string) => text } = fixture;
  const { capabilities } = definition;
  let vendor: Vendor;
  let logged: string[];
  let tokens: Tokens;

  beforeEach(() => {
    vendor = new Vendor();
    logged = [];
    SILENCE_SECONDS = 60;
    tokens = createMemoryTokens();
    vendor.connect(fixture.classifyRequest, fixture.answer);
  });
  afterEach(async () => {
    vi.unstubAllGlobals();
    expect((await fixture.end?.(vendor)) ?? []).toEqual([]);
  });

  const note = (event: string, facts?: unknown) => void logged.push(`${event} ${JSON.stringify(facts)}`);
  const log: Logger = { info: note, warn: note, error: note };
  /** Timeout in seconds. It is long while the vendor answers, because machines can stall. */
  let SILENCE_SECONDS: number;
  const deps = () => ({ tokens, log, limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS } });
  const open = (): Source => openWithDriver(definition, settings, deps()).source;
  const check = (more: Record<string, unknown> = {}) =>
    checkWithDriver(definition, { ...settings, ...more }, deps());
  const all = async (source = open()): Promise<SourceEntry[]> => {
    const entries: SourceEntry[] = [];
    for await (const entry of listEntries(source)) entries.push(entry);
    return entries;
  };
  const byPath = (entries: SourceEntry[]) => new Map(entries.map((entry) => [entry.path, entry]));
  const catchFailure = async (work: Promise<unknown>): Promise<SourceError> => {
    const error = await work.then(
      () => undefined,
      (failure: unknown) => failure,
    );
    expect(error).toBeInstanceOf(SourceError);
    return error as SourceError;
  };
  const readText = async (id: string) => {
    const content = await open().read(id);
    return content && text(content.body);
  };
  const listShownPaths = (count: number) =>
    Array.from({ length: count }, (_, index) => toShownPath(`folder/${index}.txt`)).sort();
  const fill = (count: number) => {
    for (let index = 0; index < count; index++) vendor.put(`folder/${index}.txt`, `text ${index}`);
  };

  describe(`${definition.kind} source listing`, () => {
    it('returns every entry once in pages with its metadata', async () => {
      fill(5);
      const entries = await all();
      expect(entries.map(({ path }) => path).sort()).toEqual(listShownPaths(5));
      expect(new Set(entries.map(({ id }) => id)).size).toBe(5);
      for (const { name, path, version, modifiedAt, size } of entries) {
        expect(name).toBe(path.slice(path.lastIndexOf('/') + 1));
        expect(name).toMatch(/\d.*\.\w+$/);
        expect(version).not.toBe('');
        expect(modifiedAt).toEqual(new Date('2026-03-04T05:06:07.000Z'));
        expect(size).toBe(tellsSizes ? 6 : null);
      }
      expect(vendor.count('list')).toBeGreaterThan(1);
      expect(vendor.count('read')).toBe(0);
    });

    it('is empty without entries', async () => {
      expect(await all()).toEqual([]);
    });

    it('resumes from a stored cursor in another process', async () => {
      fill(5);
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await open().list(JSON.parse(JSON.stringify(cursor)));
        found.push(...page.entries.map(({ path }) => path));
        cursor = page.cursor;
      } while (cursor !== null);
      expect(found.sort()).toEqual(listShownPaths(5));
    });

    it('continues when listed entries vanish', async () => {
      fill(5);
      const first = await open().list(null);
      const given = first.entries.map(({ path }) => path);
      for (const path of vendor.items.keys())
        if (given.includes(toShownPath(path))) vendor.items.delete(path);
      const rest: string[] = [];
      let { cursor } = first;
      while (cursor !== null) {
        const page = await open().list(cursor);
        rest.push(...page.entries.map(({ path }) => path));
        cursor = page.cursor;
      }
      expect(new Set([...given, ...rest]).size).toBe(5);
    });

    it('is the same without changes and reads no content', async () => {
      fill(5);
      expect(await all()).toEqual(await all());
      expect(vendor.count('read')).toBe(0);
    });

    it('changes the version of changed entries only', async () => {
      fill(3);
      const before = byPath(await all());
      vendor.put('folder/1.txt', 'other text', { modifiedAt: '2026-05-06T07:08:09.000Z' });
      const after = byPath(await all());
      const changed = [...after.keys()].filter(
        (path) => after.get(path)!.version !== before.get(path)!.version,
      );
      const changedPath = toShownPath('folder/1.txt');
      expect(changed).toEqual([changedPath]);
      expect(after.get(changedPath)!.id).toBe(before.get(changedPath)!.id);
    });

    it('omits vanished entries', async () => {
      fill(3);
      vendor.items.delete('folder/1.txt');
      expect([...byPath(await all()).keys()].sort()).toEqual(
        ['folder/0.txt', 'folder/2.txt'].map(toShownPath).sort(),
      );
    });

    it.each(['folder/renamed.txt', 'moved/to/0.txt'])(
      'keeps id and version of an item moved to %s',
      async (path) => {
        fill(2);
        const before = byPath(await all()).get(toShownPath('folder/0.txt'))!;
        const item = vendor.items.get('folder/0.txt')!;
        const id = idsArePaths ? path : item.id;
        vendor.items.delete('folder/0.txt');
        vendor.items.set(id, { ...item, id, path });
        const shown = toShownPath(path);
        const after = byPath(await all()).get(shown)!;
        expect(after.name).toBe(shown.slice(shown.lastIndexOf('/') + 1));
        if (!idsArePaths) expect(after.id).toBe(before.id);
        if (capabilities.versionNamesContent) expect(after.version).toBe(before.version);
      },
    );

    it.each([
      ['much', 'never'],
      [-1, ''],
      ['1e400', '99999-99-99'],
      ['', '0000-00-00T00:00:00Z'],
      [1.5, '+275760-09-13T00:00:00.001Z'],
    ])('accepts an invalid size %j and time %j', async (size, modifiedAt) => {
      vendor.put('a.txt', 'text', { size, modifiedAt });
      const [entry] = await all();
      expect(entry!.modifiedAt).toBeNull();
      if (size === '' && tellsSizes) expect([null, 0]).toContain(entry!.size);
      else expect(entry!.size).toBeNull();
      expect(await readText(entry!.id)).toBe(expectedText('text', 'a.txt'));
    });

    if (capabilities.webUrls) {
      it('returns web URLs', async () => {
        fill(1);
        expect((await all())[0]!.webUrl).toMatch(/^https?:\/\//);
      });
    }

    if (capabilities.permissions) {
      it('returns the permissions of an entry', async () => {
        vendor.put('a.txt', 'text', { permissions: { users: ['ann@example.com'] } });
        expect(JSON.stringify((await all())[0]!.permissions)).toContain('ann@example.com');
      });
    }
  });

  describe(`${definition.kind} source entry`, () => {
    it('is read completely in the listed version', async () => {
      const long = 'text '.repeat(50_000);
      vendor.put('a.txt', long);
      const [entry] = await all();
      const content = (await open().read(entry!.id))!;
      expect([null, entry!.version]).toContain(content.version);
      expect(await text(content.body)).toBe(expectedText(long, 'a.txt'));
    });

    it('can be empty', async () => {
      vendor.put('a.txt', '');
      const [entry] = await all();
      expect(await readText(entry!.id)).toBe(expectedText('', 'a.txt'));
    });

    it('is undefined after it vanished', async () => {
      fill(1);
      const [entry] = await all();
      vendor.items.clear();
      expect(await open().read(entry!.id)).toBeUndefined();
    });

    it.each(HOSTILE)('is found under any name: %j', async (path) => {
      vendor.put(path, `text of ${path}`);
      const entries = await all();
      expect(entries).toHaveLength(1);
      const [{ id, name }] = entries as [SourceEntry];
      expect(name).not.toBe('');
      expect(name).not.toMatch(/\p{Cc}/u);
      expect(await readText(id)).toBe(expectedText(`text of ${path}`, path));
    });
  });

  describe(`${definition.kind} source with a misleading path`, () => {
    it.each(MISLEADING)('returns its own entry or fails: %j', async (path) => {
      vendor.put('other.txt', 'another text');
      vendor.put(path, 'own text');
      const entry = byPath(await all()).get(toShownPath(path))!;
      const found = await readText(entry.id).catch((error: unknown) => error);
      if (found instanceof SourceError) expect(found.retryable).toBe(false);
      else expect(found).toBe(expectedText('own text', path));
    });
  });

  const calls = ['list', 'read'] as const;
  let entryId: string;
  const attempt = async (call: (typeof calls)[number]) => {
    const source = open();
    if (call === 'list') return all(source);
    // Reads without a listing, because a listing would use up the planned fault.
    const content = await source.read(entryId);
    return content && text(content.body);
  };

  describe.each(calls)(`${definition.kind} source failure in a %s`, (call) => {
    beforeEach(async () => {
      vendor.put('a.txt', 'text '.repeat(100));
      entryId = (await all())[0]!.id;
    });

    it.each([400, 403, ...(call === 'list' ? [404] : [])])('is not retryable after %i', async (status) => {
      vendor.next(call, { kind: 'status', status });
      expect(await catchFailure(attempt(call))).toMatchObject({ retryable: false });
    });

    it('is not retryable if credentials stay rejected', async () => {
      vendor.next(call, { kind: 'status', status: 401 }, { kind: 'status', status: 401 });
      expect(await catchFailure(attempt(call))).toMatchObject({ retryable: false });
    });

    it.each([500, 502, 503])('is retryable after %i', async (status) => {
      vendor.next(call, { kind: 'status', status });
      expect(await catchFailure(attempt(call))).toMatchObject({ retryable: true });
    });

    it('passes on Retry-After in seconds or as a date', async () => {
      const later = new Date(Date.now() + 3_600_000).toUTCString();
      for (const [header, least, most] of [
        ['7', 7, 7],
        [later, 3_000, 3_600],
      ] as const) {
        vendor.next(call, { kind: 'status', status: 429, headers: { 'retry-after': header } });
        const error = await catchFailure(attempt(call));
        expect(error.retryable).toBe(true);
        expect(error.retryAfter).toBeGreaterThanOrEqual(least);
        expect(error.retryAfter).toBeLessThanOrEqual(most);
      }
    });

    it.each<Fault>([{ kind: 'silent' }, { kind: 'silent body' }, { kind: 'cut' }])(
      'is retryable if the vendor is $kind',
      async (fault) => {
        vendor.next(call, fault);
        SILENCE_SECONDS = 0.15;
        // On a slow machine, an earlier request can reach the time limit too.
        while (vendor.hasPlannedFault)
          expect(await catchFailure(attempt(call))).toMatchObject({ retryable: true });
        SILENCE_SECONDS = 60;
        await expect(attempt(call)).resolves.toBeTruthy();
      },
    );

    it('never reveals a secret', async () => {
      const told: string[] = [];
      for (const status of [400, 401, 401, 403, 404, 429, 500]) {
        vendor.next(call, { kind: 'status', status });
        await attempt(call).catch((error: unknown) => told.push(...collectTexts(error)));
      }
      expect(told).not.toEqual([]);
      for (const secret of secrets) expect(`${told.join(' ')} ${logged.join(' ')}`).not.toContain(secret);
    });
  });

  describe(`${definition.kind} source with invalid answers`, () => {
    it.each([
      ['', 'text/plain'],
      ['<html><body>Please log in</body></html>', 'text/html'],
      ['{"error":', 'application/json'],
      ['{}', 'application/json'],
      ['[]', 'application/json'],
      ['null', 'application/json'],
      ['<?xml version="1.0"?><Other/>', 'application/xml'],
    ])('fails a listing: %s', async (body, contentType) => {
      fill(1);
      vendor.next('list', { kind: 'body', body, contentType });
      await catchFailure(all());
    });
  });

  describe(`${definition.kind} source check`, () => {
    it('passes with valid settings and reads no entry', async () => {
      fill(3);
      await check();
      expect(vendor.count('read')).toBe(0);
    });

    it.each(Object.entries(fixture.wrong))('names a wrong %s', async (field, more) => {
      fill(1);
      const error = await catchFailure(check(more));
      expect(error.message).toContain(field);
      expect(error.retryable).toBe(false);
      for (const secret of secrets) expect(collectTexts(error).join(' ')).not.toContain(secret);
    });
  });

  if (fixture.givesTokens) {
    describe(`${definition.kind} source tokens`, () => {
      it('are fetched once for a listing and its entries', async () => {
        fill(5);
        const source = open();
        for (const { id } of await all(source)) await text((await source.read(id))!.body);
        expect(vendor.count('token')).toBe(1);
      });

      it('are fetched again after expiry during a listing', async () => {
        fill(5);
        const source = open();
        const first = await source.list(null);
        vendor.tokens.clear();
        const second = await source.list(first.cursor);
        expect(second.entries).not.toEqual([]);
        expect(vendor.count('token')).toBe(2);
      });

      it('fail the call if they cannot be fetched, and are requested again by the next', async () => {
        fill(1);
        vendor.next('token', { kind: 'status', status: 503 });
        expect(await catchFailure(all())).toMatchObject({ retryable: true });
        expect(await all()).toHaveLength(1);
      });
    });
  }

  sourceLies(fixture);
}

function collectTexts(error: unknown): string[] {
  const texts: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) texts.push(at.message, at.stack ?? '');
  return texts;
}
