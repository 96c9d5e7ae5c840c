import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '#src/lib/log.ts';
import { type Source, type SourceEntry, SourceError, type SourcePage } from '#src/ports/source.ts';
import type { SourceLimits } from '#src/sources/shared/define.ts';
import { openDefined } from '#src/sources/shared/open.ts';
import { memoryTokens } from '#src/upstream/tokens.ts';
import { Liar } from '#test/vendors/liar.ts';
import { CONTENT_LIES, type Lie, REDIRECT_LIES, WIRE_LIES } from '#test/vendors/lies.ts';
import type { SourceFixture } from './source.suite.ts';
import { type Purpose, Vendor } from './source-vendor.ts';

const PRODUCTS = /Box|Google Drive|Slack|Notion|Confluence|Jira|Microsoft|Azure Blob Storage|S3|The drive/;
/** Listings of which nothing can be true. The others may be put right, or say how much is left out. */
const UNBELIEVABLE: readonly Lie[] = [
  ...WIRE_LIES,
  ...REDIRECT_LIES,
  ...(['ever new pages', 'the same page again', 'two pages in turn'] as const),
];
/** Lies about the bytes of a file that can be told from an honest answer. */
const FILE_LIES: readonly Lie[] = [
  ...(['slow bytes without end', 'a content length that is too long', '204 without a body'] as const),
  'redirects in a circle',
];
const LATEST = Date.UTC(9999, 11, 31);

/** What every source promises when its vendor lies: it ends, says why, and hides nothing that the vendor has. */
export function sourceLies(fixture: SourceFixture): void {
  describe(`${fixture.definition.kind} source: a vendor that lies`, () => lyingTests(fixture));
}

function lyingTests(fixture: SourceFixture): void {
  const { definition, settings, secrets, purposeOf, answer, end } = fixture;
  const names = new RegExp(`${PRODUCTS.source}|${definition.title}`);
  let vendor: Vendor;
  let logged: string[];
  beforeEach(() => {
    vendor = new Vendor();
    logged = [];
    for (let index = 0; index < 5; index++) vendor.put(`folder/${index}.txt`, `text ${index}`);
    vendor.connect(purposeOf, answer);
  });
  afterEach(async () => {
    vi.unstubAllGlobals();
    expect((await end?.(vendor)) ?? []).toEqual([]);
  });

  const note = (event: string, facts?: unknown) => void logged.push(`${event} ${JSON.stringify(facts)}`);
  const log: Logger = { info: note, warn: note, error: note };
  const open = (more: Partial<SourceLimits> = {}): Source => {
    const limits = { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 60, MOST_PAGES: 6, ...more };
    return openDefined(definition, settings, { tokens: memoryTokens(), log, limits }).source;
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
  const idsOf = (entries: SourceEntry[]) => [...new Set(entries.map(({ id }) => id))].sort();
  async function read(source: Source, id: string): Promise<string> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of (await source.read(id))?.body ?? []) pieces.push(new Uint8Array(piece));
    return new Blob(pieces).text();
  }
  const outcomeOf = <T>(work: Promise<T>): Promise<T | SourceError> =>
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

  /** From now on the vendor lies when it is asked for these purposes. */
  function turn(lie: Lie, purposes: Purpose[]): Liar {
    const liar = new Liar(lie);
    const honest = globalThis.fetch;
    vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) => {
      const request = new Request(input, init);
      const isLie = liar.isElsewhere(request) || purposes.includes(purposeOf(request));
      return isLie ? liar.answer(request, (copy) => honest(copy)) : honest(request);
    });
    return liar;
  }
  const becomeHonest = () => {
    vi.unstubAllGlobals();
    vendor.connect(purposeOf, answer);
  };

  describe('when it is asked for a listing, with', () => {
    it.each([...WIRE_LIES, ...REDIRECT_LIES, ...CONTENT_LIES])('%s', async (lie) => {
      const { entries: before } = await list(open());
      const liar = turn(lie, ['list']);
      const outcome = await outcomeOf(list(open(limitsFor(lie))));
      if (outcome instanceof SourceError) expectClear(outcome);
      else {
        expect(UNBELIEVABLE).not.toContain(lie);
        // A shorter list would have the rest deleted.
        if (outcome.leftOut === 0) expect(idsOf(outcome.entries)).toEqual(idsOf(before));
        for (const { modifiedAt } of outcome.entries) {
          expect(modifiedAt === null || (modifiedAt.getTime() >= 0 && modifiedAt.getTime() <= LATEST)).toBe(
            true,
          );
        }
      }
      for (const secret of secrets) expect(liar.sentElsewhere.join(' ')).not.toContain(secret);
      becomeHonest();
      expect(idsOf((await list(open())).entries)).toEqual(idsOf(before));
    });
  });

  describe('when it is asked for a file, with', () => {
    const lies: Lie[] = [...FILE_LIES, 'a redirect to another host', ...CONTENT_LIES];
    it.each(lies)('%s', async (lie) => {
      const [{ id }] = (await list(open())).entries as [SourceEntry];
      const before = await read(open(), id);
      const liar = turn(lie, FILE_LIES.includes(lie) ? ['read'] : ['read', 'list', 'other']);
      const outcome = await outcomeOf(read(open(limitsFor(lie)), id));
      if (outcome instanceof SourceError) expectClear(outcome);
      else expect(FILE_LIES).not.toContain(lie);
      for (const secret of secrets) expect(liar.sentElsewhere.join(' ')).not.toContain(secret);
      becomeHonest();
      expect(await read(open(), id)).toBe(before);
    });
  });
}
