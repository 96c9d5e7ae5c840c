/**
 * Measures the requests, entries per second and memory of listing a source, the first time and without
 * changes. The vendors are the test servers, so the rate covers reader and test server together. The numbers
 * of requests are exact.
 * Run: npm run bench:sources -- [10000]
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { listEntries } from '#src/ports/source.ts';
import { openWithDriver } from '#src/sources/shared/open.ts';
import { createLogger } from '../src/lib/log.ts';
import { createMemoryTokens } from '../src/upstream/tokens.ts';
import { boxFixture } from '../test/sources/fixtures/box.ts';
import { confluenceFixture } from '../test/sources/fixtures/confluence.ts';
import { googleDriveFixture } from '../test/sources/fixtures/google-drive.ts';
import { jiraFixture } from '../test/sources/fixtures/jira.ts';
import { oneDriveFixture } from '../test/sources/fixtures/microsoft-graph.ts';
import { notionFixture } from '../test/sources/fixtures/notion.ts';
import { slackFixture } from '../test/sources/fixtures/slack.ts';
import type { SourceFixture } from '../test/suites/source.suite.ts';
import { VendorSession } from '../test/vendors/client.ts';

const COUNT = Number(process.argv[2] ?? 10_000);
const FOLDERS = 100;
/** Maximum number of items for sources whose test server searches all items in every request. */
const MAX_SLOW_ITEMS = 1_000;

const fixtures: [SourceFixture, number][] = [
  [boxFixture, COUNT],
  [confluenceFixture, Math.min(COUNT, MAX_SLOW_ITEMS)],
  [googleDriveFixture, COUNT],
  [jiraFixture, Math.min(COUNT, MAX_SLOW_ITEMS)],
  [oneDriveFixture, COUNT],
  [notionFixture, Math.min(COUNT, MAX_SLOW_ITEMS)],
  [slackFixture, Math.min(COUNT, MAX_SLOW_ITEMS)],
];

const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ id: `item ${index}`, path: `folder ${index % FOLDERS}/${index}.txt` },
    ...{
      base64: btoa(`text ${index}`),
      size: 4 + String(index).length,
      modifiedAt: '2026-03-04T05:06:07.000Z',
    },
  }));

async function measure({ definition, settings, vendors }: SourceFixture, count: number, url: string) {
  const { holder, mounts } = vendors!;
  const session = await VendorSession.open(mounts, url);
  const tokens: string[] = [];
  await session.hold({ [holder]: { items: items(count), pageSize: 1_000, tokens, nonsense: false } });
  let requests = 0;
  globalThis.fetch = async (input, init) => {
    requests += 1;
    const response = await session.fetch(input, init);
    const body = (await response
      .clone()
      .json()
      .catch(() => null)) as { access_token?: string } | null;
    if (typeof body?.access_token !== 'string') return response;
    tokens.push(body.access_token);
    await session.hold({ [holder]: { tokens } });
    return response;
  };
  const deps = {
    tokens: createMemoryTokens(),
    log: createLogger(),
    limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 60 },
  };
  const versions = new Map<string, string>();
  const list = async () => {
    const before = requests;
    const start = performance.now();
    let peak = 0;
    let listed = 0;
    let changed = 0;
    for await (const { id, version } of listEntries(openWithDriver(definition, settings, deps).source)) {
      listed += 1;
      if (versions.get(id) !== version) changed += 1;
      versions.set(id, version);
      if (listed % 500 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed);
    }
    const seconds = (performance.now() - start) / 1000;
    return { listed, changed, requests: requests - before, rate: Math.round(listed / seconds), peak };
  };
  const first = await list();
  const second = await list();
  const { mistakes } = await session.end();
  if (mistakes.length > 0 || second.changed > 0)
    throw new Error(`${definition.kind}: ${mistakes[0] ?? 'it changed'}`);
  return { kind: definition.kind, first, second };
}

const server = new Worker(new URL('sources/server.ts', import.meta.url));
const [url] = (await once(server, 'message')) as [string];
const realFetch = globalThis.fetch;
for (const [fixture, count] of fixtures) {
  globalThis.fetch = realFetch;
  const { kind, first, second } = await measure(fixture, count, url);
  const heap = Math.round(Math.max(first.peak, second.peak) / 2 ** 20);
  console.log(
    `${kind}: ${first.listed} entries, ${first.requests} requests, unchanged ${second.requests}; ${second.rate} entries/s, heap at most ${heap} MiB`,
  );
}
server.postMessage('stop');
await server.terminate();
