import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { call } from '#test/support/client.ts';
import { createPipeline, retrieve, type Status, sync } from '#test/support/pipelines.ts';
import { Liar } from '#test/vendors/liar.ts';
import type { SourceFixture } from './source.suite.ts';
import { Vendor } from './source-vendor.ts';

const COUNT = 50;
/** Timeout in milliseconds for three syncs on a busy machine. */
const TIMEOUT = 180_000;
const buildPath = (index: number) => `folder ${index % 7}/${index}.txt`;
/** Returns a word that occurs in one item only. */
const toWord = (index: number) =>
  `marmalade${'abcdefghij'[Math.floor(index / 10)]}${'abcdefghij'[index % 10]}`;

/** Tests that a sync through the real queue follows changes in the source. */
export function sourceSyncSuite(fixture: SourceFixture): void {
  describe(`${fixture.definition.kind} sync`, () => syncTests(fixture));
}

function syncTests(fixture: SourceFixture): void {
  const { kind } = fixture.definition;
  let vendor: Vendor;

  beforeEach(() => {
    vendor = new Vendor();
    vendor.pageSize = 20;
    vendor.connect(fixture.classifyRequest, fixture.answer);
  });
  afterEach(async () => {
    vi.unstubAllGlobals();
    expect((await fixture.end?.(vendor)) ?? []).toEqual([]);
  });

  const put = (index: number, text = `It speaks of ${toWord(index)}.`, path = buildPath(index)) =>
    vendor.put(path, text, { modifiedAt: new Date(1.7e12 + text.length * 1000).toISOString() });

  /** Moves an item. The id stays the same unless ids are paths. */
  const move = (from: string, path: string) => {
    const item = vendor.items.get(from)!;
    const id = fixture.idsArePaths ? path : item.id;
    vendor.items.delete(from);
    vendor.items.set(id, { ...item, id, path });
  };

  async function pipelineOver(): Promise<string> {
    const body = { name: kind, source_type: kind, component: fixture.settings };
    const created = await call<{ id: string }>('POST', '/api/v1/data-sources', { body });
    expect(created.status, JSON.stringify(created.body)).toBe(200);
    const pipelineId = await createPipeline();
    const sources = [{ data_source_id: created.body.id }];
    await call('PUT', `/api/v1/pipelines/${pipelineId}/data-sources`, { body: sources });
    return pipelineId;
  }

  const said = (status: Status) => ({
    status: status.status,
    error: status.error,
    counters: status.progress?.counters,
  });
  const shownPath = (path: string) => fixture.toShownPath?.(path) ?? path;
  const foundAt = async (pipelineId: string, index: number) => {
    const nodes = await retrieve(pipelineId, toWord(index), { alpha: 0 });
    return nodes
      .filter(({ node }) => node.text.includes(toWord(index)))
      .map(({ node }) => node.extra_info.file_path);
  };

  it(
    'indexes added, changed, renamed, moved and deleted files, and reads nothing twice',
    async () => {
      for (let index = 0; index < COUNT; index++) put(index);
      const pipelineId = await pipelineOver();
      expect(said(await sync(pipelineId))).toMatchObject({
        status: 'SUCCESS',
        counters: { listed: COUNT, changed: COUNT, fetched: COUNT, indexed: COUNT },
      });
      expect(await foundAt(pipelineId, 11)).toEqual([shownPath(buildPath(11))]);

      const reads = vendor.count('read');
      expect(said(await sync(pipelineId))).toMatchObject({
        status: 'SUCCESS',
        counters: { listed: COUNT, changed: 0 },
      });
      expect(vendor.count('read')).toBe(reads);

      put(COUNT);
      put(1, `It now speaks of ${toWord(90)}.`);
      move(buildPath(2), 'folder 2/renamed.txt');
      move(buildPath(3), 'elsewhere/3.txt');
      vendor.items.delete(buildPath(4));
      const after = said(await sync(pipelineId));
      expect(after).toMatchObject({
        status: 'SUCCESS',
        counters: { listed: COUNT, indexed: expect.any(Number) },
      });
      expect(await foundAt(pipelineId, COUNT)).toEqual([shownPath(buildPath(COUNT))]);
      expect(await foundAt(pipelineId, 90)).toEqual([shownPath(buildPath(1))]);
      expect(await foundAt(pipelineId, 1)).toEqual([]);
      expect(await foundAt(pipelineId, 2)).toEqual([shownPath('folder 2/renamed.txt')]);
      expect(await foundAt(pipelineId, 3)).toEqual([shownPath('elsewhere/3.txt')]);
      expect(await foundAt(pipelineId, 4)).toEqual([]);
      if (fixture.definition.capabilities.webUrls) {
        const [hit] = await retrieve(pipelineId, toWord(COUNT), { alpha: 0 });
        expect(hit!.node.extra_info.web_url).toMatch(/^https:\/\//);
      }
    },
    TIMEOUT,
  );

  it(
    'removes nothing after a listing with an invalid id',
    async () => {
      for (let index = 0; index < 5; index++) put(index);
      vendor.pageSize = 2;
      const pipelineId = await pipelineOver();
      expect(said(await sync(pipelineId))).toMatchObject({ status: 'SUCCESS', counters: { fetched: 5 } });

      const honest = globalThis.fetch;
      const liar = new Liar('an id that is a number');
      vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) => {
        const request = new Request(input, init);
        return fixture.classifyRequest(request) === 'list'
          ? liar.answer(request, (copy) => honest(copy))
          : honest(request);
      });
      const { status, error, counters } = said(await sync(pipelineId));
      // Numeric ids in XML are valid texts.
      if (liar.hasLied) {
        expect(['ERROR', 'PARTIAL_SUCCESS']).toContain(status);
        expect(error).not.toBeNull();
      }
      expect(counters).not.toHaveProperty('removed');
      for (const index of [0, 1, 2, 3, 4]) {
        expect(await foundAt(pipelineId, index)).toEqual([shownPath(buildPath(index))]);
      }
    },
    TIMEOUT,
  );

  it(
    'retries throttled and interrupted reads',
    async () => {
      for (let index = 0; index < 5; index++) put(index);
      vendor.next('list', { kind: 'status', status: 429, headers: { 'retry-after': '1' } });
      vendor.next('read', { kind: 'cut' }, { kind: 'status', status: 503 });
      const pipelineId = await pipelineOver();
      expect(said(await sync(pipelineId))).toMatchObject({ status: 'SUCCESS', counters: { fetched: 5 } });
    },
    TIMEOUT,
  );
}
