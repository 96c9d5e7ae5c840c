import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '#src/lib/log.ts';
import { entriesOf, type Source, type SourceEntry, SourceError } from '#src/ports/source.ts';
import type { SourceDriver } from '#src/sources/shared/define.ts';
import { checkDefined, openDefined } from '#src/sources/shared/open.ts';
import { memoryTokens, type Tokens } from '#src/upstream/tokens.ts';
import type { Mount } from '#test/vendors/protocol.ts';
import { sourceLies } from './source-lies.ts';
import { type Fault, Vendor } from './source-vendor.ts';

export interface SourceFixture {
  definition: SourceDriver;
  /** With which all of the vendor's items are read. Opened: secrets are plain. */
  settings: Record<string, unknown>;
  /** Texts that no error and no line of the log may hold. */
  secrets: string[];
  /** Settings that do not work, by the field that `check` has to name. */
  wrong: Record<string, Record<string, unknown>>;
  purposeOf: Parameters<Vendor['connect']>[0];
  /** The vendor: refuses credentials that are not its own. */
  answer: Parameters<Vendor['connect']>[1];
  /** An item that is renamed or moved gets another id. */
  idsArePaths: boolean;
  /** The vendor wants a token that its client has to fetch. */
  givesTokens: boolean;
  /** Where the listing shows an item; its own path, unless the vendor has no folders. */
  pathOf?: (path: string) => string;
  /** What is read of an item whose text is `text`, where the source writes Markdown of what the vendor keeps. */
  readingOf?: (text: string, path: string) => string;
  /** Listings say how many bytes an entry has. True where it is absent. */
  tellsSizes?: boolean;
  /** For which a vendor that is silent is waited for. 0.3 where it is absent. */
  silenceSeconds?: number;
  /** The vendors of test/vendors behind `answer`, where it is they who answer. */
  vendors?: { holder: string; mounts: Mount[] };
  /** Ends the vendor of a test; what the vendor itself did wrong comes back, and fails the test. */
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

/** Paths that mean others, where somebody takes them for addresses. */
const MISLEADING = ['a/../other.txt', './other.txt', '..', '%2e%2e/other.txt', 'a/..%2Fother.txt'];

const text = async (body: AsyncIterable<Uint8Array>) => {
  const decoder = new TextDecoder();
  let all = '';
  for await (const piece of body) all += decoder.decode(piece, { stream: true });
  return all + decoder.decode();
};

/** What every source promises, whoever the vendor is and however it behaves. */
export function sourceSuite(fixture: SourceFixture): void {
  const { definition, settings, secrets, idsArePaths, tellsSizes = true } = fixture;
  const { pathOf = (path: string) => path, readingOf = (text: string) => text } = fixture;
  const { capabilities } = definition;
  let vendor: Vendor;
  let logged: string[];
  let tokens: Tokens;

  beforeEach(() => {
    vendor = new Vendor();
    logged = [];
    SILENCE_SECONDS = 60;
    tokens = memoryTokens();
    vendor.connect(fixture.purposeOf, fixture.answer);
  });
  afterEach(async () => {
    vi.unstubAllGlobals();
    expect((await fixture.end?.(vendor)) ?? []).toEqual([]);
  });

  const note = (event: string, facts?: unknown) => void logged.push(`${event} ${JSON.stringify(facts)}`);
  const log: Logger = { info: note, warn: note, error: note };
  /** A vendor that does answer is waited for longer than a machine that runs other things may stall. */
  let SILENCE_SECONDS: number;
  const deps = () => ({ tokens, log, limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS } });
  const open = (): Source => openDefined(definition, settings, deps()).source;
  const check = (more: Record<string, unknown> = {}) =>
    checkDefined(definition, { ...settings, ...more }, deps());
  const all = async (source = open()): Promise<SourceEntry[]> => {
    const entries: SourceEntry[] = [];
    for await (const entry of entriesOf(source)) entries.push(entry);
    return entries;
  };
  const byPath = (entries: SourceEntry[]) => new Map(entries.map((entry) => [entry.path, entry]));
  const failureOf = async (work: Promise<unknown>): Promise<SourceError> => {
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
  const pathsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => pathOf(`folder/${index}.txt`)).sort();
  const fill = (count: number) => {
    for (let index = 0; index < count; index++) vendor.put(`folder/${index}.txt`, `text ${index}`);
  };

  describe(`${definition.kind} source: a listing`, () => {
    it('gives every entry once, page by page, with what is known of it', async () => {
      fill(5);
      const entries = await all();
      expect(entries.map(({ path }) => path).sort()).toEqual(pathsOf(5));
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

    it('is empty when nothing is there', async () => {
      expect(await all()).toEqual([]);
    });

    it('goes on from a cursor that was written down, in a process that knows nothing else', async () => {
      fill(5);
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await open().list(JSON.parse(JSON.stringify(cursor)));
        found.push(...page.entries.map(({ path }) => path));
        cursor = page.cursor;
      } while (cursor !== null);
      expect(found.sort()).toEqual(pathsOf(5));
    });

    it('goes on when what it has given vanishes', async () => {
      fill(5);
      const first = await open().list(null);
      const given = first.entries.map(({ path }) => path);
      for (const path of vendor.items.keys()) if (given.includes(pathOf(path))) vendor.items.delete(path);
      const rest: string[] = [];
      let { cursor } = first;
      while (cursor !== null) {
        const page = await open().list(cursor);
        rest.push(...page.entries.map(({ path }) => path));
        cursor = page.cursor;
      }
      expect(new Set([...given, ...rest]).size).toBe(5);
    });

    it('is the same while nothing changes, and reads no bytes', async () => {
      fill(5);
      expect(await all()).toEqual(await all());
      expect(vendor.count('read')).toBe(0);
    });

    it('tells by the version what has changed', async () => {
      fill(3);
      const before = byPath(await all());
      vendor.put('folder/1.txt', 'other text', { modifiedAt: '2026-05-06T07:08:09.000Z' });
      const after = byPath(await all());
      const changed = [...after.keys()].filter(
        (path) => after.get(path)!.version !== before.get(path)!.version,
      );
      const changedPath = pathOf('folder/1.txt');
      expect(changed).toEqual([changedPath]);
      expect(after.get(changedPath)!.id).toBe(before.get(changedPath)!.id);
    });

    it('lists no more what has vanished', async () => {
      fill(3);
      vendor.items.delete('folder/1.txt');
      expect([...byPath(await all()).keys()].sort()).toEqual(
        ['folder/0.txt', 'folder/2.txt'].map(pathOf).sort(),
      );
    });

    it.each(['folder/renamed.txt', 'moved/to/0.txt'])('follows an item to %s', async (path) => {
      fill(2);
      const before = byPath(await all()).get(pathOf('folder/0.txt'))!;
      const item = vendor.items.get('folder/0.txt')!;
      const id = idsArePaths ? path : item.id;
      vendor.items.delete('folder/0.txt');
      vendor.items.set(id, { ...item, id, path });
      const shown = pathOf(path);
      const after = byPath(await all()).get(shown)!;
      expect(after.name).toBe(shown.slice(shown.lastIndexOf('/') + 1));
      if (!idsArePaths) expect(after.id).toBe(before.id);
      if (capabilities.versionNamesContent) expect(after.version).toBe(before.version);
    });

    it.each([
      ['much', 'never'],
      [-1, ''],
      ['1e400', '99999-99-99'],
      ['', '0000-00-00T00:00:00Z'],
      [1.5, '+275760-09-13T00:00:00.001Z'],
    ])('survives a size of %j and a time of %j', async (size, modifiedAt) => {
      vendor.put('a.txt', 'text', { size, modifiedAt });
      const [entry] = await all();
      expect(entry!.modifiedAt).toBeNull();
      if (size === '' && tellsSizes) expect([null, 0]).toContain(entry!.size);
      else expect(entry!.size).toBeNull();
      expect(await readText(entry!.id)).toBe(readingOf('text', 'a.txt'));
    });

    if (capabilities.webUrls) {
      it('gives addresses for browsers', async () => {
        fill(1);
        expect((await all())[0]!.webUrl).toMatch(/^https?:\/\//);
      });
    }

    if (capabilities.permissions) {
      it('gives who may see an entry', async () => {
        vendor.put('a.txt', 'text', { permissions: { users: ['ann@example.com'] } });
        expect(JSON.stringify((await all())[0]!.permissions)).toContain('ann@example.com');
      });
    }
  });

  describe(`${definition.kind} source: an entry`, () => {
    it('is read whole, as the version that was listed', async () => {
      const long = 'text '.repeat(50_000);
      vendor.put('a.txt', long);
      const [entry] = await all();
      const content = (await open().read(entry!.id))!;
      expect([null, entry!.version]).toContain(content.version);
      expect(await text(content.body)).toBe(readingOf(long, 'a.txt'));
    });

    it('is read empty when it is', async () => {
      vendor.put('a.txt', '');
      const [entry] = await all();
      expect(await readText(entry!.id)).toBe(readingOf('', 'a.txt'));
    });

    it('is undefined once it has vanished', async () => {
      fill(1);
      const [entry] = await all();
      vendor.items.clear();
      expect(await open().read(entry!.id)).toBeUndefined();
    });

    it.each(HOSTILE)('is found again under any name: %j', async (path) => {
      vendor.put(path, `text of ${path}`);
      const entries = await all();
      expect(entries).toHaveLength(1);
      const [{ id, name }] = entries as [SourceEntry];
      expect(name).not.toBe('');
      expect(name).not.toMatch(/\p{Cc}/u);
      expect(await readText(id)).toBe(readingOf(`text of ${path}`, path));
    });
  });

  describe(`${definition.kind} source: a path that looks like another`, () => {
    it.each(MISLEADING)('leads to its own entry, or nowhere: %j', async (path) => {
      vendor.put('other.txt', 'another text');
      vendor.put(path, 'own text');
      const entry = byPath(await all()).get(pathOf(path))!;
      const found = await readText(entry.id).catch((error: unknown) => error);
      if (found instanceof SourceError) expect(found.retryable).toBe(false);
      else expect(found).toBe(readingOf('own text', path));
    });
  });

  const calls = ['list', 'read'] as const;
  let entryId: string;
  const attempt = async (call: (typeof calls)[number]) => {
    const source = open();
    if (call === 'list') return all(source);
    // Without a listing of its own, which would take the trouble that is meant for the read.
    const content = await source.read(entryId);
    return content && text(content.body);
  };

  describe.each(calls)(`${definition.kind} source: what goes wrong with a %s`, (call) => {
    beforeEach(async () => {
      vendor.put('a.txt', 'text '.repeat(100));
      entryId = (await all())[0]!.id;
    });

    it.each([400, 403, ...(call === 'list' ? [404] : [])])(
      'is not to be tried again after %i',
      async (status) => {
        vendor.next(call, { kind: 'status', status });
        expect(await failureOf(attempt(call))).toMatchObject({ retryable: false });
      },
    );

    it('is not to be tried again when the credentials stay refused', async () => {
      vendor.next(call, { kind: 'status', status: 401 }, { kind: 'status', status: 401 });
      expect(await failureOf(attempt(call))).toMatchObject({ retryable: false });
    });

    it.each([500, 502, 503])('is to be tried again after %i', async (status) => {
      vendor.next(call, { kind: 'status', status });
      expect(await failureOf(attempt(call))).toMatchObject({ retryable: true });
    });

    it('is to be tried again when the vendor wants it, in either of its forms', async () => {
      const later = new Date(Date.now() + 3_600_000).toUTCString();
      for (const [header, least, most] of [
        ['7', 7, 7],
        [later, 3_000, 3_600],
      ] as const) {
        vendor.next(call, { kind: 'status', status: 429, headers: { 'retry-after': header } });
        const error = await failureOf(attempt(call));
        expect(error.retryable).toBe(true);
        expect(error.retryAfter).toBeGreaterThanOrEqual(least);
        expect(error.retryAfter).toBeLessThanOrEqual(most);
      }
    });

    it.each<Fault>([{ kind: 'silent' }, { kind: 'silent body' }, { kind: 'cut' }])(
      'is to be tried again, and ends, when the vendor is $kind',
      async (fault) => {
        vendor.next(call, fault);
        SILENCE_SECONDS = fixture.silenceSeconds ?? 0.3;
        expect(await failureOf(attempt(call))).toMatchObject({ retryable: true });
        SILENCE_SECONDS = 60;
        await expect(attempt(call)).resolves.toBeTruthy();
      },
    );

    it('never repeats a secret', async () => {
      const told: string[] = [];
      for (const status of [400, 401, 401, 403, 404, 429, 500]) {
        vendor.next(call, { kind: 'status', status });
        await attempt(call).catch((error: unknown) => told.push(...everyTextOf(error)));
      }
      expect(told).not.toEqual([]);
      for (const secret of secrets) expect(`${told.join(' ')} ${logged.join(' ')}`).not.toContain(secret);
    });
  });

  describe(`${definition.kind} source: answers that make no sense`, () => {
    it.each([
      ['', 'text/plain'],
      ['<html><body>Please log in</body></html>', 'text/html'],
      ['{"error":', 'application/json'],
      ['{}', 'application/json'],
      ['[]', 'application/json'],
      ['null', 'application/json'],
      ['<?xml version="1.0"?><Other/>', 'application/xml'],
    ])('fail a listing, and do not end it: %s', async (body, contentType) => {
      fill(1);
      vendor.next('list', { kind: 'body', body, contentType });
      await failureOf(all());
    });
  });

  describe(`${definition.kind} source: a check`, () => {
    it('passes with settings that work, and reads no entry', async () => {
      fill(3);
      await check();
      expect(vendor.count('read')).toBe(0);
    });

    it.each(Object.entries(fixture.wrong))('names %s when that is wrong', async (field, more) => {
      fill(1);
      const error = await failureOf(check(more));
      expect(error.message).toContain(field);
      expect(error.retryable).toBe(false);
      for (const secret of secrets) expect(everyTextOf(error).join(' ')).not.toContain(secret);
    });
  });

  if (fixture.givesTokens) {
    describe(`${definition.kind} source: tokens`, () => {
      it('are fetched once for a listing and its entries', async () => {
        fill(5);
        const source = open();
        for (const { id } of await all(source)) await text((await source.read(id))!.body);
        expect(vendor.count('token')).toBe(1);
      });

      it('are fetched anew when they expire in the middle of a listing', async () => {
        fill(5);
        const source = open();
        const first = await source.list(null);
        vendor.tokens.clear();
        const second = await source.list(first.cursor);
        expect(second.entries).not.toEqual([]);
        expect(vendor.count('token')).toBe(2);
      });

      it('that cannot be fetched fail the call, and are asked for again by the next', async () => {
        fill(1);
        vendor.next('token', { kind: 'status', status: 503 });
        expect(await failureOf(all())).toMatchObject({ retryable: true });
        expect(await all()).toHaveLength(1);
      });
    });
  }

  sourceLies(fixture);
}

function everyTextOf(error: unknown): string[] {
  const texts: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) texts.push(at.message, at.stack ?? '');
  return texts;
}
