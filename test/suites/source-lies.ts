import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '#src/lib/log.ts';
import { type Source, type SourceEntry, SourceError, type SourcePage } from '#src/ports/source.ts';
import type { SourceLimits } from '#src/sources/shared/define.ts';
import { openWithDriver } from '#src/sources/shared/open.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';
import { Liar } from '#test/vendors/liar.ts';
import { CONTENT_LIES, LARGE_LIES, type Lie, REDIRECT_LIES, WIRE_LIES } from '#test/vendors/lies.ts';
import type { SourceFixture } from './source.suite.ts';
import { type Purpose, Vendor } from './source-vendor.ts';

const PRODUCTS = /Box|Google Drive|Slack|Notion|Confluence|Jira|Microsoft|Azure Blob Storage|S3|The drive/;
/** Lies that make the whole listing invalid. Other lies may be corrected or counted as omitted entries. */
const UNBELIEVABLE: readonly Lie[] = [
  ...WIRE_LIES,
  ...LARGE_LIES,
  ...REDIRECT_LIES,
  ...(['ever new pages', 'the same page again', 'two pages in turn'] as const),
];
/** Lies about file content that can be detected. */
const FILE_LIES: readonly Lie[] = [
  ...(['slow bytes without end', 'a content length that is too long', '204 without a body'] as const),
  'redirects in a circle',
];
const LATEST = Date.UTC(9999, 11, 31);

/** Lies of a vendor by the answers that contain them. */
export interface SourceLies {
  listing: readonly Lie[];
  file: readonly Lie[];
}

/** Lies about content, which each driver reads with code of its own. */
const CONTENT: SourceLies = { listing: CONTENT_LIES, file: CONTENT_LIES };

/** Damaged answers and redirects, which all drivers handle with the same code. */
export const DAMAGED: SourceLies = {
  listing: [...WIRE_LIES, ...REDIRECT_LIES],
  file: [...FILE_LIES, 'a redirect to another host'],
};

/**
 * Tests that every source handles invalid vendor answers: it ends with a clear error and never hides entries.
 */
export function sourceLies(fixture: SourceFixture, lies = CONTENT): void {
  describe(`${fixture.definition.kind} source with invalid vendor answers`, () => lyingTests(fixture, lies));
}

function lyingTests(fixture: SourceFixture, lies: SourceLies): void {
  const { definition, settings, secrets, classifyRequest, answer, end } = fixture;
  const names = new RegExp(`${PRODUCTS.source}|${definition.title}`);
  let vendor: Vendor;
  let logged: string[];
  beforeEach(() => {
    vendor = new Vendor();
    logged = [];
    for (let index = 0; index < 5; index++) vendor.put(`folder/${index}.txt`, `text ${index}`);
    vendor.connect(classifyRequest, answer);
  });
  afterEach(async () => {
    vi.unstubAllGlobals();
    expect((await end?.(vendor)) ?? []).toEqual([]);
  });

  const note = (event: string, facts?: unknown) => void logged.push(`${event} ${JSON.stringify(facts)}`);
  const log: Logger = { info: note, warn: note, error: note };
  const open = (more: Partial<SourceLimits> = {}): Source => {
    const limits = { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 60, MAX_PAGES: 6, ...more };
    return openWithDriver(definition, settings, { tokens: createMemoryTokens(), log, limits }).source;
  };
  async function list(source: Source): Promise<{ entries: SourceEntry[]; leftOut: number }> {
    const entries: SourceEntry[] = [];
    let page: SourcePage = { entries: [], cursor: null };
    do {
      page = await source.list(page.cursor);
      entries.push(...page.entries);
    } while (page.cursor !== null);
    return { entries, leftOut: page.leftOut ?? 0 };
  }
  const listEntryIds = (entries: SourceEntry[]) => [...new Set(entries.map(({ id }) => id))].sort();
  async function read(source: Source, id: string): Promise<string> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of (await source.read(id))?.body ?? []) pieces.push(new Uint8Array(piece));
    return new Blob(pieces).text();
  }
  const settle = <T>(work: Promise<T>): Promise<T | SourceError> =>
    work.catch((error: unknown) => {
      expect(error).toBeInstanceOf(SourceError);
      return error as SourceError;
    });
  const expectClear = ({ message }: SourceError) => {
    expect(message).toMatch(names);
    for (const secret of secrets) expect(`${message} ${logged.join(' ')}`).not.toContain(secret);
  };
  const isSlow = (lie: Lie) => lie === 'slow bytes without end';
  const limitsFor = (lie: Lie) => (isSlow(lie) ? { TOTAL_SECONDS: 0.5 } : {});

  /** Makes the vendor lie for requests with these purposes. */
  function turn(lie: Lie, purposes: Purpose[]): Liar {
    const liar = new Liar(lie);
    const honest = globalThis.fetch;
    vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init);
      const isLie = liar.isElsewhere(request) || purposes.includes(classifyRequest(request));
      return isLie ? liar.answer(request, (copy) => honest(copy)) : honest(request);
    });
    return liar;
  }
  const becomeHonest = () => {
    vi.unstubAllGlobals();
    vendor.connect(classifyRequest, answer);
  };

  describe('in a listing, with', () => {
    it.each(lies.listing)('%s', async (lie) => {
      const { entries: before } = await list(open());
      const liar = turn(lie, ['list']);
      const outcome = await settle(list(open(limitsFor(lie))));
      if (outcome instanceof SourceError) expectClear(outcome);
      else {
        expect(UNBELIEVABLE).not.toContain(lie);
        // A shorter listing would delete the missing entries.
        if (outcome.leftOut === 0) expect(listEntryIds(outcome.entries)).toEqual(listEntryIds(before));
        for (const { modifiedAt } of outcome.entries) {
          expect(modifiedAt === null || (modifiedAt.getTime() >= 0 && modifiedAt.getTime() <= LATEST)).toBe(
            true,
          );
        }
      }
      for (const secret of secrets) expect(liar.sentElsewhere.join(' ')).not.toContain(secret);
      becomeHonest();
      expect(listEntryIds((await list(open())).entries)).toEqual(listEntryIds(before));
    });
  });

  if (lies.file.length === 0) return;
  describe('in a file, with', () => {
    it.each(lies.file)('%s', async (lie) => {
      const [{ id }] = (await list(open())).entries as [SourceEntry];
      const before = await read(open(), id);
      const liar = turn(lie, FILE_LIES.includes(lie) ? ['read'] : ['read', 'list', 'other']);
      const outcome = await settle(read(open(limitsFor(lie)), id));
      if (outcome instanceof SourceError) expectClear(outcome);
      else expect(FILE_LIES).not.toContain(lie);
      for (const secret of secrets) expect(liar.sentElsewhere.join(' ')).not.toContain(secret);
      becomeHonest();
      expect(await read(open(), id)).toBe(before);
    });
  });
}
